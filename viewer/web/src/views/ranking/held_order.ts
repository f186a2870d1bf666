// SPDX-License-Identifier: MIT
// Rows stay where they are while the pointer is over them.

import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { keepOrder } from "../../model/rows.ts";

/** The pointer is over the rows. */
export const pointed = signal(false);

export function useHeldOrder<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): readonly Row[] {
  const before = useRef<readonly string[]>([]);
  if (pointed.value) return keepOrder(rows, keyOf, before.current);
  before.current = rows.map(keyOf);
  return rows;
}
