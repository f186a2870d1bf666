// SPDX-License-Identifier: MIT
// The kov command for the numbers that are shown.

import { COUNTED, machineState, measure, rangeInterval, status } from "../model/store.ts";
import { parseKey } from "../model/things.ts";

/** Quotes for a shell: one word, whatever is in it. */
export const shellWord = (word: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;

/** The program with the options that lead it to the machine that is shown. */
export function kov(address = machineState.value?.address ?? ""): string {
  const found = /^(.*):(\d+)$/.exec(address);
  if (!found) return "kov";
  const host = found[1] === "127.0.0.1" ? "" : ` --host ${shellWord(found[1])}`;
  return `kov${host} --port ${found[2]}`;
}

/** What Timeline shows: of the folder, from … to in seconds. */
export const traceCommand = (from: string, to: string): string =>
  `kov trace show --activity ${shellWord(machineState.value?.address ?? "")} ` +
  `--from ${from} --to ${to}`;

const seconds = (): number => {
  const interval = rangeInterval.value;
  return interval ? Math.max(1, Math.round((interval.to - interval.from) / 1e9)) : 10;
};

/** "objects": the tree; "ranking": what of whom; "metrics": counts; "functions": of code. */
export function kovCommand(
  of: "objects" | "ranking" | "metrics" | "machine" | "functions",
  event = measure.value,
  key = "",
): string {
  if (of === "machine") return `${kov()} ps`;
  if (of === "metrics")
    return (
      `${kov()} stat -d ${seconds()} -I 1000 -e instructions,cycles,larx,stcx,stcx-failed,` +
      "branches,mispredicted,itlb-miss,dtlb-miss"
    );
  const pid = parseKey(key).pid;
  const whose = pid === undefined ? "" : ` --pid ${pid}`;
  if (COUNTED.includes(event)) return `${kov()} stat${whose} -d ${seconds()}`;
  if (event === "") return `${kov()} objects${whose}`;
  const period = status.value.events.find((one) => one.name === event)?.period ?? Number.NaN;
  const sampled = Number.isFinite(period) && period > 0 ? `${event}@${period}` : event;
  if (of === "functions")
    return (
      `${kov()} record -e ${shellWord(sampled)} -g 8 -d ${seconds()} -o samples.kov && ` +
      "kov report -i samples.kov --sort function"
    );
  return `${kov()} stat -e ${shellWord(sampled)} --per-object${whose} -d ${seconds()}`;
}
