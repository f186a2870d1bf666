// SPDX-License-Identifier: MIT
// Metrics of the machine or of a part of it over time, and their values in marked intervals.

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { count, metric, percent } from "../../base/number.ts";
import { csv } from "../../base/text.ts";
import { type Interval, SECOND, clock, length } from "../../base/time.ts";
import {
  type IntervalMetric,
  METRICS,
  type Metric,
  leftOutWords,
  metricOf,
} from "../../model/metrics.ts";
import * as store from "../../model/store.ts";
import { nameOf, parseKey } from "../../model/things.ts";
import type { Subscription, Topic } from "../../model/topics.ts";
import { Points, type Summary, summarize } from "../../wire/columns.ts";
import { kovCommand } from "../kov.ts";
import { useGives } from "../use_gives.ts";
import { useTopic } from "../use_topic.ts";
import { Chart, MetricCells } from "./chart.tsx";

const scope = signal("m");
const MARKS_MOST = 12;
const noPoints = new Points();

interface Shown {
  metric: Metric;
  topic: Topic | undefined;
}

/** The table of metrics never changes, so the number of hooks is always the same. */
const useMetrics = (of: string): Shown[] =>
  METRICS.map((one) => ({
    metric: one,
    topic: useTopic({ kind: "metric", metric: one.name, of }),
  }));

export function Metrics(): JSX.Element {
  const shown = useMetrics(scope.value);
  const pictures = useRef(new Map<string, HTMLCanvasElement | null>());
  const intervals = markedIntervals();
  const ranged = useTopic({ kind: "metrics", of: scope.value, ...store.rangeSubscription.value });
  const said = useRef(new Map<string, Topic | undefined>());
  useGives({
    csv: () => ({
      name: `${store.machine.value}-metrics.csv`,
      text: metricsAsCsv(shown, intervals, said.current),
    }),
    image: () => [...pictures.current.values()].find((one) => one !== null) ?? undefined,
    kov: () => kovCommand("metrics"),
  });
  return (
    <section class="view scrolls" aria-label="Metrics">
      <div class="tools">
        <ScopeChoice />
        <span class="dim">band: 99 % error; hatched: unknown, too little was measured</span>
      </div>
      <div class="charts">
        {shown.map(({ metric: one, topic }, i) => (
          <Chart
            key={one.name}
            index={i}
            metric={one}
            of={scope.value}
            topic={topic}
            ranged={metricOf(ranged?.metrics, one.name, store.things.value)}
            take={(canvas) => pictures.current.set(one.name, canvas)}
          />
        ))}
      </div>
      <Intervals shown={shown} intervals={intervals} said={said.current} />
    </section>
  );
}

function ScopeChoice(): JSX.Element {
  const things = store.things.value;
  const cpus = store.machineState.value?.cpus ?? 0;
  const processes = [...things.all()].filter((one) => one.kind === "process");
  const selection = store.selection.value;
  const chosen = ["object", "class"].includes(parseKey(selection).kind) ? selection : "";
  const listed = new Set([
    "m",
    ...Array.from({ length: cpus }, (_, i) => `c:${i}`),
    ...processes.map((one) => one.key),
    chosen,
  ]);
  return (
    <label>
      of{" "}
      <select
        value={scope.value}
        onChange={(event) => {
          scope.value = event.currentTarget.value;
        }}
      >
        <option value="m">the machine</option>
        {Array.from({ length: cpus }, (_, i) => (
          <option key={`c:${i}`} value={`c:${i}`}>
            CPU {i}
          </option>
        ))}
        {chosen && <option value={chosen}>{things.name(chosen)} (selected)</option>}
        {processes.map((one) => (
          <option key={one.key} value={one.key}>
            {nameOf(one)}, pid {one.pid}
          </option>
        ))}
        {!listed.has(scope.value) && (
          <option value={scope.value}>{things.name(scope.value)}</option>
        )}
      </select>
    </label>
  );
}

interface Named extends Interval {
  name: string;
  /** The interval as a topic takes it. One that grows has no end. */
  subscription: { seconds?: number; from?: number; to?: number };
}

const keyOf = (one: Named): string => `${one.name} ${JSON.stringify(one.subscription)}`;

/** The range, the baseline, and workloads that ran, newest first. */
function markedIntervals(): Named[] {
  const range = store.rangeInterval.value;
  const baseline = store.baseline.value;
  const marks = store.marks.value
    .filter((one) => one.kind !== "gap")
    .map((one) => ({
      name: one.name,
      from: one.begin,
      to: Number.isNaN(one.end) ? store.now.value : one.end,
      subscription: Number.isNaN(one.end) ? { from: one.begin } : { from: one.begin, to: one.end },
    }))
    .reverse();
  const name = store.isLive.value ? "range, live" : "range";
  return [
    ...(range ? [{ ...range, name, subscription: store.rangeSubscription.value }] : []),
    ...(baseline ? [{ ...baseline, name: "baseline", subscription: { ...baseline } }] : []),
    ...marks.slice(0, MARKS_MOST),
  ];
}

