// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { above, countKinds, flatten, hottestPath, keepOrder } from "../src/model/rows.ts";
import {
  NOT_MONITOR,
  chipTitle,
  hiddenProcesses,
  isProcessShown,
  withMonitor,
} from "../src/model/filter.ts";
import { Things } from "../src/model/things.ts";
import { HeatTable, Tree, sumHeat } from "../src/model/tree.ts";
import { type FrameHeat, type FrameObjects, decodeFrame } from "../src/wire/messages.ts";
import { frame } from "./frames.mjs";

const things = new Things();
things.add({
  type: "names",
  machine: "orrery",
  first: 1,
  things: [
    ["m", "orrery", 0, 0],
    ["p:0", "kernel", 0, 0],
    ["o:0:10", "", 1, 0],
    ["o:0:20", "", 1, 0],
    ["p:4", "net", 0, 4],
    ["s:4", "in the kernel", 0, 4],
    ["o:0:30", "", 2, 0],
    ["o:4:40", "", 3, 4],
  ],
  first_string: 0,
  strings: ["", "Contended(Spin)", "Region(Anonymous)", "Buffer"],
});

const tree = new Tree();
tree.add(
  decodeFrame(
    frame("objects", 1, [
      [1, 0, 0, 0, 0],
      [2, 1, 0, 0, 0],
      [3, 2, 1, 1, 5],
      [4, 2, 1, 2, 7],
      [5, 1, 0, 0, 0],
      [6, 5, 0, 0, 0],
      [7, 6, 2, 1, 0],
      [8, 5, 3, 1, 0],
    ]),
  ) as FrameObjects,
);

// Own heat of objects; of net 2 samples outside of its objects.
const heat = new HeatTable();
const heatFrame = (rows: number[][], whole = true) =>
  decodeFrame(
    frame(
      "heat",
      2,
      rows.map(([thing, value, error, samples, ...shares]) => {
        const [share = 0, shareError = 0, sumShare = share, sumShareError = shareError] = shares;
        return [thing, samples, value, error, share, shareError, 0, 0, sumShare, sumShareError];
      }),
      { whole },
    ),
  ) as FrameHeat;
heat.add(
  heatFrame([
    [1, 1000, 100, 100],
    [2, 800, 90, 80],
    [3, 200, 45, 20],
    [4, 600, 77, 60],
    [5, 200, 45, 20],
    [6, 100, 32, 10],
    [7, 100, 32, 10],
    [8, 80, 28, 8],
  ]),
);

const all = { not: false, any: [] as string[] };
const sumsOf = (...chips: (typeof all)[]) => sumHeat(tree, heat, things, chips);

test("what has parts is as hot as they are, and processes as the gateway says", () => {
  const { sums, total, hidden } = sumsOf();
  assert.equal(total.samples, 100);
  assert.equal(hidden.samples, 0);
  assert.equal(sums.get(6)?.samples, 10, "in the kernel");
  assert.equal(sums.get(5)?.samples, 20, "net, with its own code");
  assert.equal(sums.get(5)?.error, 45);
  assert.equal(sums.get(2)?.value, 800);
});

const shared = new HeatTable();
shared.add(
  heatFrame([
    // thing, value, error, samples, then its own share and that with all below it
    [1, 1000, 100, 100, 100, 0],
    [2, 800, 90, 80, 80, 10],
    [3, 200, 45, 20, 20, 5, 80, 11],
    [4, 600, 77, 60, 60, 12],
    [5, 200, 45, 20, 20, 5],
    [6, 100, 32, 10, 10, 4],
    [7, 100, 32, 10, 10, 4],
    [8, 80, 28, 8, 8, 3],
  ]),
);

