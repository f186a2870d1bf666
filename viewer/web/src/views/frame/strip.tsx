// SPDX-License-Identifier: MIT
// The strip: metrics and pins over time. Dragging on it sets the range of everything below.

import type { JSX } from "preact";
import { UNKNOWN, metric, plusMinus, plusMinusPart, scaled, withError } from "../../base/number.ts";
import { type Interval, clock } from "../../base/time.ts";
import {
  type Box,
  drawGraph,
  drawTimeAxis,
  reduce,
  seriesColour,
  topOf,
} from "../../draw/graph.ts";
import { drawGap, drawInterval, fillInterval } from "../../draw/interval.ts";
import { readTheme } from "../../draw/theme.ts";
import { METRICS, findMetric, leftOutWords, metricOf } from "../../model/metrics.ts";
import type { Mark } from "../../model/said.ts";
import * as store from "../../model/store.ts";
import type { Subscription, Topic } from "../../model/topics.ts";
import { Points, summarize } from "../../wire/columns.ts";
import { Canvas, type Size } from "../../widgets/canvas.tsx";
import { scaledPixels } from "../../widgets/rem.ts";
import { drawCursor, moveCursor, pointAtCursor } from "../cursor.ts";
import { useDrag } from "../drag.ts";
import { useTopic } from "../use_topic.ts";

const ROW = scaledPixels(28);
const AXIS = scaledPixels(20);

export const subscriptionOf = (pin: store.Pin): Subscription =>
  pin.kind === "metric"
    ? { kind: "metric", metric: pin.name, of: pin.of }
    : { kind: "series", measure: pin.name, of: pin.of };

const FIRST: readonly store.Pin[] = METRICS.map((one) => ({
  kind: "metric",
  name: one.name,
  of: "m",
}));

interface StripRow {
  pin: store.Pin;
  topic: Topic | undefined;
  /** Metrics of the range. */
  ranged: Topic | undefined;
}

/** Rows by their place. Each has two hooks, so their number must not change. */
function useStripTopics(): StripRow[] {
  const shown = store.stripOpen.value ? [...FIRST, ...store.pins.value] : FIRST.slice(0, 2);
  const topics: StripRow[] = [];
  for (let i = 0; i < FIRST.length + store.PINS_MOST; i++) {
    const pin = shown[i];
    const topic = useTopic(pin ? subscriptionOf(pin) : undefined);
    const ranged = useTopic(
      pin?.kind === "metric"
        ? { kind: "metrics", of: pin.of, ...store.rangeSubscription.value }
        : undefined,
    );
    if (pin) topics.push({ pin, topic, ranged });
  }
  return topics;
}

const noPoints = new Points();

export function Strip(): JSX.Element {
  const rows = useStripTopics();
  const shown = store.axisInterval.value;
  const open = store.stripOpen.value;
  const drag = useDrag();
  const range = drag.preview ?? store.rangeInterval.value;
  const stale = store.isStale.value;
  // This draws it again when the theme changes.
  store.theme.value;

  const draw = (context: CanvasRenderingContext2D, size: Size): void => {
    const theme = readTheme();
    const width = Math.floor(size.width);
    const whole = { x: 0, y: 0, width, height: size.height };
    const below = open ? { ...whole, y: AXIS, height: size.height - AXIS } : whole;
    if (open) drawTimeAxis(context, { ...whole, height: AXIS }, shown, theme);
    const baseline = store.baseline.value;
    if (baseline) drawInterval(context, whole, shown, baseline, theme["series-4"]);
    for (const mark of store.marks.value) drawMark(context, below, shown, mark);
    if (range) drawInterval(context, whole, shown, range, theme.accent);
    context.fillStyle = theme.line;
    if (open) for (let i = 0; i < rows.length; i++) context.fillRect(0, AXIS + i * ROW, width, 1);
    rows.forEach(({ topic, pin }, i) => {
      const box = open
        ? { x: 0, y: AXIS + i * ROW + 4, width, height: ROW - 6 }
        : { x: 0, y: 4, width, height: size.height - 8 };
      if (!open && i > 0) return;
      const columns = reduce(topic?.points ?? noPoints, shown, width);
      const colour = stale ? theme.blocked : theme[seriesColour(indexOf(pin, i))];
      drawGraph(context, box, columns, topOf(columns), colour, theme);
    });
    drawCursor(context, below, shown, theme);
  };
  return (
    <section class={stale ? "strip stale" : "strip"} aria-label="Metrics over time">
      <div class="strip-names">
        {open && (
          <div class="strip-axis dim small">
            {store.cursor.value === undefined
              ? "mean of the range"
              : `at ${clock(store.cursor.value, 0)}`}
          </div>
        )}
        {rows.slice(0, open ? rows.length : 1).map((row) => (
          <StripName key={`${row.pin.kind} ${row.pin.name} ${row.pin.of}`} {...row} />
        ))}
      </div>
      <Canvas
        class="strip-graphs"
        label={`Metrics ${fromTo(shown)}${gapsIn(shown)}; drag to choose the range`}
        draw={draw}
        on={{
          ...drag.on,
          onKeyDown: (event) => moveCursor(rows[0]?.topic?.points ?? noPoints, event),
          style: { height: `${open ? AXIS + rows.length * ROW : ROW}px` },
        }}
      />
    </section>
  );
}

