// SPDX-License-Identifier: MIT
// A quantity over time: a line with the band of its error. Unknown parts are hatched, not 0, and so
// are those with a value whose error is unknown.

import { niceStep } from "../base/number.ts";
import { type Interval, SECOND, clock, timeTicks } from "../base/time.ts";
import type { Points } from "../wire/columns.ts";
import { hatch } from "./interval.ts";
import type { ColourName, Theme } from "./theme.ts";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Points are a second apart. A larger distance is a gap. */
export const GAP = 2.5 * SECOND;

/** For each pixel column, the extent of its values and of their band. NaN: no point. */
export interface Columns {
  low: Float64Array;
  high: Float64Array;
  bandLow: Float64Array;
  bandHigh: Float64Array;
  /** The column has a point with an unknown value. */
  unknown: Uint8Array;
  /** The column has a point whose error is unknown: no band leads to it or away from it. */
  vague: Uint8Array;
  /** No line leads here from the last column with a point. */
  apart: Uint8Array;
}

export function reduce(points: Points, shown: Interval, width: number): Columns {
  const fresh = (): Float64Array => new Float64Array(width).fill(Number.NaN);
  const columns: Columns = {
    low: fresh(),
    high: fresh(),
    bandLow: fresh(),
    bandHigh: fresh(),
    unknown: new Uint8Array(width),
    vague: new Uint8Array(width),
    apart: new Uint8Array(width),
  };
  const scale = width / (shown.to - shown.from);
  let last = Number.NEGATIVE_INFINITY;
  for (let i = points.find(shown.from); i < points.length && points.time[i] <= shown.to; i++) {
    const x = Math.min(width - 1, Math.floor((points.time[i] - shown.from) * scale));
    const value = points.value[i];
    if (Number.isNaN(value)) {
      columns.unknown[x] = 1;
      last = Number.NEGATIVE_INFINITY;
      continue;
    }
    if (points.time[i] - last > GAP) columns.apart[x] = 1;
    last = points.time[i];
    widen(columns.low, columns.high, x, value, value);
    const error = points.error[i];
    // A band says that the error is known. Where it is not, there is none, and it is hatched.
    if (Number.isNaN(error)) columns.vague[x] = 1;
    else widen(columns.bandLow, columns.bandHigh, x, value - error, value + error);
  }
  return columns;
}

function widen(low: Float64Array, high: Float64Array, x: number, from: number, to: number): void {
  low[x] = Number.isNaN(low[x]) ? from : Math.min(low[x], from);
  high[x] = Number.isNaN(high[x]) ? to : Math.max(high[x], to);
}

/** Returns the largest value with its band, at most twice the largest value; always above 0. */
export function topOf(columns: Columns): number {
  let top = 0;
  let line = 0;
  for (let x = 0; x < columns.high.length; x++) {
    if (columns.bandHigh[x] > top) top = columns.bandHigh[x];
    if (columns.high[x] > line) line = columns.high[x];
  }
  // One wild error must not flatten the line.
  return Math.min(top, line * 2) || 1;
}

export function drawGraph(
  context: CanvasRenderingContext2D,
  box: Box,
  columns: Columns,
  top: number,
  colour: string,
  theme: Theme,
): void {
  const y = (value: number): number =>
    box.y + box.height - (Math.max(0, Math.min(value, top)) / top) * box.height;
  context.save();
  hatchUnknown(context, box, columns, theme);
  drawBand(context, box, columns, y, colour);
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.lineJoin = "round";
  context.beginPath();
  let begun = false;
  for (let x = 0; x < box.width; x++) {
    if (columns.unknown[x] && Number.isNaN(columns.low[x])) begun = false;
    if (Number.isNaN(columns.low[x])) continue;
    if (!begun || columns.apart[x]) context.moveTo(box.x + x + 0.5, y(columns.high[x]));
    else context.lineTo(box.x + x + 0.5, y(columns.high[x]));
    if (columns.low[x] !== columns.high[x]) context.lineTo(box.x + x + 0.5, y(columns.low[x]));
    else if (!begun || columns.apart[x]) context.lineTo(box.x + x + 1, y(columns.low[x]));
    begun = true;
  }
  context.stroke();
  context.restore();
}

// Draws the band run by run: forward along the upper edge, back along the lower.
function drawBand(
  context: CanvasRenderingContext2D,
  box: Box,
  columns: Columns,
  y: (value: number) => number,
  colour: string,
): void {
  context.globalAlpha = 0.3;
  context.fillStyle = colour;
  const barHeight = (x: number): number => y(columns.bandLow[x]) - y(columns.bandHigh[x]);
  let run: number[] = [];
  const fill = (): void => {
    if (run.length === 1) {
      const [x] = run;
      context.fillRect(box.x + x, y(columns.bandHigh[x]), 1, barHeight(x));
    } else if (run.length > 0) {
      context.beginPath();
      for (const x of run) context.lineTo(box.x + x + 0.5, y(columns.bandHigh[x]));
      for (const x of run.reverse()) context.lineTo(box.x + x + 0.5, y(columns.bandLow[x]));
      context.fill();
    }
    run = [];
  };
  for (let x = 0; x < box.width; x++) {
    const isBroken = columns.vague[x] || (columns.unknown[x] && Number.isNaN(columns.low[x]));
    if (columns.apart[x] || isBroken) fill();
    if (columns.vague[x]) continue;
    if (!Number.isNaN(columns.bandHigh[x])) run.push(x);
  }
  fill();
  context.globalAlpha = 1;
}

// Hatches from a point with an unknown value or error to the next that is known.
function hatchUnknown(
  context: CanvasRenderingContext2D,
  box: Box,
  columns: Columns,
  theme: Theme,
): void {
  let from = -1;
  const fill = (to: number): void => {
    const width = Math.max(1, to - from);
    if (from >= 0) hatch(context, { ...box, x: box.x + from, width }, theme.blocked);
    from = -1;
  };
  let last = 0;
  for (let x = 0; x < box.width; x++) {
    if (!Number.isNaN(columns.low[x]) && !columns.vague[x]) fill(x);
    else if (columns.unknown[x] || columns.vague[x]) {
      if (from < 0) from = x;
      last = x;
    }
  }
  fill(last + 1);
}

export function drawTimeAxis(
  context: CanvasRenderingContext2D,
  box: Box,
  shown: Interval,
  theme: Theme,
): void {
  const scale = box.width / (shown.to - shown.from);
  context.save();
  context.fillStyle = theme.dim;
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "center";
  for (const tick of timeTicks(shown, Math.max(1, Math.floor(box.width / 90)))) {
    const x = box.x + (tick - shown.from) * scale;
    if (tick < 0 || x < box.x + 20 || x > box.x + box.width - 20) continue;
    context.fillText(clock(tick, 0), x, box.y + box.height / 2);
  }
  context.restore();
}

/** Draws lines and labels of at most `most` values at the left. */
export function drawValueAxis(
  context: CanvasRenderingContext2D,
  box: Box,
  top: number,
  most: number,
  theme: Theme,
  name: (value: number) => string,
): void {
  const step = niceStep(top, most);
  context.save();
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (let value = 0; value <= top; value += step) {
    const y = Math.round(box.y + box.height - (value / top) * box.height) + 0.5;
    context.strokeStyle = theme.line;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(box.x, y);
    context.lineTo(box.x + box.width, y);
    context.stroke();
    context.fillStyle = theme.dim;
    context.fillText(name(value), box.x - 6, y);
  }
  context.restore();
}

/** Returns the colour of the nth series. */
export const seriesColour = (index: number): ColourName =>
  `series-${(index % 8) + 1}` as ColourName;
