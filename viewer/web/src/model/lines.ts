// SPDX-License-Identifier: MIT
// The lines of the Timeline: groups, which can be folded, and the tracks in those that are open.

import { signal } from "@preact/signals";
import type { Track } from "../wire/tracks.ts";
import * as store from "./store.ts";

/** The line above the CPUs. A process's line has its key. */
export const CPUS = "cpus";
/** The line above threads of which nobody knows the process. */
export const NO_PROCESS = "p:?";

export interface Line {
  key: string;
  /** Of a track. */
  track?: Track;
  /** Of a group: all its tracks, and whether it is open. */
  members: readonly Track[];
  isOpen: boolean;
  /** Members of an open group for which there is no room. */
  hidden: number;
}

/** A canvas is limited: with more lines it is drawn coarser. */
const LINES_MOST = 800;

/** Groups that are not as they are at first: CPUs open, processes closed. By machine. */
const turned = signal<ReadonlySet<string>>(new Set());

const turnedKey = (group: string): string => `${store.machine.value} ${group}`;

export const isOpen = (group: string): boolean =>
  (group === CPUS) !== turned.value.has(turnedKey(group));

export function turn(group: string, open = !isOpen(group)): void {
  const next = new Set(turned.value);
  if (open === (group === CPUS)) next.delete(turnedKey(group));
  else next.add(turnedKey(group));
  turned.value = next;
}

/** As many keys as a message has room for; a blank: none. */
const KEYS_BYTES = 256;

/** Returns the processes that are open, as the gateway takes them. */
export function openProcesses(): string {
  const machine = `${store.machine.value} `;
  let keys = "";
  for (const one of turned.value) {
    const key = one.slice(machine.length);
    // The name of another machine may begin with this one's and a blank.
    if (!one.startsWith(machine) || !/^p:\d+$/.test(key)) continue;
    if (keys.length + key.length + 1 <= KEYS_BYTES) keys += ` ${key}`;
  }
  return keys.slice(1) || " ";
}

const pidOf = (key: string): number =>
  key === NO_PROCESS ? Number.POSITIVE_INFINITY : Number(key.slice(2));

/** The group of each thread, by the key of its track, as last shown. */
export const groupOf = new Map<string, string>();

/** processOf: the key of a thread's process. */
export function linesOf(
  cpus: readonly Track[],
  threads: readonly Track[],
  processOf: (track: Track) => string,
): Line[] {
  const groups = new Map<string, Track[]>();
  for (const track of threads) {
    const key = processOf(track);
    groupOf.set(track.key, key);
    const members = groups.get(key);
    if (members) members.push(track);
    else groups.set(key, [track]);
  }
  const ordered = [...groups].sort(([one], [other]) => pidOf(one) - pidOf(other));
  let room = LINES_MOST - ordered.length - 1;
  return [[CPUS, cpus] as const, ...ordered].flatMap(([key, members]) => {
    const open = isOpen(key);
    const tracks = open ? members.slice(0, Math.max(0, room)) : [];
    room -= tracks.length;
    const hidden = open ? members.length - tracks.length : 0;
    return [
      { key, members, isOpen: open, hidden },
      ...tracks.map((track) => ({ key: track.key, track, members: [], isOpen: false, hidden: 0 })),
    ];
  });
}

/** Returns the line at a height, in lines from the first one. */
export const lineAt = (lines: readonly Line[], height: number): Line | undefined =>
  height < 0 ? undefined : lines[Math.floor(height)];
