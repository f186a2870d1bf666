// SPDX-License-Identifier: MIT
// A list of what the inspector tells of, by Enter. Rows stay where they are while the pointer is
// over them.

import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { keepOrder } from "../../model/rows.ts";
import { inspectorOpen } from "../../model/store.ts";

/** The pointer is over the rows. */
const pointed = signal(false);

export const heldList = {
  onKey: (key: string): boolean => {
    if (key !== "Enter") return false;
    inspectorOpen.value = true;
    return true;
  },
  onPointer: (inside: boolean): void => {
    pointed.value = inside;
  },
};

export function useHeldOrder<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): readonly Row[] {
  const before = useRef<readonly string[]>([]);
  if (pointed.value) return keepOrder(rows, keyOf, before.current);
  before.current = rows.map(keyOf);
  return rows;
}
