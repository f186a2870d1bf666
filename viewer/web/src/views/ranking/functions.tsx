// SPDX-License-Identifier: MIT
// Functions by their part of a measure. One that is chosen has its callers and lines in the
// inspector.

import type { JSX } from "preact";
import { UNKNOWN, count, percent, plusMinus, scaled } from "../../base/number.ts";
import { csv } from "../../base/text.ts";
import {
  type RankedFunction,
  functionRows,
  functionsSubscription,
  isOfFunctions,
  rankedThing,
} from "../../model/functions.ts";
import * as store from "../../model/store.ts";
import { readSaidFunctions } from "../../wire/messages.ts";
import { HeatBar } from "../../widgets/heat_bar.tsx";
import { VirtualList, rowPlace } from "../../widgets/list.tsx";
import { NothingToShow, measureTrouble } from "../frame/trouble.tsx";
import { kovCommand } from "../kov.ts";
import { useShows } from "../hides.ts";
import { useGives } from "../use_gives.ts";
import { useTopic } from "../use_topic.ts";
import { ByChoice } from "./by_choice.tsx";
import { heldList, useHeldOrder } from "./held_order.ts";

const keyOf = (row: RankedFunction): string => `${row.rank > 0} ${row.function}`;

export function FunctionRanking(): JSX.Element {
  const measure = store.measure.value;
  const { of, ignores } = rankedThing(store.chips.value);
  const topic = useTopic(functionsSubscription(of, measure, store.rangeSubscription.value));
  const said = readSaidFunctions(topic?.data);
  const all = functionRows(said);
  const rows = useHeldOrder(all, keyOf);
  useShows(of === "m" ? Number.NaN : said.samples);
  const name = store.chosenFunction.value;
  const chosen = rows.findIndex(
    (one) => one.rank > 0 && one.function === name && store.selection.value === of,
  );
  const choose = (index: number): void => {
    if (rows[index].rank > 0) store.chooseFunction(rows[index].function, of);
  };
  useGives({
    csv: () => ({
      name: `${store.machine.value}-ranking-function-${measure}.csv`,
      text: functionsAsCsv(rows),
    }),
    kov: () => kovCommand("functions", measure),
  });
  return (
    <section class="view" aria-label="Ranking">
      <div class="tools">
        <ByChoice />
        <span class="dim">{scopeWords(of, ignores)}</span>
      </div>
      {measureTrouble(measure, topic, said.samples || 0, all.length)}
      <StackTrouble measure={measure} others={said.others} why={said.why} />
      <VirtualList
        label={`Ranking of functions by ${measure}`}
        role="grid"
        count={rows.length}
        columns={9}
        chosen={chosen}
        choose={choose}
        {...heldList}
        rowId={(index) => `function-${index}`}
        header={<Head />}
        row={(index) => (
          <FunctionRow
            key={keyOf(rows[index])}
            index={index}
            row={rows[index]}
            measure={measure}
            chosen={index === chosen}
            choose={choose}
          />
        )}
      />
      {rows.length === 0 && <NothingToShow what="functions" topic={topic} />}
    </section>
  );
}

function scopeWords(of: string, ignores: boolean): string {
  if (ignores) return "of the whole machine: functions know no filter but one thing alone";
  return of === "m"
    ? "of the machine; total: with the function anywhere in the stack"
    : `of ${store.things.value.name(of)}; total: with the function anywhere in the stack`;
}

interface Trouble {
  measure: string;
  others: number;
  why: string;
}

function StackTrouble(props: Trouble): JSX.Element | null {
  const { measure, others, why } = props;
  const counted = measure !== "" && !isOfFunctions(measure);
  const words = counted
    ? [`${measure} are counted by object, not by function.`]
    : [
        why && `Addresses stand for functions: ${why}.`,
        others > 0 &&
          `${count(others)} samples of the machine are in no row: no stack of them is known.`,
      ].filter(Boolean);
  return words.length === 0 ? null : (
    <div class="trouble" role="status">
      {words.join(" ")}
    </div>
  );
}

const HEADS = ["#", "function", "", "share", "99 %", "samples", "events", "total", "99 %"];

function Head(): JSX.Element {
  return (
    <div class="rank-row functions list-head" role="row" aria-rowindex={1}>
      {HEADS.map((name, i) => (
        <span key={i} role="columnheader" class={i === 1 || name === "" ? undefined : "number"}>
          {name}
        </span>
      ))}
    </div>
  );
}

function FunctionRow(props: {
  index: number;
  row: RankedFunction;
  measure: string;
  chosen: boolean;
  choose: (index: number) => void;
}): JSX.Element {
  const { row } = props;
  const isFunction = row.rank > 0;
  return (
    <div
      class={`rank-row functions row${props.chosen ? " chosen" : ""}`}
      role="row"
      id={`function-${props.index}`}
      style={rowPlace(props.index)}
      data-function={isFunction ? row.function : "rest"}
      aria-rowindex={props.index + 2}
      aria-selected={props.chosen}
      onClick={() => props.choose(props.index)}
    >
      <span role="gridcell" class="number dim">
        {row.rank || UNKNOWN}
      </span>
      <span role="gridcell" class={isFunction ? undefined : "dim"} title={row.function}>
        {row.function}
      </span>
      <span role="gridcell">
        {isFunction && (
          <HeatBar thing={row.function} label={props.measure} value={row.share} share={row.share} />
        )}
      </span>
      <span role="gridcell" class="number">
        {percent(row.share)}
      </span>
      <span role="gridcell" class="number dim">
        {isFunction && plusMinus(row.error)}
      </span>
      <span role="gridcell" class="number">
        {count(row.samples)}
      </span>
      <span role="gridcell" class="number">
        {scaled(row.events)}
      </span>
      <span role="gridcell" class="number">
        {percent(row.totalShare)}
      </span>
      <span role="gridcell" class="number dim">
        {isFunction && plusMinus(row.totalError)}
      </span>
    </div>
  );
}

const functionsAsCsv = (rows: readonly RankedFunction[]): string =>
  csv([
    [
      "rank",
      "function",
      "samples",
      "events",
      "share_percent",
      "share_error",
      "total_samples",
      "total_percent",
      "total_error",
    ],
    ...rows.map((row) => [
      row.rank,
      row.function,
      row.samples,
      row.events,
      row.share,
      row.error,
      row.totalSamples,
      row.totalShare,
      row.totalError,
    ]),
  ]);
