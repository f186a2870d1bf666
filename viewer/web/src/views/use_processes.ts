// SPDX-License-Identifier: MIT
// Processes with their part of a CPU, computed from two accounts of their time.

import { useRef } from "preact/hooks";
import { type TimeAccount, cpuShare } from "../model/cpu_share.ts";
import { type Process, readProcesses, readTimeAccount } from "../model/said.ts";
import type { Topic } from "../model/topics.ts";

export function useProcesses(topic: Topic | undefined): Process[] {
  const accounts = useRef<{ before?: TimeAccount; now?: TimeAccount }>({});
  const account = readTimeAccount(topic?.data);
  const known = accounts.current;
  if (account && account.time !== known.now?.time)
    accounts.current = { before: known.now, now: account };
  const { before, now } = accounts.current;
  return readProcesses(topic?.data).map((one) =>
    now ? { ...one, cpu: cpuShare(before, now, one.pid) } : one,
  );
}
