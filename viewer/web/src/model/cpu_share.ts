// SPDX-License-Identifier: MIT
// How much of a CPU a process had, from two accounts of its time.

/** CPU ticks of processes, and when they were read, by the machine's time base. */
export interface TimeAccount {
  time: number;
  ticks: ReadonlyMap<number, number>;
}

/** Returns percent of one CPU since `before`. NaN: there is no account, or the process is new. */
export function cpuShare(before: TimeAccount | undefined, now: TimeAccount, pid: number): number {
  const then = before?.ticks.get(pid);
  const ticks = now.ticks.get(pid);
  if (before === undefined || then === undefined || ticks === undefined) return Number.NaN;
  const passed = now.time - before.time;
  return passed > 0 && ticks >= then ? ((ticks - then) / passed) * 100 : Number.NaN;
}
