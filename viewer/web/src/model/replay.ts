// SPDX-License-Identifier: MIT
// Replays a recording, all of whose history is known: the range goes through it as time did, or to
// where a slider is put.

import { batch, computed, signal } from "@preact/signals";
import { type Interval, SECOND } from "../base/time.ts";
import * as store from "./store.ts";

const STEP_MS = 500;
/** How many seconds go by in one. */
export const SPEEDS = [1, 10, 60] as const;
export const speed = signal<number>(SPEEDS[0]);
const timer = signal<ReturnType<typeof setInterval> | undefined>(undefined);
export const isPlaying = computed(() => timer.value !== undefined);

const lengthOf = (interval: Interval): number => interval.to - interval.from;

/** The whole history. Undefined: the machine is no recording, or nothing of it is known. */
const whole = computed<Interval | undefined>(() => {
  const { now, historySeconds } = store.status.value;
  const known = store.isPlayed.value && !store.isTrace.value && historySeconds > 0;
  return known ? { from: now - historySeconds * SECOND, to: now } : undefined;
});

/** Where the range can end, and where it ends. Undefined: there is nothing to replay. */
export const ends = computed<(Interval & { at: number }) | undefined>(() => {
  const range = store.rangeInterval.value;
  const all = whole.value;
  if (!range || !all) return undefined;
  const from = Math.min(all.from + lengthOf(range), all.to);
  return { from, to: all.to, at: Math.min(Math.max(range.to, from), all.to) };
});

/** Moves the range so that it ends at a time, or as near to that as the history goes. */
export function moveTo(time: number): void {
  const range = store.rangeInterval.value;
  if (!range || !ends.value) return;
  const to = Math.min(Math.max(time, ends.value.from), ends.value.to);
  batch(() => {
    store.range.value = { from: Math.max(0, to - lengthOf(range)), to };
    store.showAll();
  });
}

/** Half a second more. */
export function step(): void {
  if (ends.value) moveTo(ends.value.at + speed.value * STEP_MS * 1e6);
  if (!ends.value || ends.value.at >= ends.value.to) pause();
}

export function pause(): void {
  clearInterval(timer.value);
  timer.value = undefined;
}

/** Plays from where the range is; from the begin, if it is at the end. */
export function play(): void {
  if (!ends.value || isPlaying.value) return;
  if (ends.value.at >= ends.value.to) moveTo(ends.value.from);
  timer.value = setInterval(step, STEP_MS);
}
