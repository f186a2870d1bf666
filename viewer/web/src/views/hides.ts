// SPDX-License-Identifier: MIT
// How much of the shown view the filter hides, or of how much the view is that cannot tell. NaN: no
// filter touches the view.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

export const hides = signal({ hidden: Number.NaN, all: Number.NaN, unit: "samples" });

/** Of a view that knows only what it shows. */
export const useShows = (all: number): void => useHides(Number.NaN, all);

export function useHides(hidden: number, all: number, unit = "samples"): void {
  useEffect(() => {
    hides.value = { hidden, all, unit };
  }, [hidden, all, unit]);
  useEffect(
    () => () => {
      hides.value = { hidden: Number.NaN, all: Number.NaN, unit };
    },
    [unit],
  );
}
