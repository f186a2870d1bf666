// SPDX-License-Identifier: MIT
// Objects, classes or processes by their part of a measure, and how it changed since the baseline;
// functions are in functions.tsx.

import type { JSX } from "preact";
import {
  UNKNOWN,
  count,
  percent,
  plusMinus,
  scaled,
  signed,
  withError,
} from "../../base/number.ts";
import { csv } from "../../base/text.ts";
import { hiddenProcesses, isShown } from "../../model/filter.ts";
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
import { heldList, useHeldOrder } from "./held_order.ts";

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
  /** Events a second. */
  rate: number;
  rateBefore: number;
  rateChance: boolean;
}

/** Of all processes that the filter hides, with their objects and their code. */
const isHidden = (row: Ranked): boolean => row.thing?.key === "k:[hidden]";

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
      rank: rest || idle || thing?.key === "k:[hidden]" ? 0 : ++rank,
      samples: frame.samples[i],
      events: frame.events[i],
      error: frame.error[i],
      share: frame.share[i],
      shareError: frame.share_error[i],
      before: frame.before[i],
      change: frame.change[i],
      changeError: frame.change_error[i],
      chance: frame.chance[i] !== 0,
      rate: frame.rate[i],
      rateBefore: frame.rate_before[i],
      rateChance: frame.rate_chance[i] !== 0,
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
  const chips = store.shownChips.value;
  const without = hiddenProcesses(chips);
  const topic = useTopic(
    measure
      ? {
          kind: "ranking",
          measure,
          by,
          ...(without ? { without } : {}),
          ...store.rangeSubscription.value,
          ...(baseline ? { base_from: baseline.from, base_to: baseline.to } : {}),
        }
      : undefined,
  );
  const all = rowsOf(topic?.ranking);
  const rows = useHeldOrder(
    all.filter((one) => one.rest || (!isHidden(one) && isShown(chips, one.thing))),
    keyOf,
  );
  const sum = (some: readonly Ranked[]): number =>
    some.reduce((total, one) => total + (one.rest || one.idle ? 0 : one.samples), 0);
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
            of 100 cases: of the share by Fisher's exact test, of the rate by the exact test of two
            counts
          </span>
        )}
      </div>
      {measureTrouble(measure, topic, sum(all), all.length)}
      <VirtualList
        label={`Ranking of ${title} by ${measure}`}
        role="grid"
        count={rows.length}
        columns={baseline ? 13 : 7}
        chosen={chosen}
        choose={choose}
        {...heldList}
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

const isOfWords = (column: number, name: string): boolean =>
  column === 1 || name === "" || name.startsWith("of ");

function Head(props: { title: string; compares: boolean }): JSX.Element {
  const names = props.compares
    ? ["#", props.title, "", "share", "99 %", "samples", "before", "change", "99 %", "of the share"]
    : ["#", props.title, "", "share", "99 %", "samples", "events"];
  if (props.compares) names.push("per second", "before", "of the rate");
  return (
    <div class={`${rowClass(props.compares)} list-head`} role="row" aria-rowindex={1}>
      {names.map((name, i) => (
        <span key={i} role="columnheader" class={isOfWords(i, name) ? undefined : "number"}>
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
  const [share, within] = row.rest
    ? [percent(row.share), plusMinus(row.shareError)]
    : withError(row.share, row.shareError, percent);
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
          <HeatBar thing={key} label={props.measure} value={row.share} share={row.share} />
        )}
      </span>
      <span role="gridcell" class="number">
        {share}
      </span>
      <span role="gridcell" class="number dim">
        {within}
      </span>
      <span role="gridcell" class="number">
        {row.samples > 0 ? count(row.samples) : ""}
      </span>
      {props.compares ? (
        <Change row={row} />
      ) : (
        <span role="gridcell" class="number">
          {scaled(row.events)}
        </span>
      )}
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

/** Shows changes of the share and of the rate, as such only if the gateway's tests say so. */
function Change({ row }: { row: Ranked }): JSX.Element {
  const known = !Number.isNaN(row.change) && !row.rest;
  const rateKnown = Number.isFinite(row.rate) && Number.isFinite(row.rateBefore) && !row.rest;
  return (
    <>
      <span role="gridcell" class="number">
        {known ? percent(row.before) : UNKNOWN}
      </span>
      <span role="gridcell" class={`number ${known ? direction(row.change, row.chance) : ""}`}>
        {known ? signed(row.change) : UNKNOWN}
      </span>
      <span role="gridcell" class="number dim">
        {known ? plusMinus(row.changeError) : ""}
      </span>
      <Verdict of="share" known={known} change={row.change} chance={row.chance} />
      <span role="gridcell" class="number">
        {scaled(row.rate)}
      </span>
      <span role="gridcell" class="number">
        {rateKnown ? scaled(row.rateBefore) : UNKNOWN}
      </span>
      <Verdict
        of="rate"
        known={rateKnown}
        change={row.rate - row.rateBefore}
        chance={row.rateChance}
      />
    </>
  );
}

/** "": it could be chance. */
const direction = (change: number, chance: boolean): string =>
  chance || change === 0 ? "" : change > 0 ? "more" : "less";

const VERDICTS: Record<string, string> = { more: "▲ more", less: "▼ less" };

function Verdict(props: {
  of: "share" | "rate";
  known: boolean;
  change: number;
  chance: boolean;
}): JSX.Element {
  const which = direction(props.change, props.chance);
  const words = VERDICTS[which] ?? "could be chance";
  return (
    <span role="gridcell" data-change={props.of} class={props.known && which ? which : "dim"}>
      {props.known ? words : ""}
    </span>
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
      "per_second",
      "per_second_before",
      "rate_could_be_chance",
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
      row.rate,
      row.rateBefore,
      Number.isNaN(row.rateBefore) ? "" : Number(row.rateChance),
    ]),
  ]);
