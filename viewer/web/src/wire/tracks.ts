// SPDX-License-Identifier: MIT
// The slices of CPUs as tracks. A piece is one slice, or a group of short ones, whose parts say how
// much of each activity was in it.

import type { Interval } from "../base/time.ts";
import type { FrameSlices } from "./messages.ts";

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

/** Rows of a frame: those of one piece stand side by side. */
export interface Piece extends Interval {
  first: number;
  end: number;
}
export interface Track {
  cpu: number;
  /** In order of time. */
  pieces: Piece[];
  /** Rows that tell of lost events. */
  losses: number[];
}

export function tracksOf(frame: FrameSlices): Track[] {
  const tracks = new Map<number, Track>();
  for (let row = 0; row < frame.head.rows; row++) {
    const cpu = frame.cpu[row];
    let track = tracks.get(cpu);
    if (!track) {
      track = { cpu, pieces: [], losses: [] };
      tracks.set(cpu, track);
    }
    if (frame.activity[row] === LOST) {
      track.losses.push(row);
      continue;
    }
    const last = track.pieces[track.pieces.length - 1];
    if (last?.end === row && last.from === frame.from[row] && last.to === frame.to[row])
      last.end = row + 1;
    else track.pieces.push({ from: frame.from[row], to: frame.to[row], first: row, end: row + 1 });
  }
  return [...tracks.values()].sort((one, other) => one.cpu - other.cpu);
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
export const isGroup = (frame: FrameSlices, piece: Piece): boolean =>
  piece.end - piece.first > 1 || frame.count[piece.first] > 1;

export interface Sums {
  cpu: number;
  /** Nanoseconds, and numbers of slices, by activity. */
  time: number[];
  count: number[];
  lostPackets: number;
  lostEvents: number;
}

export const sumsOf = (frame: FrameSlices, tracks: readonly Track[]): Sums[] =>
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