test("shares are the gateway's, of a thing with all that is below it", () => {
  const { sums, total } = sumHeat(tree, shared, things, []);
  for (const [thing, said] of shared.rows)
    assert.deepEqual(
      [sums.get(thing)?.share, sums.get(thing)?.shareError],
      [said.sumShare, said.sumShareError],
      `${thing}`,
    );
  assert.deepEqual([total.share, total.shareError], [100, 0], "the whole is the whole for sure");
});

test("what the filter leaves has the sum of the gateway's shares, with no smaller error", () => {
  const { sums, total, hidden } = sumHeat(tree, shared, things, [
    { not: false, any: ["o:0:20", "o:4:40"] },
  ]);
  const left = [...shared.rows.keys()].filter((one) =>
    ["o:0:20", "o:4:40"].includes(things.get(one)?.key ?? ""),
  );
  assert.equal(left.length, 2);
  const of = (one: number) => shared.rows.get(one) ?? assert.fail();
  assert.equal(total.share, of(left[0]).share + of(left[1]).share);
  assert.equal(total.shareError, Math.hypot(of(left[0]).shareError, of(left[1]).shareError));
  assert.ok(Math.abs(total.share + hidden.share - 100) < 1e-9);
  assert.equal(sums.get(left[0])?.share, of(left[0]).share, "a share stays what it was");
});

test("heat that is said again replaces, a part of it adds", () => {
  const table = new HeatTable();
  table.add(
    heatFrame([
      [1, 5, 1, 1],
      [2, 4, 1, 1],
    ]),
  );
  table.add(heatFrame([[2, 9, 1, 2]], false));
  assert.equal(table.rows.get(1)?.value, 5);
  assert.equal(table.rows.get(2)?.value, 9);
  table.add(heatFrame([[2, 1, 1, 1]]));
  assert.equal(table.rows.has(1), false);
});

test("a process that is hidden takes along what it has in the kernel", () => {
  const { sums, total, hidden, visible } = sumsOf({ not: true, any: ["p:4"] });
  assert.equal(hidden.samples, 20);
  assert.equal(total.samples, 80);
  assert.equal(sums.get(2)?.samples, 80);
  assert.ok(!visible?.has(5) && !visible?.has(7) && visible?.has(3));
});

test("only one object: all above it stays, and says its heat", () => {
  const { sums, total, hidden, visible } = sumsOf({ not: false, any: ["o:0:30"] });
  assert.equal(total.samples, 10);
  assert.equal(hidden.samples, 90);
  assert.deepEqual([...(visible ?? [])].sort(), [1, 5, 6, 7]);
  assert.equal(sums.get(5)?.samples, 10);
});

test("keys within a chip are alternatives, chips are all to be met", () => {
  assert.equal(sumsOf({ not: false, any: ["o:0:10", "o:0:30"] }).total.samples, 30);
  assert.equal(sumsOf({ not: false, any: ["k:Region(Anonymous)"] }).total.samples, 10);
  const both = sumsOf({ not: false, any: ["k:Contended"] }, { not: true, any: ["o:0:20"] });
  assert.equal(both.total.samples, 20);
});

test("rows are the open part of the tree, with level, place and number of siblings", () => {
  const open = new Set([1, 2]);
  const rows = flatten(tree, (one) => open.has(one), { heat: undefined });
  assert.deepEqual(
    rows.map((row) => [row.thing, row.level, row.place, row.siblings, row.parts, row.open]),
    [
      [1, 1, 1, 1, 2, true],
      [2, 2, 1, 2, 2, true],
      [3, 3, 1, 2, 0, false],
      [4, 3, 2, 2, 0, false],
      [5, 2, 2, 2, 2, false],
    ],
  );
});

test("siblings are sorted by heat, cold ones stay as they were", () => {
  const rows = flatten(tree, () => true, { heat: sumsOf().sums });
  assert.deepEqual(
    rows.map((row) => row.thing),
    [1, 2, 4, 3, 5, 6, 7, 8],
  );
});

