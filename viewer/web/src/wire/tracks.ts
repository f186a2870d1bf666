// SPDX-License-Identifier: MIT
// The slices of CPUs and threads as tracks. A piece is one slice, or a group of short ones, whose
// parts say how much of each activity was in it.

import type { Interval } from "../base/time.ts";
import type { FrameSlices, FrameThreads } from "./messages.ts";

export const ACTIVITIES = [
  "unknown",
  "idle",
  "run",
  "system call",
  "IPC",
  "fault",
  "interrupt",
] as const;
export const UNKNOWN = 0;
export const IDLE = 1;
export const RUN = 2;
/** Events were lost: not an activity, but drawn over them. */
export const LOST = 7;
export const NO_THREAD = 0xffffffff;

/** What threads do; their activities are behind those of CPUs. */
export const STATES = [
  "unknown",
  "runs its own code",
  "runs in the kernel",
  "runs",
  "ready",
  "blocked",
] as const;
export const FIRST_STATE = 8;
const LEFT_OUT = 15;
export const isUnknown = (activity: number): boolean =>
  activity === UNKNOWN || activity === FIRST_STATE;
export const isRun = (activity: number): boolean => activity === RUN || activity === 9;
export const READY = 12;
export const BLOCKED = 13;
export const activityName = (activity: number): string =>
  ACTIVITIES[activity] ?? STATES[activity - FIRST_STATE];

/** Rows of either frame. by: who woke a thread. */
export type Rows = Omit<FrameSlices, "kind"> & { by?: Uint32Array };

export const rowsOf = (frame: FrameThreads): Rows => ({
  ...frame,
  activity: frame.state.map((state) => state + FIRST_STATE),
});

/** Rows of a frame: those of one piece stand side by side. */
export interface Piece extends Interval {
  first: number;
  end: number;
}
export interface Track {
  /** c:CPU or t:THREAD. */
  key: string;
  cpu: number;
  rows: Rows;
  /** In order of time. */
  pieces: Piece[];
  /** Rows that tell of lost events. */
  losses: number[];
}

function collect(rows: Rows, letter: string, numbers: Uint8Array | Uint32Array): Track[] {
  const tracks = new Map<number, Track>();
  for (let row = 0; row < rows.head.rows; row++) {
    if (rows.activity[row] === LEFT_OUT) continue;
    const number = numbers[row];
    let track = tracks.get(number);
    if (!track) {
      track = { key: `${letter}:${number}`, cpu: rows.cpu[row], rows, pieces: [], losses: [] };
      tracks.set(number, track);
    }
    if (rows.activity[row] === LOST) {
      track.losses.push(row);
      continue;
    }
    const last = track.pieces[track.pieces.length - 1];
    if (last?.end === row && last.from === rows.from[row] && last.to === rows.to[row])
      last.end = row + 1;
    else track.pieces.push({ from: rows.from[row], to: rows.to[row], first: row, end: row + 1 });
  }
  return [...tracks].sort(([one], [other]) => one - other).map(([, track]) => track);
}

export const tracksOf = (rows: Rows): Track[] => collect(rows, "c", rows.cpu);
export const threadTracksOf = (rows: Rows): Track[] => collect(rows, "t", rows.thread);

/** How many threads a frame leaves out. */
export function leftOutOf(rows: Rows): number {
  const row = rows.activity.indexOf(LEFT_OUT);
  return row < 0 ? 0 : rows.count[row];
}

/** Returns nanoseconds by state of STATES. */
export function statesOf(tracks: readonly Track[]): number[] {
  const time = STATES.map(() => 0);
  for (const { rows, pieces } of tracks)
    for (const piece of pieces)
      for (let row = piece.first; row < piece.end; row++)
        time[rows.activity[row] - FIRST_STATE] += rows.time[row];
  return time;
}

/** Returns the place of the first piece that ends after `time`. */
export function findPiece(pieces: readonly Piece[], time: number): number {
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pieces[middle].to <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function pieceAt(track: Track, time: number): Piece | undefined {
  const piece = track.pieces[findPiece(track.pieces, time)];
  return piece && piece.from <= time ? piece : undefined;
}

/** A group is many slices; a single one takes all of its time. */
export const isGroup = (frame: Rows, piece: Piece): boolean =>
  piece.end - piece.first > 1 || frame.count[piece.first] > 1;

export interface Sums {
  cpu: number;
  /** Nanoseconds, and numbers of slices, by activity. */
  time: number[];
  count: number[];
  lostPackets: number;
  lostEvents: number;
}

export const sumsOf = (frame: Rows, tracks: readonly Track[]): Sums[] =>
  tracks.map((track) => {
    const sums: Sums = {
      cpu: track.cpu,
      time: ACTIVITIES.map(() => 0),
      count: ACTIVITIES.map(() => 0),
      lostPackets: 0,
      lostEvents: 0,
    };
    for (const piece of track.pieces)
      for (let row = piece.first; row < piece.end; row++) {
        sums.time[frame.activity[row]] += frame.time[row];
        sums.count[frame.activity[row]] += frame.count[row];
      }
    for (const row of track.losses) {
      sums.lostPackets += frame.thread[row];
      sums.lostEvents += frame.count[row];
    }
    return sums;
  });
