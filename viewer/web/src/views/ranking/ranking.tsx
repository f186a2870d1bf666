// SPDX-License-Identifier: MIT
// Objects, classes or processes by their part of a measure, and how it changed since the baseline;
// functions are in functions.tsx.

import type { JSX } from "preact";
import { UNKNOWN, count, percent, plusMinus, scaled, signed } from "../../base/number.ts";
import { csv } from "../../base/text.ts";
import { isShown } from "../../model/filter.ts";
import * as store from "../../model/store.ts";
import { type Thing, nameOf } from "../../model/things.ts";
import { RANKED_BY } from "../../model/views.ts";
import type { FrameRanking } from "../../wire/messages.ts";
import { HeatBar } from "../../widgets/heat_bar.tsx";
import { VirtualList, rowPlace } from "../../widgets/list.tsx";
import { NothingToShow, measureTrouble } from "../frame/trouble.tsx";
import { useHides } from "../hides.ts";
import { kovCommand } from "../kov.ts";
import { useGives } from "../use_gives.ts";
import { useTopic } from "../use_topic.ts";
import { ByChoice } from "./by_choice.tsx";
import { FunctionRanking } from "./functions.tsx";
import { pointed, useHeldOrder } from "./held_order.ts";

interface Ranked {
  thing: Thing | undefined;
  /** The row of all that has no row of its own. */
  rest: boolean;
  /** The idle loop. Its share is of the time. */
  idle: boolean;
  rank: number;
  samples: number;
  events: number;
  error: number;
  share: number;
  shareError: number;
  before: number;
  change: number;
  changeError: number;
  chance: boolean;
}

function rowsOf(frame: FrameRanking | undefined): Ranked[] {
  const things = store.things.value;
  const rows: Ranked[] = [];
  let rank = 0;
  for (let i = 0; frame && i < frame.head.rows; i++) {
    const rest = frame.thing[i] === 0;
    const thing = things.get(frame.thing[i]);
    const idle = thing?.key === "k:[idle]";
    rows.push({
      thing,
      rest,
      idle,
      rank: rest || idle ? 0 : ++rank,
      samples: frame.samples[i],
      events: frame.events[i],
      error: frame.error[i],
      share: frame.share[i],
      shareError: frame.share_error[i],
      before: frame.before[i],
      change: frame.change[i],
      changeError: frame.change_error[i],
      chance: frame.chance[i] !== 0,
    });
  }
  return rows;
}

export const Ranking = (): JSX.Element =>
  store.rankedBy.value === "function" ? (
    <FunctionRanking />
  ) : (
    <ThingRanking by={store.rankedBy.value} />
  );

const keyOf = (row: Ranked): string => row.thing?.key ?? "";

