// SPDX-License-Identifier: MIT
// The tree of objects and the heat of each part. A thing with parts is as hot as they are together.

import { FRAME_WHOLE, type FrameHeat, type FrameObjects } from "../wire/messages.ts";
import { type Chip, isShown } from "./filter.ts";
import type { Things } from "./things.ts";

export interface Node {
  thing: number;
  parent: number;
  /** Number of a string of the machine. */
  classString: number;
  reps: number;
  misses: number;
  children: number[];
  /** A process that somebody has started, no part of the system. */
  own: boolean;
  /** It stands in no scan, as code and processes that have ended. */
  apart?: boolean;
}

/** All things by number, in the order in which the machine was scanned. */
export class Tree {
  nodes = new Map<number, Node>();
  roots: number[] = [];
  /** All that have been `own`. They remain so when they have ended. */
  readonly #own = new Set<number>();

  /** Forgets all, for numbers that begin anew. */
  clear(): void {
    this.nodes.clear();
    this.roots = [];
    this.#own.clear();
  }

  add(frame: FrameObjects): void {
    const nodes = frame.head.flags & FRAME_WHOLE ? new Map<number, Node>() : this.nodes;
    for (let row = 0; row < frame.head.rows; row++) {
      if (frame.own[row]) this.#own.add(frame.thing[row]);
      nodes.set(frame.thing[row], {
        thing: frame.thing[row],
        parent: frame.parent[row],
        classString: frame.class[row],
        reps: frame.reps[row],
        misses: frame.misses[row],
        children: [],
        own: frame.own[row] === 1,
      });
    }
    this.nodes = nodes;
    this.#link();
  }

  /**
   * Takes in what has heat and stands in no scan: processes that have ended, the code of processes
   * at work for no object, the idle loop.
   */
  takeApart(heat: HeatTable, things: Things): void {
    let changed = false;
    for (const node of this.nodes.values())
      if (node.apart && !heat.rows.has(node.thing)) changed = this.nodes.delete(node.thing);
    const machine = this.roots.find((root) => things.get(root)?.kind === "machine") ?? 0;
    for (const thing of heat.rows.keys()) {
      const { kind, pid } = things.get(thing) ?? {};
      if (this.nodes.has(thing) || !kind || !["process", "code", "idle"].includes(kind)) continue;
      const parent = kind === "code" ? (things.find(`p:${pid}`)?.number ?? 0) : machine;
      this.nodes.set(thing, {
        thing,
        parent,
        classString: 0,
        reps: 0,
        misses: 0,
        children: [],
        own: this.#own.has(thing),
        apart: true,
      });
      changed = true;
    }
    if (changed) this.#link();
  }

  // A thing whose parent is missing, or a circle, becomes a root, so that nothing is left out.
  #link(): void {
    this.roots = [];
    for (const node of this.nodes.values()) node.children = [];
    for (const node of this.nodes.values()) {
      const parent = this.nodes.get(node.parent);
      if (parent && !this.#isAbove(node.thing, parent)) parent.children.push(node.thing);
      else this.roots.push(node.thing);
    }
  }

  #isAbove(thing: number, below: Node): boolean {
    let at: Node | undefined = below;
    for (let steps = 0; at; steps++) {
      if (at.thing === thing || steps > this.nodes.size) return true;
      at = this.nodes.get(at.parent);
    }
    return false;
  }
}

export interface Heat {
  value: number;
  error: number;
  samples: number;
  /** Percent of all that is not idle, with half the width of its 99 % interval. */
  share: number;
  shareError: number;
}

/** As the gateway says it of a thing itself, and of it with all that is below it. */
export interface SaidHeat extends Heat {
  sumShare: number;
  sumShareError: number;
}

/** The heat of things, as the gateway says it. */
export class HeatTable {
  readonly rows = new Map<number, SaidHeat>();

  add(frame: FrameHeat): void {
    if (frame.head.flags & FRAME_WHOLE) this.rows.clear();
    for (let row = 0; row < frame.head.rows; row++)
      this.rows.set(frame.thing[row], {
        value: frame.value[row],
        error: frame.error[row],
        samples: frame.samples[row],
        share: frame.share[row],
        shareError: frame.share_error[row],
        sumShare: frame.sum_share[row],
        sumShareError: frame.sum_share_error[row],
      });
  }
}

