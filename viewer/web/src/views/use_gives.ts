// SPDX-License-Identifier: MIT
// What a view offers while it is shown: its numbers, its picture, its kov command.

import { useEffect } from "preact/hooks";
import { gives } from "../model/store.ts";

export function useGives(given: typeof gives): void {
  useEffect(() => {
    Object.assign(gives, { csv: undefined, image: undefined, kov: undefined }, given);
    return () => {
      Object.assign(gives, { csv: undefined, image: undefined, kov: undefined });
    };
  });
}
