// SPDX-License-Identifier: MIT
// One metric over time with its scale. With T, its numbers as a table.

import type { JSX } from "preact";
import { UNKNOWN, metric as metricText, percent, withError } from "../../base/number.ts";
import { clock } from "../../base/time.ts";
import {
  drawGraph,
  drawTimeAxis,
  drawValueAxis,
  reduce,
  seriesColour,
  topOf,
} from "../../draw/graph.ts";
import { drawGap, drawInterval } from "../../draw/interval.ts";
import { readTheme } from "../../draw/theme.ts";
import { type IntervalMetric, type Metric, leftOutWords } from "../../model/metrics.ts";
import * as store from "../../model/store.ts";
import type { Topic } from "../../model/topics.ts";
import { Points } from "../../wire/columns.ts";
import { Canvas, type Size } from "../../widgets/canvas.tsx";
import { drawCursor, moveCursor, pointAtCursor } from "../cursor.ts";
import { useDrag } from "../drag.ts";
import { unknownWords } from "./metrics.tsx";

const LEFT = 52;
const BELOW = 18;
const noPoints = new Points();

export function Chart(props: {
  index: number;
  metric: Metric;
  of: string;
  topic: Topic | undefined;
  /** All of the range together. */
  ranged: IntervalMetric;
  take: (canvas: HTMLCanvasElement | null) => void;
}): JSX.Element {
  const { metric, topic } = props;
  const pin: store.Pin = { kind: "metric", name: metric.name, of: props.of };
  return (
    <figure class="chart" data-metric={metric.name}>
      <figcaption>
        <strong>{metric.name}</strong> <span class="dim small">{metric.formula}</span>
        {props.of !== "m" && (
          <button type="button" class="plain" onClick={() => store.togglePin(pin)}>
            {store.isPinned(pin) ? "unpin" : "pin"}
          </button>
        )}
      </figcaption>
      {store.asTable.value ? <PointTable {...props} /> : <Picture {...props} />}
      <div class="chart-words dim small" role="status">
        {topic?.error ||
          pointText(topic?.points ?? noPoints, metric) ||
          leftOutWords(props.ranged) ||
          unknownWords(topic, store.rangeInterval.value)}
      </div>
    </figure>
  );
}

function Picture(props: Parameters<typeof Chart>[0]): JSX.Element {
  const { metric, topic } = props;
  const points = topic?.points ?? noPoints;
  const shown = store.axisInterval.value;
  const drag = useDrag(LEFT);
  const range = drag.preview ?? store.rangeInterval.value;
  const stale = store.isStale.value;
  store.theme.value;

  const draw = (context: CanvasRenderingContext2D, size: Size): void => {
    const theme = readTheme();
    const width = Math.max(1, Math.floor(size.width - LEFT));
    const box = { x: LEFT, y: 6, width, height: size.height - BELOW - 6 };
    const columns = reduce(points, shown, width);
    const top = topOf(columns) * 1.05;
    drawValueAxis(context, box, top, 4, theme, (value) => String(Number(value.toPrecision(3))));
    for (const mark of store.marks.value) {
      const to = Number.isNaN(mark.end) ? store.now.value : mark.end;
      const interval = { from: mark.begin, to };
      if (mark.kind === "gap") drawGap(context, box, shown, interval, theme.lost);
      else drawInterval(context, box, shown, interval, theme["series-5"]);
    }
    if (range) drawInterval(context, box, shown, range, theme.accent);
    const colour = stale ? theme.blocked : theme[seriesColour(props.index)];
    drawGraph(context, box, columns, top, colour, theme);
    drawTimeAxis(context, { ...box, y: size.height - BELOW, height: BELOW }, shown, theme);
    drawCursor(context, box, shown, theme);
  };
  const [from, to] = [shown.from, shown.to].map((time) => clock(time, 0));
  return (
    <Canvas
      class="chart-picture"
      label={`${metric.name} from ${from} to ${to}; T shows a table`}
      draw={draw}
      take={props.take}
      on={{ ...drag.on, onKeyDown: (event) => moveCursor(points, event) }}
    />
  );
}

/** Returns the value at the cursor; "": there is no cursor. */
function pointText(points: Points, { percent: isPercent }: Metric): string {
  const at = pointAtCursor(points, store.axisInterval.value);
  if (at < 0) return store.cursor.value === undefined ? "" : "nothing measured at the cursor";
  const value = points.value[at];
  const written = (one: number): string => metricText(one, isPercent);
  const text = Number.isNaN(value)
    ? `${UNKNOWN} unknown`
    : withError(value, points.error[at], written).join(" ").trimEnd();
  return `${clock(points.time[at], 0)}: ${text}`;
}

/** Two cells of a table: a value and its error. */
export function MetricCells(props: {
  value: number;
  error: number;
  isPercent: boolean;
}): JSX.Element {
  const written = (one: number): string => metricText(one, props.isPercent);
  const [value, within] = Number.isNaN(props.value)
    ? [UNKNOWN, UNKNOWN]
    : withError(props.value, props.error, written);
  return (
    <>
      <td>{value}</td>
      <td class="dim">{within}</td>
    </>
  );
}

const TABLE_ROWS = 30;

/** Shows the newest points of the range. */
function PointTable(props: Parameters<typeof Chart>[0]): JSX.Element {
  const points = props.topic?.points ?? noPoints;
  const range = store.rangeInterval.value;
  const end = range ? points.find(range.to) : points.length;
  const begin = Math.max(range ? points.find(range.from) : 0, end - TABLE_ROWS);
  const rows = Array.from({ length: Math.max(0, end - begin) }, (_, i) => end - 1 - i);
  return (
    <table class="numbers">
      <thead>
        <tr>
          <th scope="col">time</th>
          <th scope="col">{props.metric.name}</th>
          <th scope="col">99 %</th>
          <th scope="col">measured</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((at) => (
          <tr key={points.time[at]}>
            <td>{clock(points.time[at], 0)}</td>
            <MetricCells
              value={points.value[at]}
              error={points.error[at]}
              isPercent={props.metric.percent}
            />
            <td class="dim">{percent(points.measured[at] * 100)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
