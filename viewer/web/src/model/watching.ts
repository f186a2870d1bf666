// SPDX-License-Identifier: MIT
// What watching costs the machine, in words.

import { UNKNOWN, plusMinusPart, scaled, withError } from "../base/number.ts";
import type { SaidWatching, SaidWatchingPart } from "../wire/messages.ts";

function partWords(part: SaidWatchingPart): string {
  if (!Number.isFinite(part.value)) return `${part.name} ${UNKNOWN}`;
  const [value, error] = withError(part.value, part.error, scaled, plusMinusPart);
  const bound = part.bound && !value.startsWith("<") ? "≤ " : "";
  return `${part.name} ${bound}${value} ${error}`.trimEnd();
}

/** "watching: dci 301,000 ±3.1 %, net ≤ …": ≤ where others may have a part in it. */
export function costWords(watching: SaidWatching): string {
  // A process that has ended costs nothing any more.
  const present = watching.parts.filter((one) => Number.isFinite(one.value));
  if (watching.why || present.length === 0) return `watching: ${UNKNOWN}`;
  return `watching: ${present.map(partWords).join(", ")} ${watching.event}/s`;
}

/** Why it is not known, or what the marks mean. */
export const costTitle = (watching: SaidWatching): string =>
  watching.why ||
  (Number.isFinite(watching.seconds)
    ? "what the monitor's own processes and the idle loop execute, of " +
      `${watching.seconds.toFixed(0)} s of samples; ≤: at most so much of it is for watching, ` +
      "since net serves others, too, and " +
      "idle CPUs have interrupts of others; ± is a 99 % interval"
    : "nothing is known of it yet");
