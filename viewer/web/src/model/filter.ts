// SPDX-License-Identifier: MIT
// Chips "only" and "not". OR inside a chip, AND between chips. What matches is shown.

import { type Thing, type Things, classKey } from "./things.ts";

export interface Chip {
  not: boolean;
  /** Keys of things. */
  any: readonly string[];
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
    .map((key) => (key.startsWith("p:") ? `process ${things.name(key)}` : things.name(key)))
    .join(" or ")}`;

export const sameChip = (a: Chip, b: Chip): boolean =>
  a.not === b.not && a.any.length === b.any.length && a.any.every((key, i) => key === b.any[i]);
