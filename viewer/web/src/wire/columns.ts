// SPDX-License-Identifier: MIT
// Columns that grow with each frame: a metric or a measure over time, with a limited number of
// points.

import { FRAME_WHOLE, type FrameMetric, type FrameSeries } from "./messages.ts";

/** The seconds of a day. */
const POINTS_MOST = 86400;

export class Points {
  length = 0;
  time = new Float64Array(256);
  value = new Float32Array(256);
  error = new Float32Array(256);
  /** The part of the second in which it was measured. */
  measured = new Float32Array(256);
  complete = Number.NaN;

  add(frame: FrameMetric | FrameSeries): void {
    if (frame.head.flags & FRAME_WHOLE) this.length = 0;
    const value = frame.kind === "metric" ? frame.value : frame.last;
    for (let row = 0; row < frame.head.rows; row++)
      this.#append(
        frame.time[row],
        value[row],
        frame.error[row],
        frame.kind === "metric" ? frame.measured[row] : 1,
      );
    this.complete = frame.head.complete;
  }

  // Leaves out a point that is not later than the last one.
  #append(time: number, value: number, error: number, measured: number): void {
    if (!(time > (this.length ? this.time[this.length - 1] : -1))) return;
    if (this.length === POINTS_MOST) this.#forget(POINTS_MOST / 4);
    if (this.length === this.time.length) this.#grow();
    this.time[this.length] = time;
    this.value[this.length] = value;
    this.error[this.length] = error;
    this.measured[this.length] = measured;
    this.length++;
  }

  #grow(): void {
    const size = Math.min(POINTS_MOST, this.time.length * 2);
    const wider = <Kind extends Float32Array | Float64Array>(old: Kind, fresh: Kind): Kind => {
      fresh.set(old);
      return fresh;
    };
    this.time = wider(this.time, new Float64Array(size));
    this.value = wider(this.value, new Float32Array(size));
    this.error = wider(this.error, new Float32Array(size));
    this.measured = wider(this.measured, new Float32Array(size));
  }

  #forget(points: number): void {
    for (const column of [this.time, this.value, this.error, this.measured])
      column.copyWithin(0, points, this.length);
    this.length -= points;
  }

  /** Returns the first point at or after `time`. */
  find(time: number): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.time[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the point nearest to `time`; -1: none is within `reach`. */
  near(time: number, reach: number): number {
    const behind = this.find(time);
    const away = (i: number): number =>
      i >= 0 && i < this.length ? Math.abs(this.time[i] - time) : Number.POSITIVE_INFINITY;
    const nearest = away(behind - 1) < away(behind) ? behind - 1 : behind;
    return nearest < this.length && away(nearest) <= reach ? nearest : -1;
  }
}

export interface Summary {
  /** Number of points with a known value. */
  known: number;
  unknown: number;
  min: number;
  mean: number;
  max: number;
  /** Half the width of the mean's 99 % interval. NaN if one of the errors is not known. */
  error: number;
}

/** Sums up the points with from <= time < to. All have the same weight. */
export function summarize(points: Points, from: number, to: number): Summary {
  const sum = { known: 0, unknown: 0, min: Infinity, max: -Infinity, total: 0, squares: 0 };
  for (let i = points.find(from); i < points.length && points.time[i] < to; i++) {
    const value = points.value[i];
    if (Number.isNaN(value)) {
      sum.unknown++;
      continue;
    }
    sum.known++;
    sum.total += value;
    sum.squares += points.error[i] ** 2;
    sum.min = Math.min(sum.min, value);
    sum.max = Math.max(sum.max, value);
  }
  const any = sum.known > 0;
  return {
    known: sum.known,
    unknown: sum.unknown,
    min: any ? sum.min : Number.NaN,
    mean: any ? sum.total / sum.known : Number.NaN,
    max: any ? sum.max : Number.NaN,
    error: any ? Math.sqrt(sum.squares) / sum.known : Number.NaN,
  };
}