function Intervals(props: {
  shown: readonly Shown[];
  intervals: readonly Named[];
  said: Map<string, Topic | undefined>;
}): JSX.Element {
  return (
    <table class="numbers">
      <caption>
        In intervals: the range, and what was marked. The average is of all that was counted there.
      </caption>
      <thead>
        <tr>
          <th scope="col">interval</th>
          <th scope="col" class="words-cell">
            metric
          </th>
          <th scope="col">min</th>
          <th scope="col">average</th>
          <th scope="col">99 %</th>
          <th scope="col">max</th>
          <th scope="col">seconds</th>
        </tr>
      </thead>
      {props.intervals.map((interval) => (
        <IntervalRows
          key={keyOf(interval)}
          shown={props.shown}
          interval={interval}
          said={props.said}
        />
      ))}
    </table>
  );
}

function IntervalRows(props: {
  shown: readonly Shown[];
  interval: Named;
  said: Map<string, Topic | undefined>;
}): JSX.Element {
  const { interval } = props;
  const subscription: Subscription = { kind: "metrics", of: scope.value, ...interval.subscription };
  const topic = useTopic(subscription);
  props.said.set(keyOf(interval), topic);
  return (
    <tbody>
      {props.shown.map((one, i) => {
        const { points, whole } = numbersOf(one, interval, topic);
        const isPercent = one.metric.percent;
        return (
          <tr key={one.metric.name} data-interval={interval.name} data-metric={one.metric.name}>
            {i === 0 && (
              <th scope="rowgroup" rowSpan={props.shown.length}>
                <button
                  type="button"
                  class="link"
                  title="Make it the range"
                  onClick={() => store.showInterval({ from: interval.from, to: interval.to })}
                >
                  {interval.name}
                </button>
                <div class="dim small">
                  {clock(interval.from)} – {clock(interval.to)},{" "}
                  {length(interval.to - interval.from)}
                </div>
              </th>
            )}
            <td class="words-cell">{one.metric.name}</td>
            <td>{metric(points.min, isPercent)}</td>
            <MetricCells value={whole.value} error={whole.error} isPercent={isPercent} />
            <td>{metric(points.max, isPercent)}</td>
            <td class="dim">
              {count(points.known)}
              {points.unknown > 0 && `, ${points.unknown} unknown`}
              {leftOutWords(whole) && <div class="small">{leftOutWords(whole)}</div>}
            </td>
          </tr>
        );
      })}
    </tbody>
  );
}

/** Its seconds one by one, and all of it together. */
function numbersOf(
  { metric: { name }, topic }: Shown,
  interval: Named,
  said: Topic | undefined,
): { points: Summary; whole: IntervalMetric } {
  return {
    points: summarize(topic?.points ?? noPoints, interval.from, interval.to),
    whole: metricOf(said?.metrics, name, store.things.value),
  };
}

const CSV_HEAD = [
  "interval",
  "from_s",
  "to_s",
  "metric",
  "min",
  "average",
  "error",
  "max",
  "known",
  "unknown",
  "cpus_left_out",
];

const metricsAsCsv = (
  shown: readonly Shown[],
  intervals: readonly Named[],
  said: ReadonlyMap<string, Topic | undefined>,
): string =>
  csv([
    CSV_HEAD,
    ...intervals.flatMap((interval) =>
      shown.map((one) => {
        const { points, whole } = numbersOf(one, interval, said.get(keyOf(interval)));
        return [
          interval.name,
          interval.from / SECOND,
          interval.to / SECOND,
          one.metric.name,
          points.min,
          whole.value,
          whole.error,
          points.max,
          points.known,
          points.unknown,
          whole.leftOut.join(" "),
        ];
      }),
    ),
  ]);

/** Says how many of the interval's seconds are not known. */
export function unknownWords(topic: Topic | undefined, interval: Interval | undefined): string {
  if (!topic || !interval) return "";
  if (topic.points.length === 0) return "nothing was measured yet";
  const sum = summarize(topic.points, interval.from, interval.to);
  if (sum.unknown === 0) return "";
  const part = percent((sum.unknown / (sum.unknown + sum.known)) * 100);
  return `unknown for ${part} of the range: too little was measured; a longer range helps`;
}
