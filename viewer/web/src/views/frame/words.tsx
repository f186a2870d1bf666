// SPDX-License-Identifier: MIT
// One line of words. It says what the numbers below are of, and what the filter hides.

import type { JSX } from "preact";
import { count, percent } from "../../base/number.ts";
import { clock, length } from "../../base/time.ts";
import { chipTitle } from "../../model/filter.ts";
import * as store from "../../model/store.ts";
import { hides } from "../hides.ts";

export function Words(): JSX.Element {
  const interval = store.rangeInterval.value;
  const shown = interval
    ? `${length(interval.to - interval.from)}: ${clock(interval.from)} – ${clock(interval.to)}`
    : "no time yet";
  const behind =
    interval && !store.isLive.value && store.now.value > interval.to
      ? `${length(store.now.value - interval.to)} behind`
      : "";
  return (
    <div class="words">
      <span class="dim">shows</span>
      <button
        type="button"
        class="chip"
        title="Choose the range (R)"
        onClick={() => {
          store.dialog.value = "range";
        }}
      >
        {interval && store.isLive.value ? "live " : ""}
        {shown}
      </button>
      {behind && (
        <button type="button" class="plain dim" title="Live again (Space)" onClick={store.hold}>
          {behind}
        </button>
      )}
      <span class="dim">of</span>
      <button
        type="button"
        class="chip"
        title="Choose what is counted (E)"
        onClick={() => {
          store.dialog.value = "measure";
        }}
      >
        {store.measure.value || "nothing"} ▾
      </button>
      <span class="words-rest" />
      <Baseline />
      <Filter />
    </div>
  );
}

function Baseline(): JSX.Element | null {
  const baseline = store.baseline.value;
  if (!baseline) return null;
  return (
    <button
      type="button"
      class="chip"
      title="Take the baseline away (B)"
      onClick={() => {
        store.baseline.value = undefined;
      }}
    >
      baseline {clock(baseline.from)} – {clock(baseline.to)} ×
    </button>
  );
}

function Filter(): JSX.Element | null {
  const chips = store.chips.value;
  if (chips.length === 0) return null;
  const { hidden, all } = hides.value;
  const part = all > 0 ? ` (${percent((hidden / all) * 100)})` : "";
  return (
    <>
      <span class="dim">filter</span>
      {chips.map((chip) => (
        <button
          type="button"
          class="chip"
          key={chipTitle(chip, store.things.value)}
          title="Take this filter away"
          onClick={() => store.dropChip(chip)}
        >
          {chipTitle(chip, store.things.value)} ×
        </button>
      ))}
      <span class="dim" role="status">
        {Number.isNaN(hidden)
          ? "hides nothing in this view"
          : `hides ${count(hidden)} of ${count(all)} ${hides.value.unit}${part}`}
      </span>
    </>
  );
}