test("the way to the hottest thing is found, and the way up", () => {
  assert.deepEqual(hottestPath(tree, sumsOf().sums), [1, 2, 4]);
  assert.deepEqual(hottestPath(tree, new Map()), []);
  assert.deepEqual(above(tree, 7), [6, 5, 1]);
  assert.deepEqual(countKinds(tree, things), { objects: 4, processes: 2 });
});

test("the user's own processes stand above the system's, also ended ones", () => {
  const both = new Tree();
  const scan = (...rows: number[][]) =>
    both.add(decodeFrame(frame("objects", 1, rows)) as FrameObjects);
  scan([1, 0, 0, 0, 0, 0], [2, 1, 0, 0, 0, 0], [4, 2, 0, 0, 0, 0], [5, 1, 0, 0, 0, 1]);
  const { sums } = sumHeat(both, heat, things, []);
  const order = (): number[] => flatten(both, () => true, { heat: sums }).map((row) => row.thing);
  assert.deepEqual(order(), [1, 5, 2, 4], "though the kernel is hotter");
  assert.deepEqual(hottestPath(both, sums), [1, 2, 4, 5], "the ways to both are open");
  scan([1, 0, 0, 0, 0, 0], [2, 1, 0, 0, 0, 0], [4, 2, 0, 0, 0, 0]);
  both.takeApart(heat, things);
  assert.deepEqual(order(), [1, 5, 2, 4]);
});

test("circles and parents that are missing lose nothing and end", () => {
  const odd = new Tree();
  odd.add(
    decodeFrame(
      frame("objects", 1, [
        [1, 2, 0, 0, 0],
        [2, 1, 0, 0, 0],
        [3, 99, 0, 0, 0],
        [4, 4, 0, 0, 0],
      ]),
    ) as FrameObjects,
  );
  const rows = flatten(odd, () => true, { heat: undefined });
  assert.deepEqual(rows.map((row) => row.thing).sort(), [1, 2, 3, 4]);
});

test("what is below the pointer stays, what is new comes behind", () => {
  const before = ["a", "b", "c"];
  assert.deepEqual(
    keepOrder(["d", "c", "a", "b"], (one) => one, before),
    ["a", "b", "c", "d"],
  );
});

test("names come in parts, classes first", () => {
  const fresh = new Things();
  const part = { type: "names", machine: "m", first: 1 } as const;
  fresh.add({ ...part, things: [], first_string: 1, strings: ["A"] });
  fresh.add({ ...part, things: [["o:1:10", "", 2, 0]], first_string: 2, strings: ["B"] });
  assert.equal(fresh.string(1), "A");
  assert.equal(fresh.get(1)?.className, "B");
});

test("numbers that begin anew are of other things", () => {
  const fresh = new Things();
  const names = (first: number, key: string) =>
    fresh.add({
      type: "names",
      machine: "m",
      first,
      things: [[key, "", 0, 0]],
      first_string: 1,
      strings: [],
    });
  names(1, "p:1");
  names(2, "p:2");
  assert.equal(fresh.get(1)?.key, "p:1");
  names(1, "p:9");
  assert.equal(fresh.find("p:1"), undefined);
  assert.equal(fresh.get(2), undefined);
});

test("names: class, implementation and address of an object", () => {
  const thing = things.find("o:0:20");
  assert.equal(thing?.className, "Contended");
  assert.equal(thing?.implementation, "Spin");
  assert.equal(things.name("o:0:20"), "Contended 0x20");
  assert.equal(things.name("p:4"), "net");
  assert.equal(things.name("o:7:0x99"), "0x99", "one that nobody named");
  assert.equal(things.processName(12), "process 12");
});