function ThingRanking({ by }: { by: "object" | "class" | "process" }): JSX.Element {
  const measure = store.measure.value;
  const baseline = store.baseline.value;
  const topic = useTopic(
    measure
      ? {
          kind: "ranking",
          measure,
          by,
          ...store.rangeWish.value,
          ...(baseline ? { base_from: baseline.from, base_to: baseline.to } : {}),
        }
      : undefined,
  );
  const all = rowsOf(topic?.ranking);
  const chips = store.chips.value;
  const rows = useHeldOrder(
    all.filter((one) => one.rest || isShown(chips, one.thing)),
    keyOf,
  );
  const sum = (some: readonly Ranked[]): number =>
    some.reduce((total, one) => total + (one.rank ? one.samples : 0), 0);
  useHides(sum(all) - sum(rows), sum(all));
  const chosen = rows.findIndex((one) => one.thing?.key === store.selection.value);
  const choose = (index: number): void => {
    const key = rows[index].thing?.key;
    if (key) store.selection.value = key;
  };
  useGives({
    csv: () => ({
      name: `${store.machine.value}-ranking-${by}-${measure}.csv`,
      text: rankingAsCsv(rows),
    }),
    kov: () => kovCommand("ranking", measure),
  });
  const title = RANKED_BY.find((one) => one.by === by)?.title ?? "";
  return (
    <section class="view" aria-label="Ranking">
      <div class="tools">
        <ByChoice />
        {baseline === undefined ? (
          <span class="dim">B makes this range the baseline: then each row shows its change</span>
        ) : (
          <span class="dim">
            change since the baseline, shown as such where chance makes one like it in less than 1
            of 100 cases (Fisher's exact test)
          </span>
        )}
      </div>
      {measureTrouble(measure, topic, sum(all), all.length)}
      <VirtualList
        label={`Ranking of ${title} by ${measure}`}
        role="grid"
        count={rows.length}
        columns={baseline ? 11 : 7}
        chosen={chosen}
        choose={choose}
        onKey={(key) => {
          if (key !== "Enter") return false;
          store.inspectorOpen.value = true;
          return true;
        }}
        onPointer={(inside) => {
          pointed.value = inside;
        }}
        rowId={(index) => `rank-${index}`}
        header={<Head title={title} compares={baseline !== undefined} />}
        row={(index) => (
          <RankRow
            key={rows[index].thing?.key ?? "rest"}
            index={index}
            row={rows[index]}
            measure={measure}
            compares={baseline !== undefined}
            chosen={index === chosen}
            choose={choose}
          />
        )}
      />
      {rows.length === 0 && <NothingToShow what={title} topic={topic} />}
    </section>
  );
}

const rowClass = (compares: boolean): string => (compares ? "rank-row compares" : "rank-row");

function Head(props: { title: string; compares: boolean }): JSX.Element {
  const names = ["#", props.title, "", "share", "99 %", "samples", "events"];
  if (props.compares) names.push("before", "change", "99 %", "");
  return (
    <div class={`${rowClass(props.compares)} list-head`} role="row" aria-rowindex={1}>
      {names.map((name, i) => (
        <span key={i} role="columnheader" class={i === 1 || name === "" ? undefined : "number"}>
          {name}
        </span>
      ))}
    </div>
  );
}

function RankRow(props: {
  index: number;
  row: Ranked;
  measure: string;
  compares: boolean;
  chosen: boolean;
  choose: (index: number) => void;
}): JSX.Element {
  const { row } = props;
  const key = row.thing?.key ?? "";
  return (
    <div
      class={`${rowClass(props.compares)} row${props.chosen ? " chosen" : ""}`}
      role="row"
      id={`rank-${props.index}`}
      style={rowPlace(props.index)}
      data-key={key || "rest"}
      aria-rowindex={props.index + 2}
      aria-selected={props.chosen}
      onClick={() => props.choose(props.index)}
    >
      <span role="gridcell" class="number dim">
        {row.rank || "–"}
      </span>
      <span role="gridcell">
        {row.rest ? <span class="dim">in no row: lost or missed</span> : <Name thing={row.thing} />}
      </span>
      <span role="gridcell">
        {row.idle && <span class="dim">of the time</span>}
        {row.rank > 0 && (
          <HeatBar thing={key} label={props.measure} value={row.share} whole={100} />
        )}
      </span>
      <span role="gridcell" class="number">
        {percent(row.share)}
      </span>
      <span role="gridcell" class="number dim">
        {plusMinus(row.shareError)}
      </span>
      <span role="gridcell" class="number">
        {row.samples > 0 ? count(row.samples) : ""}
      </span>
      <span role="gridcell" class="number">
        {scaled(row.events)}
      </span>
      {props.compares && <Change row={row} />}
    </div>
  );
}

function Name({ thing }: { thing: Thing | undefined }): JSX.Element {
  if (!thing) return <span>{UNKNOWN}</span>;
  const process = store.things.value.processName(thing.pid);
  return (
    <>
      {nameOf(thing)}{" "}
      {thing.kind === "object" && (
        <span class="dim" title={thing.implementation}>
          of {process}
        </span>
      )}
      {thing.kind === "process" && <span class="dim">pid {thing.pid}</span>}
    </>
  );
}

/** Shows a change only if the gateway's exact test says that it is hardly chance. */
function Change({ row }: { row: Ranked }): JSX.Element {
  const known = !Number.isNaN(row.change) && !row.rest;
  const certain = known && !row.chance && row.change !== 0;
  const direction = row.change > 0 ? "more" : "less";
  return (
    <>
      <span role="gridcell" class="number">
        {known ? percent(row.before) : UNKNOWN}
      </span>
      <span role="gridcell" class={certain ? `number ${direction}` : "number"}>
        {known ? signed(row.change) : UNKNOWN}
      </span>
      <span role="gridcell" class="number dim">
        {known ? plusMinus(row.changeError) : ""}
      </span>
      <span role="gridcell" class={certain ? direction : "dim"}>
        {!known ? "" : !certain ? "could be chance" : row.change > 0 ? "▲ more" : "▼ less"}
      </span>
    </>
  );
}

const rankingAsCsv = (rows: readonly Ranked[]): string =>
  csv([
    [
      "rank",
      "key",
      "name",
      "process",
      "samples",
      "events",
      "error",
      "share_percent",
      "share_error",
      "before_percent",
      "change",
      "change_error",
      "could_be_chance",
    ],
    ...rows.map((row) => [
      row.rank,
      row.thing?.key ?? "",
      row.thing ? nameOf(row.thing) : "in no row",
      store.things.value.processName(row.thing?.pid),
      row.samples,
      row.events,
      row.error,
      row.share,
      row.shareError,
      row.before,
      row.change,
      row.changeError,
      Number.isNaN(row.change) ? "" : Number(row.chance),
    ]),
  ]);
