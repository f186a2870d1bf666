// SPDX-License-Identifier: MIT
// Functions of a thing: what the topic says, with the samples that are in none of its rows.

import type { SaidFunctionRow, SaidFunctions } from "../wire/messages.ts";
import type { Chip } from "./filter.ts";
import { COUNTED } from "./store.ts";
import { type ThingKind, parseKey } from "./things.ts";
import type { Subscription } from "./topics.ts";

/** A row of the list. rank 0: samples in no function's row, and `function` says why. */
export interface RankedFunction extends SaidFunctionRow {
  rank: number;
}

const KINDS: readonly ThingKind[] = ["machine", "cpu", "process", "object", "class", "code"];

/** Whether functions of it can be asked for. */
const hasFunctions = (key: string): boolean => KINDS.includes(parseKey(key).kind);

/** Calls and misses are counted where no stack is known. */
export const isOfFunctions = (measure: string): boolean =>
  measure !== "" && !COUNTED.includes(measure);

/** Returns what to watch. Undefined: nothing is known of functions. */
export function functionsSubscription(
  of: string,
  measure: string,
  range: { seconds?: number; from?: number; to?: number },
  name = "",
): Subscription | undefined {
  if (!hasFunctions(of) || !isOfFunctions(measure)) return undefined;
  return { kind: "functions", measure, of, ...(name ? { function: name } : {}), ...range };
}

/**
 * Returns the thing whose functions are ranked under a filter: that of the only chip, or the
 * machine. ignores: the filter says something else, of which the functions are not known.
 */
export function rankedThing(chips: readonly Chip[]): { of: string; ignores: boolean } {
  const [chip] = chips;
  const of = chip && chips.length === 1 && !chip.not && chip.any.length === 1 ? chip.any[0] : "m";
  return hasFunctions(of) && (of !== "m" || chips.length === 0)
    ? { of, ignores: false }
    : { of: "m", ignores: true };
}

const restRow = (why: string, samples: number): RankedFunction => ({
  function: why,
  rank: 0,
  samples,
  events: Number.NaN,
  share: Number.NaN,
  error: Number.NaN,
  totalSamples: Number.NaN,
  totalShare: Number.NaN,
  totalError: Number.NaN,
});

/** Returns the rows, and behind them the samples that are in none: all add up to `samples`. */
export function functionRows(said: SaidFunctions): RankedFunction[] {
  const told = said.rows.reduce((sum, row) => sum + row.samples, 0);
  const further = said.samples - told - said.unknown - said.pending;
  const rest = [
    restRow("in further functions", further),
    restRow("in no function that is known", said.unknown),
    restRow("being looked up", said.pending),
  ];
  return [
    ...said.rows.map((row, i) => ({ ...row, rank: i + 1 })),
    ...rest.filter((row) => row.samples > 0),
  ];
}