test("the ended, code without an object and the idle loop have rows; shares are of others", () => {
  const known = new Things();
  known.add({
    type: "names",
    machine: "orrery",
    first: 1,
    things: [
      ["m", "orrery", 0, 0],
      ["p:4", "net", 0, 4],
      ["o:4:40", "", 1, 4],
      ["n:4", "[none]", 0, 4],
      ["p:9", "sort", 0, 9],
      ["n:9", "[none]", 0, 9],
      ["i", "[idle]", 0, 0],
    ],
    first_string: 0,
    strings: ["", "Buffer"],
  });
  const scanned = new Tree();
  scanned.add(
    decodeFrame(
      frame("objects", 1, [
        [1, 0, 0, 0, 0],
        [2, 1, 0, 0, 0],
        [3, 2, 1, 1, 0],
      ]),
    ) as FrameObjects,
  );
  const table = new HeatTable();
  table.add(
    heatFrame([
      [1, 100, 26, 100],
      [2, 70, 21, 70],
      [3, 50, 18, 50],
      [4, 20, 11, 20],
      [5, 30, 14, 30],
      [6, 25, 13, 25],
      [7, 900, 77, 900],
    ]),
  );
  scanned.takeApart(table, known);
  scanned.takeApart(table, known); // changes nothing more
  assert.deepEqual(scanned.nodes.get(1)?.children, [2, 5, 7]);
  assert.deepEqual(scanned.nodes.get(2)?.children, [3, 4]);
  assert.deepEqual(scanned.nodes.get(5)?.children, [6]);
  const { sums, total, idle, all } = sumHeat(scanned, table, known, []);
  assert.deepEqual([total.samples, all.samples, idle.samples], [100, 100, 900]);
  assert.deepEqual([...sums].map(([thing, one]) => [thing, one.samples]).sort(), [
    [1, 100],
    [2, 70],
    [3, 50],
    [4, 20],
    [5, 30],
    [6, 25],
  ]);
  const filtered = sumHeat(scanned, table, known, [{ not: true, any: ["p:9"] }]);
  assert.deepEqual([filtered.total.samples, filtered.hidden.samples], [70, 30]);
  assert.equal(filtered.all.samples, 100, "a share stays what it was under a filter");
  // What has no heat any more goes.
  table.add(heatFrame([[1, 1, 1, 1]]));
  scanned.takeApart(table, known);
  assert.deepEqual([...scanned.nodes.keys()], [1, 2, 3]);
});

test("one chip hides the monitor's own processes, whatever their numbers are", () => {
  const chips = withMonitor([NOT_MONITOR, { not: false, any: ["k:Contended"] }], ["p:5", "p:9"]);
  assert.deepEqual(chips[0], { not: true, any: ["p:5", "p:9"] });
  assert.equal(isProcessShown([chips[0]], "p:5", things), false);
  assert.equal(isProcessShown([chips[0]], "p:9", things), false, "one that has no name yet");
  assert.equal(isProcessShown([chips[0]], "p:55", things), true);
  assert.equal(isProcessShown(withMonitor([NOT_MONITOR], []), "p:5", things), true);
  const { total, hidden, all } = sumsOf({ not: true, any: ["p:4"] });
  assert.ok(hidden.samples > 0);
  assert.equal(total.samples + hidden.samples, all.samples, "shares are of the same whole");
  assert.equal(all.samples, sumsOf().all.samples);
  assert.equal(chipTitle(NOT_MONITOR, things), "not the monitor's own processes");
});

test("the gateway is told which processes no chip shows", () => {
  const p = (pid: number): string => `p:${pid}`;
  assert.equal(hiddenProcesses([]), "");
  assert.equal(hiddenProcesses([{ not: false, any: ["p:4"] }]), "");
  assert.equal(
    hiddenProcesses([
      { not: true, any: ["p:7", "k:Region"] },
      { not: true, any: ["p:4", "p:7"] },
    ]),
    "p:4 p:7",
  );
  const many = Array.from({ length: 200 }, (_, i) => p(i));
  const told = hiddenProcesses([{ not: true, any: many }]);
  assert.ok(told.length <= 256 && told.split(" ").length <= 64);
});
