// SPDX-License-Identifier: MIT
// A slice in words.

import { count, percent } from "../../base/number.ts";
import { length } from "../../base/time.ts";
import * as store from "../../model/store.ts";
import { nameOf } from "../../model/things.ts";
import {
  activityName,
  BLOCKED,
  isGroup,
  isUnknown,
  NO_THREAD,
  type Piece,
  READY,
  type Rows,
  statesOf,
  type Track,
} from "../../wire/tracks.ts";
import { CPUS, type Line, NO_PROCESS } from "../../model/lines.ts";
import { exact, whole } from "../../model/window.ts";

/** Returns "fs:2 thread 31", or as much of it as is known. */
export function whoOf(frame: Rows, row: number): string {
  const thing = store.things.value.get(frame.process[row]);
  const label = thing ? nameOf(thing) : "";
  const name = thing?.pid && label !== `pid ${thing.pid}` ? `${label}:${thing.pid}` : label;
  const thread = frame.thread[row];
  return [name, thread === NO_THREAD ? "" : `thread ${thread}`].filter(Boolean).join(" ");
}

/** Returns what one slice is: "call map", "unknown: events were lost". */
export function whatOf(frame: Rows, row: number): string {
  const what = store.things.value.string(frame.what[row]);
  const activity = frame.activity[row];
  const isNamed = isUnknown(activity) || activity === READY || activity === BLOCKED;
  return isNamed ? `${activityName(activity)}: ${what}` : what;
}

/** Returns who woke a thread that is ready: "by fs:2 thread 31"; "": nobody, or it is not told. */
export function wakerOf(rows: Rows, row: number, threads: readonly Track[]): string {
  const by = rows.by?.[row] ?? NO_THREAD;
  if (by === NO_THREAD) return "";
  if (by === 0) return "by an interrupt";
  const track = threads.find((one) => one.key === `t:${by}`);
  const first = track?.pieces[0]?.first;
  return `by ${track && first !== undefined ? whoOf(track.rows, first) : `thread ${by}`}`;
}

/** Returns the key of the process of a thread's track. */
export function processKey(track: Track): string {
  const first = track.pieces[0]?.first;
  const thing = first === undefined ? undefined : store.things.value.get(track.rows.process[first]);
  return thing?.key ?? NO_PROCESS;
}

/** Returns what a group's members did all in all. */
export function stateWords(line: Line): string {
  const { members } = line;
  if (line.key === CPUS) return count(members.length);
  const time = statesOf(members);
  const all = time.reduce((sum, one) => sum + one, 0);
  const part = (state: number): string => percent((state / all) * 100);
  return (
    `${count(members.length)} ${members.length === 1 ? "thread" : "threads"}, ` +
    `run ${part(time[1] + time[2] + time[3])}, ready ${part(time[4])}, ` +
    `blocked ${part(time[5])}, unknown ${part(time[0])}` +
    (line.hidden > 0 ? `; there is no room for ${count(line.hidden)} of them` : "")
  );
}

export function lineName(line: Line): string {
  if (line.track) return line.key.replace(/^c:/, "CPU ").replace(/^t:/, "thread ");
  if (line.key === CPUS) return "CPUs";
  const thing = store.things.value.find(line.key);
  if (!thing) return "process unknown";
  const label = nameOf(thing);
  return label === `pid ${thing.pid}` ? label : `${label}:${thing.pid}`;
}

/** The gateway cuts slices to the interval that was asked for, a little more than is shown. */
function isCut(frame: Rows, piece: Piece): boolean {
  const all = whole.value;
  const { t0, complete } = frame.head;
  const begin = piece.from <= t0 && all !== undefined && t0 > all.from;
  return begin || (piece.to >= complete && all !== undefined && complete < all.to);
}

/** Returns a piece in words: what, who, from, to, how long; of a group its parts. */
export function pieceWords(frame: Rows, piece: Piece): string[] {
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
        `${activityName(frame.activity[row])} ${percent((frame.time[row] / time) * 100)}` +
        ` (${count(frame.count[row])}; longest: ${[whatOf(frame, row), whoOf(frame, row)]
          .filter(Boolean)
          .join(", ")})`,
    );
  return [`${count(slices)} slices`, when, ...parts];
}

export const lossWords = (frame: Rows, row: number): string =>
  `lost: ${count(frame.thread[row])} packets missing, ` +
  `${count(frame.count[row])} events found no room`;
