// SPDX-License-Identifier: MIT
// The buttons that say what the Ranking is of.

import type { JSX } from "preact";
import { rankedBy } from "../../model/store.ts";
import { RANKED_BY } from "../../model/views.ts";

export function ByChoice(): JSX.Element {
  return (
    <fieldset class="segments" aria-label="Ranking of">
      {RANKED_BY.map((one) => (
        <button
          type="button"
          key={one.by}
          aria-pressed={one.by === rankedBy.value}
          onClick={() => {
            rankedBy.value = one.by;
          }}
        >
          {one.title}
        </button>
      ))}
    </fieldset>
  );
}
