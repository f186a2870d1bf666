// SPDX-License-Identifier: MIT
// Numbers as people read them. An unknown one is "–", never 0.

export const UNKNOWN = "–";

const SCALES: readonly [number, string][] = [
  [1e12, " T"],
  [1e9, " G"],
  [1e6, " M"],
];

/** Returns a whole number with its thousands apart: 12,480. */
export function count(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return UNKNOWN;
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Returns at least `digits` significant digits. Scales large numbers: 2.55 M, 23,339, 0.707. */
export function scaled(value: number | undefined, digits = 3): string {
  if (value === undefined || !Number.isFinite(value)) return UNKNOWN;
  const size = Math.abs(value);
  for (const [scale, name] of SCALES)
    if (size >= scale) return (value / scale).toPrecision(digits) + name;
  if (size >= 1000) return count(value);
  if (size === 0) return "0";
  if (size < 0.001) return value.toExponential(1);
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return value.toFixed(Math.min(decimals, 4));
}

/** Returns one digit after the point, or more if all of them would be zeros. */
function decimals(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || size >= 0.05) return value.toFixed(1);
  return size >= 0.005 ? value.toFixed(2) : value.toPrecision(1);
}

export function percent(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return UNKNOWN;
  return `${value >= 99.95 ? value.toFixed(0) : decimals(value)} %`;
}

export function plusMinus(error: number | undefined): string {
  if (error === undefined || !Number.isFinite(error)) return "± ?";
  return `±${decimals(error)}`;
}

/** Returns half the width of an interval as a part of its value: ±2.8 %. */
export const plusMinusPart = (error: number, value: number): string =>
  Number.isFinite(error) && value !== 0 ? `${plusMinus((error / Math.abs(value)) * 100)} %` : "± ?";

/**
 * Returns a number with its error, as a value and what stands behind it. An error above the value
 * itself tells only that it is less than both together. It is never so of one that may be below 0.
 */
export function withError(
  value: number,
  error: number,
  write: (value: number) => string,
  behind: (error: number, value: number) => string = plusMinus,
): [string, string] {
  if (Number.isFinite(error) && Number.isFinite(value) && value >= 0 && error > value)
    return [`< ${write(value + error)}`, ""];
  return [write(value), Number.isFinite(value) ? behind(error, value) : ""];
}

/** Returns a metric. Small percentages get two significant digits. */
export function metric(value: number | undefined, isPercent: boolean): string {
  if (value === undefined || !Number.isFinite(value)) return UNKNOWN;
  if (!isPercent) return scaled(value);
  const size = Math.abs(value);
  return `${size >= 0.1 || size === 0 ? value.toFixed(2) : value.toPrecision(2)} %`;
}

export function signed(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return UNKNOWN;
  return value > 0 ? `+${decimals(value)}` : decimals(value).replace("-", "−");
}

/** Returns the largest of 1, 2, 5 × 10^n with at most `most` steps in `span`. */
export function niceStep(span: number, most: number): number {
  if (!(span > 0) || most < 1) return 1;
  const least = span / most;
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5]) if (factor * power >= least) return factor * power;
  return 10 * power;
}
