// SPDX-License-Identifier: MIT
// Chips "only" and "not". OR inside a chip, AND between chips. What matches is shown.

import { type Thing, type Things, classKey, parseKey } from "./things.ts";

export interface Chip {
  not: boolean;
  /** Keys of things. */
  any: readonly string[];
}

/** In a chip: all processes of the monitor itself. */
export const MONITOR = "monitor";
export const NOT_MONITOR: Chip = { not: true, any: [MONITOR] };

/** Returns the chips with the keys of the monitor's processes in place of MONITOR. */
export const withMonitor = (
  chips: readonly Chip[],
  processes: readonly string[],
): readonly Chip[] =>
  chips.map((chip) => ({
    ...chip,
    any: chip.any.flatMap((key) => (key === MONITOR ? processes : [key])),
  }));

/** As many keys as a message has room for. */
const KEYS_BYTES = 256;
const KEYS_MOST = 64;

/** Returns the processes that no chip shows, as the gateway takes them. */
export function hiddenProcesses(chips: readonly Chip[]): string {
  const keys = new Set(chips.filter((chip) => chip.not).flatMap((chip) => chip.any));
  let text = "";
  let count = 0;
  for (const key of [...keys].filter((one) => /^p:\d+$/.test(one)).sort())
    if (text.length + key.length + 1 <= KEYS_BYTES && count++ < KEYS_MOST) text += ` ${key}`;
  return text.slice(1);
}

/** Returns whether a process is shown, which may have no name yet. */
export function isProcessShown(chips: readonly Chip[], key: string, things: Things): boolean {
  const named = things.find(key);
  return isShown(
    chips,
    named ?? { ...parseKey(key), key, number: 0, label: "", implementation: "" },
  );
}

/**
 * Returns whether a key means a thing: the thing itself, its class, or its process (`owner` where
 * the tree says it).
 */
export function matches(key: string, thing: Thing, owner?: number): boolean {
  if (key === thing.key) return true;
  if (key.startsWith("k:"))
    return thing.className !== "" && (key === classKey(thing) || key === `k:${thing.className}`);
  if (!key.startsWith("p:")) return false;
  return [thing.pid, owner].some((pid) => pid !== undefined && key === `p:${pid}`);
}

/** Returns whether a thing's own numbers are shown. */
export function isShown(chips: readonly Chip[], thing: Thing | undefined, owner?: number): boolean {
  return chips.every((chip) => {
    const found = thing !== undefined && chip.any.some((key) => matches(key, thing, owner));
    return chip.not ? !found : found;
  });
}

export const chipTitle = (chip: Chip, things: Things): string =>
  `${chip.not ? "not" : "only"} ${chip.any
    .map((key) => {
      if (key === MONITOR) return "the monitor's own processes";
      return key.startsWith("p:") ? `process ${things.name(key)}` : things.name(key);
    })
    .join(" or ")}`;

export const sameChip = (a: Chip, b: Chip): boolean =>
  a.not === b.not && a.any.length === b.any.length && a.any.every((key, i) => key === b.any[i]);