const fromTo = (one: Interval): string => `from ${clock(one.from, 0)} to ${clock(one.to, 0)}`;

const gapsIn = (shown: Interval): string =>
  store.marks.value
    .filter((one) => one.kind === "gap" && one.begin < shown.to && one.end > shown.from)
    .map((one) => `; no connection ${fromTo({ from: one.begin, to: one.end })}`)
    .join("");

const indexOf = (pin: store.Pin, row: number): number =>
  pin.kind === "metric" && pin.of === "m"
    ? Math.max(
        0,
        METRICS.findIndex((one) => one.name === pin.name),
      )
    : row;

function drawMark(context: CanvasRenderingContext2D, box: Box, shown: Interval, mark: Mark): void {
  const theme = readTheme();
  const interval = { from: mark.begin, to: Number.isNaN(mark.end) ? store.now.value : mark.end };
  const foot = { ...box, y: box.y + box.height - 3, height: 3 };
  if (mark.kind === "gap") drawGap(context, box, shown, interval, theme.lost);
  else fillInterval(context, foot, shown, interval, theme.accent);
}

/** Returns the value and its error at the cursor, else of the range. */
function shownValue(points: Points, { pin, ranged }: StripRow): { value: number; error: number } {
  const at = pointAtCursor(points, store.axisInterval.value);
  if (at >= 0) return { value: points.value[at], error: points.error[at] };
  if (store.cursor.value !== undefined) return { value: Number.NaN, error: Number.NaN };
  if (pin.kind === "metric") return metricOf(ranged?.metrics, pin.name, store.things.value);
  // A range that goes along ends at the newest point.
  const range = store.rangeInterval.value;
  const to = store.isLive.value ? undefined : range?.to;
  const sum = summarize(points, range?.from ?? 0, to ?? Number.MAX_VALUE);
  return { value: sum.mean, error: sum.error };
}

/** Shows what a row is of, its value, and the scale of its graph. */
function StripName(props: StripRow): JSX.Element {
  const { pin, topic, ranged } = props;
  const points = topic?.points ?? noPoints;
  const { value, error } = shownValue(points, props);
  const isKnown = !Number.isNaN(value);
  const isPercent = pin.kind === "metric" && (findMetric(pin.name)?.percent ?? false);
  const written = (one: number): string =>
    pin.kind === "metric" ? metric(one, isPercent) : `${scaled(one)}/s`;
  const behind = pin.kind === "metric" ? plusMinus : plusMinusPart;
  const [shown, within] = isKnown ? withError(value, error, written, behind) : [UNKNOWN, ""];
  const columns = reduce(points, store.axisInterval.value, 1);
  const of = pin.of === "m" ? "" : ` of ${store.things.value.name(pin.of)}`;
  const left = leftOutWords(metricOf(ranged?.metrics, pin.name, store.things.value));
  const title = [topic?.error || findMetric(pin.name)?.formula, left].filter(Boolean).join("; ");
  const pinned = pin.of !== "m" || pin.kind === "series";
  return (
    <div class="strip-name" title={title} data-metric={pin.name} data-of={pin.of}>
      <span class="dim strip-title">
        {pin.name}
        {of}
        {pinned && (
          <button
            type="button"
            class="plain"
            aria-label={`Take the pin ${pin.name}${of} away`}
            onClick={() => store.togglePin(pin)}
          >
            ×
          </button>
        )}
      </span>
      <span class="number">{shown}</span>
      <span class="number dim small">{within}</span>
      <span class="strip-scale number dim" title="The scale of the graph">
        {!Number.isNaN(columns.high[0]) && (
          <>
            <span>{written(topOf(columns))}</span>
            <span>0</span>
          </>
        )}
      </span>
    </div>
  );
}
