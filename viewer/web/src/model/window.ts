// SPDX-License-Identifier: MIT
// The part of time that the Timeline shows, and its cursor. From hours to nanoseconds.

import { computed, signal } from "@preact/signals";
import { type Interval, SECOND } from "../base/time.ts";
import * as store from "./store.ts";

/** Nanoseconds; a tick of the time base is about two. */
const SHORTEST = 20;

export interface Cursor {
  /** The key of a line (lines.ts). */
  line: string;
  /** The CPU of what is there. */
  cpu: number;
  time: number;
}

export const cursor = signal<Cursor | undefined>(undefined);

/** All of the trace, once it is known. */
export const whole = computed<Interval | undefined>(() => {
  const { begin, now } = store.status.value;
  return now > begin ? { from: begin, to: now } : undefined;
});

/** Undefined: all of the trace is shown. */
export const zoomedTo = computed<Interval | undefined>(() =>
  store.zoomed.value?.machine === store.machine.value ? store.zoomed.value?.interval : undefined,
);

export const shown = computed<Interval | undefined>(
  () => whole.value && (zoomedTo.value ?? whole.value),
);

/** Shows an interval, or as much of the trace as it has there. */
export function show(wanted: Interval): void {
  const all = whole.value;
  if (!all) return;
  const length = Math.min(Math.max(wanted.to - wanted.from, SHORTEST), all.to - all.from);
  const from = Math.min(Math.max(wanted.from, all.from), all.to - length);
  const interval = { from, to: from + length };
  store.zoomed.value =
    length >= all.to - all.from ? undefined : { machine: store.machine.value, interval };
}

/** Moves the picture to a time, if that is out of sight. */
export function showTime(time: number): void {
  const now = shown.value;
  if (!now || (time >= now.from && time < now.to)) return;
  const half = (now.to - now.from) / 2;
  show({ from: time - half, to: time + half });
}

export function showWhole(): void {
  store.zoomed.value = undefined;
}

/** Zooms around `at`, the cursor, or the middle. A factor above 1 shows more. */
export function zoom(factor: number, at?: number): void {
  const now = shown.value;
  if (!now) return;
  const mark = cursor.value?.time;
  const fix = at ?? (mark !== undefined && mark >= now.from && mark < now.to ? mark : undefined);
  const around = fix ?? (now.from + now.to) / 2;
  const length = Math.max((now.to - now.from) * factor, SHORTEST);
  const from = around - ((around - now.from) / (now.to - now.from)) * length;
  show({ from, to: from + length });
}

/** Moves by a part of what is shown. */
export function pan(part: number): void {
  const now = shown.value;
  if (!now) return;
  const by = (now.to - now.from) * part;
  show({ from: now.from + by, to: now.to + by });
}

/** Shows the range, with a little of what is around it. */
export function fitRange(): void {
  const range = store.rangeInterval.value;
  if (!range) return;
  const margin = (range.to - range.from) / 20;
  show({ from: range.from - margin, to: range.to + margin });
}

/** Where the wheel, keys and links go: only the Timeline has a window of its own. */
export const isShown = (): boolean => store.view.value === "timeline" && whole.value !== undefined;

/** Returns seconds with so many digits that a pixel's time can be told. */
export function exact(time: number, length: number): string {
  const digits = Math.min(9, Math.max(3, 4 - Math.floor(Math.log10(length / SECOND))));
  return (time / SECOND).toFixed(digits);
}