/**
 * Adds parts: values and shares add up, errors as the root of their squares. That is never too
 * little for shares: where one part has more samples, others have fewer.
 */
function addHeat(sum: Heat, part: Heat): void {
  sum.value += part.value;
  sum.error = Math.hypot(sum.error, part.error);
  sum.samples += part.samples;
  sum.share += part.share;
  sum.shareError = Math.hypot(sum.shareError, part.shareError);
}

const none = (): Heat => ({ value: 0, error: 0, samples: 0, share: 0, shareError: 0 });

/** What the filter shows, and what it hides. */
interface Parted {
  shown: Heat;
  gone: Heat;
}
const nothing: Parted = { shown: none(), gone: none() };

export interface Heats {
  /** With all that is below. Things without heat are not in it. */
  sums: Map<number, Heat>;
  /** What is shown in all, and what the filter hides. */
  total: Heat;
  hidden: Heat;
  /** Both together: what shares are of. The idle loop is not in it, and has a part of the time. */
  all: Heat;
  idle: Heat;
  /** Shown things, with all above them. Undefined: everything. */
  visible: Set<number> | undefined;
}

/**
 * Adds to each thing the heat of all that is below it. The gateway tells the heat of each object,
 * and the sums of the machine, of processes and of their two sides. The part of a sum that is not
 * in its objects is that of code outside of them.
 */
export function sumHeat(
  tree: Tree,
  heat: HeatTable,
  things: Things,
  chips: readonly Chip[],
): Heats {
  const sums = new Map<number, Heat>();
  const visible = chips.length > 0 ? new Set<number>() : undefined;

  const idle = none();
  const visit = (number: number, owner: number | undefined): Parted => {
    const said = heat.rows.get(number);
    if (said && things.get(number)?.kind === "idle") {
      addHeat(idle, said);
      if (isShown(chips, things.get(number))) visible?.add(number);
      return nothing;
    }
    const children = tree.nodes.get(number)?.children ?? [];
    if (!said && !visible && children.length === 0) return nothing; // as most things are
    const thing = things.get(number);
    // For things that are no objects, the gateway tells the sum.
    const isSum = thing !== undefined && thing.kind !== "object";
    const owned = thing?.kind === "process" ? thing.pid : owner;
    const shown = none();
    const gone = none();
    for (const child of children) {
      const part = visit(child, owned);
      if (part === nothing) continue;
      addHeat(shown, part.shown);
      addHeat(gone, part.gone);
    }
    const show = isShown(chips, thing, owned);
    if (said) {
      const below = none();
      addHeat(below, shown);
      addHeat(below, gone);
      const own = isSum ? less(said, below) : said;
      const whole = gone.value === 0 && show;
      if (isSum && whole)
        Object.assign(shown, said, { samples: Math.max(said.samples, below.samples) });
      else addHeat(show ? shown : gone, own);
      if (whole) Object.assign(shown, { share: said.sumShare, shareError: said.sumShareError });
    }
    if (visible && (show || children.some((child) => visible.has(child)))) visible.add(number);
    if (said || shown.value > 0) sums.set(number, shown);
    return { shown, gone };
  };

  const total = none();
  const hidden = none();
  for (const root of tree.roots) {
    const part = visit(root, undefined);
    addHeat(total, part.shown);
    addHeat(hidden, part.gone);
  }
  const all = none();
  addHeat(all, total);
  addHeat(all, hidden);
  return { sums, total, hidden, all, idle, visible };
}

function less(all: Heat, below: Heat): Heat {
  const samples = Math.max(0, all.samples - below.samples);
  const value = Math.max(0, all.value - below.value);
  // Counts of samples scatter by their root, so the error shrinks with the root of what is left.
  const part = all.samples > 0 ? Math.sqrt(samples / all.samples) : 1;
  return {
    value,
    error: all.error * part,
    samples,
    share: Math.max(0, all.share - below.share),
    shareError: all.shareError * part,
  };
}
