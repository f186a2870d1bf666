// SPDX-License-Identifier: MIT
// The selected slice of the Timeline, its arrows, and the ways along them.

import { computed, signal } from "@preact/signals";
import { type Arrow, type ArrowEnd, type Arrows, readArrows } from "./said.ts";
import { groupOf, NO_PROCESS, turn } from "./lines.ts";
import { ask } from "./session.ts";
import * as store from "./store.ts";
import { cursor, showTime } from "./window.ts";

/** Asked for: of which slice, and what came. */
export const told = signal<{ key: string; arrows?: Arrows; error?: string } | undefined>(undefined);

export const keyOf = (slice: store.ChosenSlice): string =>
  `${store.machine.value} ${slice.line} ${slice.from} ${slice.to}`;

/** Asks for the arrows of a slice whose ends are known. */
export function askArrows(slice: store.ChosenSlice): void {
  const key = keyOf(slice);
  if (told.value?.key === key && !told.value.error) return;
  told.value = { key };
  const tell = (said: { arrows?: Arrows; error?: string }): void => {
    if (told.value?.key === key) told.value = { key, ...said };
  };
  ask({ what: "arrows", of: slice.line, from: slice.from, to: slice.to }).then(
    (data) => tell({ arrows: readArrows(data) }),
    (error) => tell({ error: String(error.message ?? error) }),
  );
}

/** An arrow as seen from the selected slice. */
export interface Way {
  arrow: Arrow;
  /** Whether it leads to the slice. */
  isBack: boolean;
  own: ArrowEnd;
  other: ArrowEnd;
}

function wayOf(slice: store.ChosenSlice, arrow: Arrow): Way {
  const { begin, end } = arrow;
  const isIts = (one: ArrowEnd): boolean => {
    if (slice.line !== `c:${one.cpu}`) return slice.line === `t:${one.thread}`;
    return slice.from !== undefined && one.time >= slice.from && one.time < (slice.to ?? 0);
  };
  const isBack = !isIts(begin);
  return { arrow, isBack, own: isBack ? end : begin, other: isBack ? begin : end };
}

/** Those of the selected slice, once they are known. */
export const ways = computed<readonly Way[]>(() => {
  const slice = store.slice.value;
  const arrows = slice && told.value?.key === keyOf(slice) ? told.value.arrows : undefined;
  return slice && arrows ? arrows.arrows.map((arrow) => wayOf(slice, arrow)) : [];
});

/** Returns the way that a key goes: the first one to the slice, or from it. */
export const wayTo = (isBack: boolean): Way | undefined =>
  ways.value.find((one) => one.isBack === isBack);

/** Selects the slice at the other end, on a line of the same sort. */
export function follow(way: Way | undefined): void {
  const from = store.slice.value;
  if (!way || !from) return;
  const { time, cpu, thread, pid } = way.other;
  const isOfThread = from.line.startsWith("t:") && Number.isFinite(thread);
  const line = isOfThread ? `t:${thread}` : `c:${cpu}`;
  // The trace may tell only later of which process a thread is.
  const known = Number.isFinite(pid) ? `p:${pid}` : NO_PROCESS;
  const process = (isOfThread && groupOf.get(line)) || known;
  if (isOfThread) turn(process, true);
  if (process !== NO_PROCESS) store.selection.value = process;
  cursor.value = { line, cpu, time };
  store.slice.value = { line, time, seeks: true };
  showTime(time);
}
