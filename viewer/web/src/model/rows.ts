// SPDX-License-Identifier: MIT
// The tree as rows of a list: what is open, in which order, and the place of each row.

import type { Heat, Tree } from "./tree.ts";
import type { Things } from "./things.ts";

export interface Row {
  thing: number;
  level: number;
  /** Its place among its siblings, from 1, and how many there are. */
  place: number;
  siblings: number;
  parts: number;
  open: boolean;
}

export interface Order {
  /** Heat that sorts siblings. Undefined: the order of the machine's scan. */
  heat: ReadonlyMap<number, Heat> | undefined;
}

/** Sorts by heat, the hottest first. Equal ones keep their order. */
export function sortChildren(children: readonly number[], order: Order): readonly number[] {
  const heat = order.heat;
  if (!heat) return children;
  const hot: { one: number; value: number }[] = [];
  const cold: number[] = [];
  for (const one of children) {
    const value = heat.get(one)?.value ?? 0;
    if (value > 0) hot.push({ one, value });
    else cold.push(one);
  }
  if (hot.length === 0) return children;
  hot.sort((a, b) => b.value - a.value);
  return [...hot.map(({ one }) => one), ...cold];
}

/** Moves what the user has started above what belongs to the system. */
function ownFirst(tree: Tree, siblings: readonly number[]): readonly number[] {
  const isOwn = (one: number): boolean => tree.nodes.get(one)?.own === true;
  if (!siblings.some(isOwn)) return siblings;
  return [...siblings.filter(isOwn), ...siblings.filter((one) => !isOwn(one))];
}

export function flatten(
  tree: Tree,
  isOpen: (thing: number) => boolean,
  order: Order,
  isHidden?: (thing: number) => boolean,
): Row[] {
  const rows: Row[] = [];
  const visit = (siblings: readonly number[], level: number): void => {
    const shown = isHidden ? siblings.filter((one) => !isHidden(one)) : siblings;
    ownFirst(tree, sortChildren(shown, order)).forEach((thing, i) => {
      const children = tree.nodes.get(thing)?.children ?? [];
      const open = children.length > 0 && isOpen(thing);
      rows.push({
        thing,
        level,
        place: i + 1,
        siblings: shown.length,
        parts: children.length,
        open,
      });
      if (open) visit(children, level + 1);
    });
  };
  visit(tree.roots, 1);
  return rows;
}

/**
 * Returns the things from the top down to the hottest one. They are opened, so nobody has to look
 * for it. Where the user's own processes have heat, the ways down to the hottest of all and to
 * theirs are returned.
 */
export function hottestPath(tree: Tree, heat: ReadonlyMap<number, Heat>): number[] {
  const own = [...tree.nodes.values()].filter((one) => one.own).map((one) => one.thing);
  return [...new Set([...pathBelow(tree, tree.roots, heat), ...pathBelow(tree, own, heat)])];
}

function pathBelow(
  tree: Tree,
  siblings: readonly number[],
  heat: ReadonlyMap<number, Heat>,
): number[] {
  const path: number[] = [];
  let level = siblings;
  while (level.length > 0) {
    const hottest = level.reduce((a, b) =>
      (heat.get(b)?.value ?? 0) > (heat.get(a)?.value ?? 0) ? b : a,
    );
    if (!((heat.get(hottest)?.value ?? 0) > 0)) break;
    path.push(hottest);
    level = tree.nodes.get(hottest)?.children ?? [];
  }
  return path;
}

/** Returns the things above a thing, the nearest first. */
export function above(tree: Tree, thing: number): number[] {
  const path: number[] = [];
  let node = tree.nodes.get(thing);
  while (node && tree.nodes.has(node.parent) && !path.includes(node.parent)) {
    path.push(node.parent);
    node = tree.nodes.get(node.parent);
  }
  return path;
}

/** Counts objects and processes for the head of the list. */
export function countKinds(tree: Tree, things: Things): { objects: number; processes: number } {
  let objects = 0;
  let processes = 0;
  for (const number of tree.nodes.keys()) {
    const kind = things.get(number)?.kind;
    if (kind === "object") objects++;
    else if (kind === "process") processes++;
  }
  return { objects, processes };
}

/** Keeps rows in their former order. New ones come last, so nothing moves below the pointer. */
export function keepOrder<Item>(
  items: readonly Item[],
  key: (item: Item) => string,
  before: readonly string[],
): Item[] {
  const places = new Map(before.map((one, i) => [one, i]));
  const place = (item: Item): number => places.get(key(item)) ?? before.length;
  return [...items].sort((a, b) => place(a) - place(b));
}
