// SPDX-License-Identifier: MIT
// The tree of all objects, each with its heat. The hot one needs no click.

import { effect, signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { UNKNOWN, count, percent, scaled, withError } from "../../base/number.ts";
import { csv } from "../../base/text.ts";
import { type Row, above, countKinds, flatten, hottestPath } from "../../model/rows.ts";
import * as store from "../../model/store.ts";
import { type Thing, type Things, nameOf } from "../../model/things.ts";
import { type Heat, type Heats, sumHeat, Tree, HeatTable } from "../../model/tree.ts";
import { HeatBar } from "../../widgets/heat_bar.tsx";
import { VirtualList, rowPlace } from "../../widgets/list.tsx";
import { useHides } from "../hides.ts";
import { useGives } from "../use_gives.ts";
import { useTopic, versionOf } from "../use_topic.ts";
import { NothingToShow, measureTrouble } from "../frame/trouble.tsx";
import { kovCommand } from "../kov.ts";

/** What the user opened (true) or closed (false), by key. It outlives the view. */
const opened = signal<ReadonlyMap<string, boolean>>(new Map());
const sorted = signal(true);
/** The pointer is over the rows, so they keep their order. */
const pointed = signal(false);

effect(() => {
  store.machine.value;
  opened.value = new Map();
});

const setOpen = (keys: readonly string[], open: boolean): void => {
  const next = new Map(opened.value);
  for (const key of keys) next.set(key, open);
  opened.value = next;
};

const noTree = new Tree();
const noHeat = new HeatTable();

/** The machine, the kernel and the user's own processes are open at first. */
const isOpenAtFirst = (thing: Thing | undefined, own: boolean): boolean =>
  thing?.kind === "machine" || thing?.key === "p:0" || own;

export function Objects(): JSX.Element {
  const measure = store.measure.value;
  const objects = useTopic({ kind: "objects" });
  const heated = useTopic(
    measure ? { kind: "heat", measure, ...store.rangeSubscription.value } : undefined,
  );
  const things = store.things.value;
  const tree = objects?.tree ?? noTree;
  const table = heated?.heat ?? noHeat;

  const heats = useMemo(() => {
    tree.takeApart(table, things);
    return sumHeat(tree, table, things, store.shownChips.value);
  }, [
    versionOf(objects),
    versionOf(heated),
    tree,
    table,
    store.shownChips.value,
    store.thingsVersion.value,
  ]);
  const order = useOrder(heats);
  useHottest(tree, heats);

  const rows = useMemo(
    () => shownRows(tree, things, heats, order),
    [heats, order, opened.value, sorted.value],
  );
  const selected = things.find(store.selection.value)?.number;
  const chosen = rows.findIndex((row) => row.thing === selected);
  const reveal = useReveal(tree, selected, chosen);
  useGives({
    csv: () => ({
      name: `${store.machine.value}-objects-${measure || "none"}.csv`,
      text: rowsAsCsv(rows, heats),
    }),
    kov: () => kovCommand("objects", measure),
  });
  const unit = heats.total.samples + heats.hidden.samples > 0 ? "samples" : "a second";
  const part = unit === "samples" ? "samples" : "value";
  useHides(heats.hidden[part], heats.total[part] + heats.hidden[part], unit);

  const kinds = useMemo(
    () => countKinds(tree, things),
    [tree, versionOf(objects), store.thingsVersion.value],
  );
  const keyAt = (index: number): string => things.get(rows[index].thing)?.key ?? "";
  const choose = (index: number): void => {
    store.selection.value = keyAt(index);
  };
  const onKey = (key: string, index: number): boolean => {
    const row = rows[index];
    if (key === "ArrowLeft" && row.open) setOpen([keyAt(index)], false);
    else if (key === "ArrowLeft") {
      const parent = rows.findIndex((one) => one.thing === above(tree, row.thing)[0]);
      if (parent >= 0) choose(parent);
    } else if (key === "ArrowRight" && row.parts > 0 && !row.open) setOpen([keyAt(index)], true);
    else if (key === "ArrowRight" && row.open) choose(index + 1);
    else if (key === "Enter" && row.parts > 0) setOpen([keyAt(index)], !row.open);
    else if (key === "Enter") store.inspectorOpen.value = true;
    else return false;
    return true;
  };

  const trouble = measureTrouble(measure, heated, heats.total.samples, heats.total.value);
  return (
    <section class="view objects" aria-label="Objects">
      {trouble}
      <VirtualList
        label="Objects by process"
        role="treegrid"
        count={rows.length}
        columns={6}
        chosen={chosen}
        choose={choose}
        onKey={onKey}
        reveal={reveal}
        onPointer={(inside) => {
          pointed.value = inside;
        }}
        rowId={(index) => `object-${rows[index].thing}`}
        header={
          <div class="tree-row list-head" role="row" aria-rowindex={1}>
            <span role="columnheader">
              {count(kinds.objects)} objects of {count(kinds.processes)} processes
            </span>
            <span role="columnheader">{measure || "nothing sampled"}</span>
            <span
              role="columnheader"
              class="number"
              aria-sort={sorted.value ? "descending" : "none"}
            >
              <button
                type="button"
                class="plain"
                title="Sort by share, or leave the machine's order"
                onClick={() => {
                  sorted.value = !sorted.value;
                }}
              >
                share {sorted.value ? "▾" : ""}
              </button>
            </span>
            <span role="columnheader" class="number">
              99 %
            </span>
            <span role="columnheader" class="number">
              samples
            </span>
            <span role="columnheader" class="number">
              per second
            </span>
          </div>
        }
        row={(index) => (
          <TreeRow
            key={rows[index].thing}
            index={index}
            row={rows[index]}
            thing={things.get(rows[index].thing)}
            className={things.string(tree.nodes.get(rows[index].thing)?.classString ?? -1)}
            heat={heatOf(heats, things.get(rows[index].thing), rows[index].thing)}
            ended={tree.nodes.get(rows[index].thing)?.apart === true}
            measure={measure}
            chosen={index === chosen}
            choose={choose}
          />
        )}
      />
      {rows.length === 0 && <NothingToShow what="objects" topic={objects} />}
    </section>
  );
}

function shownRows(
  tree: Tree,
  things: Things,
  { visible }: Heats,
  order: ReadonlyMap<number, Heat>,
): Row[] {
  const isOpen = (number: number): boolean => {
    const thing = things.get(number);
    return (
      opened.value.get(thing?.key ?? "") ??
      isOpenAtFirst(thing, tree.nodes.get(number)?.own === true)
    );
  };
  const isHidden = visible && ((number: number) => !visible.has(number));
  return flatten(tree, isOpen, { heat: sorted.value ? order : undefined }, isHidden);
}

/** Returns the heat that sorts the rows. Rows below the pointer do not move. */
function useOrder(heats: Heats): ReadonlyMap<number, Heat> {
  const order = useRef<ReadonlyMap<number, Heat>>(heats.sums);
  if (!pointed.value || order.current.size === 0) order.current = heats.sums;
  return order.current;
}

/** Opens the way down to the hottest thing, once for each new one. */
function useHottest(tree: Tree, heats: Heats): void {
  useEffect(() => {
    const things = store.things.peek();
    const keys = hottestPath(tree, heats.sums)
      .map((number) => things.get(number)?.key ?? "")
      .filter((key) => key && !opened.peek().has(key));
    if (keys.length > 0) setOpen(keys, true);
  }, [tree, heats]);
}

/** Opens what is selected elsewhere, and scrolls to its row once it has one. */
function useReveal(tree: Tree, selected: number | undefined, row: number): number {
  const times = useRef(0);
  const shown = useRef("");
  if (shown.current !== store.selection.value && row >= 0) {
    shown.current = store.selection.value;
    times.current++;
  }
  useEffect(() => {
    if (selected === undefined) return;
    const things = store.things.peek();
    const keys = above(tree, selected).map((number) => things.get(number)?.key ?? "");
    const closed = keys.filter((key) => opened.peek().get(key) !== true);
    if (closed.length > 0) setOpen(closed, true);
  }, [tree, selected]);
  return times.current;
}

/** Returns a row's heat. The share of the idle loop is of the time. */
const heatOf = (heats: Heats, thing: Thing | undefined, number: number): Heat | undefined =>
  thing?.kind === "idle" ? heats.idle : heats.sums.get(number);

/** The rows as they are shown. */
function rowsAsCsv(rows: readonly Row[], heats: Heats): string {
  const things = store.things.value;
  return csv([
    ["key", "level", "class", "name", "share_percent", "error_percent", "samples", "per_second"],
    ...rows.map((row) => {
      const thing = things.get(row.thing);
      const heat = heatOf(heats, thing, row.thing);
      return [
        thing?.key ?? "",
        row.level,
        thing?.className ?? "",
        thing ? nameOf(thing) : "",
        heat?.share ?? 0,
        heat?.shareError ?? Number.NaN,
        heat?.samples ?? 0,
        heat?.value ?? 0,
      ];
    }),
  ]);
}

function TreeRow(props: {
  index: number;
  row: Row;
  thing: Thing | undefined;
  className: string;
  heat: Heat | undefined;
  ended: boolean;
  measure: string;
  chosen: boolean;
  choose: (index: number) => void;
}): JSX.Element {
  const { row, thing, heat } = props;
  const known = heat !== undefined && (heat.samples > 0 || heat.value > 0);
  const [share, within] = known ? withError(heat.share, heat.shareError, percent) : ["", UNKNOWN];
  const key = thing?.key ?? "";
  return (
    <div
      class={props.chosen ? "tree-row row chosen" : "tree-row row"}
      role="row"
      id={`object-${row.thing}`}
      style={rowPlace(props.index)}
      data-key={key}
      aria-rowindex={props.index + 2}
      aria-level={row.level}
      aria-posinset={row.place}
      aria-setsize={row.siblings}
      aria-expanded={row.parts > 0 ? row.open : undefined}
      aria-selected={props.chosen}
      onClick={() => props.choose(props.index)}
      onDblClick={() => row.parts > 0 && setOpen([key], !row.open)}
    >
      <span
        class="tree-name"
        role="gridcell"
        style={{ paddingLeft: `${8 + (row.level - 1) * 14}px` }}
      >
        <button
          type="button"
          class="twisty"
          tabIndex={-1}
          aria-hidden="true"
          onClick={(event) => {
            if (row.parts === 0) return;
            event.stopPropagation();
            setOpen([key], !row.open);
          }}
        >
          {row.parts === 0 ? "" : row.open ? "▾" : "▸"}
        </button>
        <ThingName thing={thing} className={props.className} ended={props.ended} />
      </span>
      <span role="gridcell">
        <HeatBar
          thing={key}
          label={props.measure}
          value={heat?.value ?? 0}
          share={heat?.share ?? 0}
        />
      </span>
      <span role="gridcell" class="number">
        {share}
      </span>
      <span role="gridcell" class="number dim">
        {within}
      </span>
      <span role="gridcell" class="number">
        {known && heat.samples > 0 ? count(heat.samples) : ""}
      </span>
      <span role="gridcell" class="number">
        {known ? scaled(heat.value) : ""}
      </span>
    </div>
  );
}

function ThingName(props: {
  thing: Thing | undefined;
  className: string;
  ended: boolean;
}): JSX.Element {
  const { thing } = props;
  if (!thing) return <span>{props.className || UNKNOWN}</span>;
  if (thing.kind === "object") {
    const [name, implementation] = thing.className
      ? [thing.className, thing.implementation]
      : [props.className || thing.label, ""];
    return (
      <span>
        {name}{" "}
        <span class="dim">
          {implementation ? `${implementation} · ` : ""}
          {thing.coid}
        </span>
      </span>
    );
  }
  return (
    <span>
      {nameOf(thing)} <span class="dim">{aside(thing, props.ended)}</span>
    </span>
  );
}

/** What stands behind the name of what is no object. */
function aside(thing: Thing, ended: boolean): string {
  if (thing.kind === "code") return "its code, at work for no object";
  if (thing.kind === "idle") return "of the time";
  return thing.kind === "process" ? `pid ${thing.pid}${ended ? ", ended" : ""}` : "";
}
