// SPDX-License-Identifier: MIT
// The cursor of all graphs: one time, below the pointer or moved by arrow keys.

import type { Interval } from "../base/time.ts";
import { GAP, type Box } from "../draw/graph.ts";
import { fillInterval } from "../draw/interval.ts";
import type { Theme } from "../draw/theme.ts";
import * as store from "../model/store.ts";
import type { Points } from "../wire/columns.ts";

/** Pixels are not to be hit exactly. */
const REACH = 1 / 200;

/** Returns the point at the cursor; -1: there is no cursor, or no point near it. */
export function pointAtCursor(points: Points, shown: Interval): number {
  const time = store.cursor.value;
  return time === undefined
    ? -1
    : points.near(time, Math.max(GAP, (shown.to - shown.from) * REACH));
}

export function drawCursor(
  context: CanvasRenderingContext2D,
  box: Box,
  shown: Interval,
  theme: Theme,
): void {
  const time = store.cursor.value;
  if (time === undefined || time < shown.from || time > shown.to) return;
  fillInterval(context, box, shown, { from: time, to: time }, theme.text);
}

/** Takes arrow keys on a graph: the cursor goes from point to point, the newest first. */
export function moveCursor(points: Points, event: KeyboardEvent): void {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by === undefined || points.length === 0 || event.shiftKey || event.ctrlKey) return;
  const last = points.length - 1;
  const time = store.cursor.peek();
  const at = time === undefined ? last + 1 : points.near(time, Number.POSITIVE_INFINITY);
  store.cursor.value = points.time[Math.max(0, Math.min(last, at + by))];
  event.preventDefault();
  event.stopPropagation();
}
