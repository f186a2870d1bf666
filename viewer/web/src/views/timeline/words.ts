// SPDX-License-Identifier: MIT
// A slice in words.

import { count, percent } from "../../base/number.ts";
import { length } from "../../base/time.ts";
import * as store from "../../model/store.ts";
import { nameOf } from "../../model/things.ts";
import { ACTIVITIES, isGroup, NO_THREAD, type Piece, UNKNOWN } from "../../wire/tracks.ts";
import { exact, whole } from "../../model/window.ts";
import type { FrameSlices } from "../../wire/messages.ts";

/** Returns "fs:2 thread 31", or as much of it as is known. */
export function whoOf(frame: FrameSlices, row: number): string {
  const thing = store.things.value.get(frame.process[row]);
  const label = thing ? nameOf(thing) : "";
  const name = thing?.pid && label !== `pid ${thing.pid}` ? `${label}:${thing.pid}` : label;
  const thread = frame.thread[row];
  return [name, thread === NO_THREAD ? "" : `thread ${thread}`].filter(Boolean).join(" ");
}

/** Returns what one slice is: "call map", "unknown: events were lost". */
export function whatOf(frame: FrameSlices, row: number): string {
  const what = store.things.value.string(frame.what[row]);
  return frame.activity[row] === UNKNOWN ? `unknown: ${what}` : what;
}

/** The gateway cuts slices to the interval that was asked for, a little more than is shown. */
function isCut(frame: FrameSlices, piece: Piece): boolean {
  const all = whole.value;
  const { t0, complete } = frame.head;
  const begin = piece.from <= t0 && all !== undefined && t0 > all.from;
  return begin || (piece.to >= complete && all !== undefined && complete < all.to);
}

/** Returns a piece in words: what, who, from, to, how long; of a group its parts. */
export function pieceWords(frame: FrameSlices, piece: Piece): string[] {
  const time = piece.to - piece.from;
  const cut = isCut(frame, piece) ? ", and more: it goes on beyond what was asked for" : "";
  const when = `${exact(piece.from, time)} – ${exact(piece.to, time)} s, ${length(time)}${cut}`;
  if (!isGroup(frame, piece))
    return [whatOf(frame, piece.first), whoOf(frame, piece.first), when].filter(Boolean);
  const rows = Array.from({ length: piece.end - piece.first }, (_, i) => piece.first + i);
  const slices = rows.reduce((sum, row) => sum + frame.count[row], 0);
  const parts = rows
    .sort((a, b) => frame.time[b] - frame.time[a])
    .map(
      (row) =>
        `${ACTIVITIES[frame.activity[row]]} ${percent((frame.time[row] / time) * 100)}` +
        ` (${count(frame.count[row])}; longest: ${[whatOf(frame, row), whoOf(frame, row)]
          .filter(Boolean)
          .join(", ")})`,
    );
  return [`${count(slices)} slices`, when, ...parts];
}

export const lossWords = (frame: FrameSlices, row: number): string =>
  `lost: ${count(frame.thread[row])} packets missing, ` +
  `${count(frame.count[row])} events found no room`;
