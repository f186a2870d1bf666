// SPDX-License-Identifier: MIT
// One line of words. It says what the numbers below are of, and what the filter hides.

import type { JSX } from "preact";
import { count, percent } from "../../base/number.ts";
import { type Interval, clock, length } from "../../base/time.ts";
import { chipTitle } from "../../model/filter.ts";
import * as store from "../../model/store.ts";
import { exact } from "../../model/window.ts";
import { hides } from "../hides.ts";

export function Words(): JSX.Element {
  const interval = store.rangeInterval.value;
  const shown = interval
    ? store.isTrace.value
      ? traceWords(interval)
      : `${length(interval.to - interval.from)}: ${clock(interval.from)} – ${clock(interval.to)}`
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
        {interval && store.isLive.value && !store.isTrace.value
          ? store.isStale.value
            ? "last "
            : "live "
          : ""}
        {shown}
      </button>
      {behind && !store.isTrace.value && (
        <button type="button" class="plain dim" title="Live again (Space)" onClick={store.hold}>
          {behind}
        </button>
      )}
      {store.isTrace.value ? <TraceEvents /> : <Measure />}
      <span class="words-rest" />
      <Baseline />
      <MonitorChoice />
      <Filter />
    </div>
  );
}

/** A range of a trace may be short: it is told as kov tells times of a trace. */
function traceWords(interval: Interval): string {
  if (store.isLive.value) return `all of the trace`;
  const time = interval.to - interval.from;
  return `${length(time)}: ${exact(interval.from, time)} – ${exact(interval.to, time)} s`;
}

function TraceEvents(): JSX.Element {
  const { traceEvents, lostPackets, discarded } = store.status.value;
  const lost = lostPackets > 0 || discarded > 0;
  return (
    <span class={lost ? "error" : "dim"}>
      of {count(traceEvents)} events
      {lost && `; lost: ${count(lostPackets)} packets, and ${count(discarded)} events`}
    </span>
  );
}

function Measure(): JSX.Element {
  return (
    <>
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
    </>
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

/** The chip that hides the monitor's own processes. Once it does, it stands in the filter. */
function MonitorChoice(): JSX.Element | null {
  if (store.hidesMonitor.value) return null;
  return (
    <button
      type="button"
      class="chip"
      title="Hide the monitor's own processes (Shift+H). Shares stay parts of the same whole"
      onClick={store.toggleMonitor}
    >
      hide the monitor
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
          ? Number.isNaN(all)
            ? "hides nothing in this view"
            : `leaves ${count(all)} ${hides.value.unit}`
          : `hides ${count(hidden)} of ${count(all)} ${hides.value.unit}${part}`}
      </span>
    </>
  );
}
