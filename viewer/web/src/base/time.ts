// SPDX-License-Identifier: MIT
// Times are nanoseconds since the machine's boot. Shown as minutes:seconds.

export const SECOND = 1e9;

export interface Interval {
  from: number;
  to: number;
}

/** Returns a time such as 12:52.4, or 3:12:52.4 with hours. */
export function clock(time: number, decimals = 1): string {
  if (!Number.isFinite(time)) return "–";
  const seconds = Math.max(0, time) / SECOND;
  const tick = 10 ** decimals;
  const whole = Math.floor(seconds * tick + 1e-6) / tick;
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const rest = (whole % 60).toFixed(decimals).padStart(decimals ? 3 + decimals : 2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/** Returns a length of time such as 10.0 s or 412.7 µs. */
export function length(nanoseconds: number): string {
  if (!Number.isFinite(nanoseconds)) return "–";
  const size = Math.abs(nanoseconds);
  if (size >= SECOND) return `${(nanoseconds / SECOND).toFixed(1)} s`;
  if (size >= 1e6) return `${(nanoseconds / 1e6).toFixed(1)} ms`;
  if (size >= 1e3) return `${(nanoseconds / 1e3).toFixed(1)} µs`;
  return `${nanoseconds.toFixed(0)} ns`;
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200];

/** Returns where an axis has its labels: at most `most`, at whole seconds. */
export function timeTicks(interval: Interval, most: number): number[] {
  const seconds = (interval.to - interval.from) / SECOND;
  if (!(seconds > 0) || most < 1) return [];
  const step = STEPS.find((one) => seconds / one <= most) ?? Math.ceil(seconds / most);
  const ticks: number[] = [];
  const first = Math.ceil(interval.from / SECOND / step) * step;
  for (let at = first; at * SECOND <= interval.to; at += step) ticks.push(at * SECOND);
  return ticks;
}

export const within = (time: number, interval: Interval): boolean =>
  time >= interval.from && time < interval.to;
