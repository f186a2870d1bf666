// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { SECOND } from "../src/base/time.ts";
import { COMMANDS, keyOf, runKey } from "../src/model/commands.ts";
import * as store from "../src/model/store.ts";

const event = (key: string, more: object = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
});

beforeEach(() => {
  store.goTo({ view: "objects" });
  store.dialog.value = "";
  store.statusSaid.value = {
    now: 100 * SECOND,
    events: [{ name: "larx" }, { name: "run-cycles" }],
  };
});

test("no key has two commands, no command two names", () => {
  const keys = COMMANDS.flatMap((one) => one.keys);
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(new Set(COMMANDS.map((one) => one.id)).size, COMMANDS.length);
});

test("keys are written as in the table; the browser's own are left to it", () => {
  assert.equal(keyOf(event("e")), "E");
  assert.equal(keyOf(event("O", { shiftKey: true })), "Shift+O");
  assert.equal(keyOf(event("k", { ctrlKey: true })), "Ctrl+K");
  assert.equal(keyOf(event("?", { shiftKey: true })), "?");
  assert.equal(keyOf(event(" ")), "Space");
  assert.equal(keyOf(event("Escape")), "Esc");
  for (const key of ["r", "w", "t", "c"]) assert.equal(keyOf(event(key, { ctrlKey: true })), "");
  assert.equal(keyOf(event("d", { altKey: true })), "");
});

test("digits change the view", () => {
  assert.ok(runKey("3", false));
  assert.equal(store.view.value, "ranking");
  assert.ok(!runKey("5", false), "a view that is not there");
  assert.equal(store.view.value, "ranking");
});

test("in a text field only leaving and finding act", () => {
  assert.ok(!runKey("3", true));
  assert.equal(store.view.value, "objects");
  assert.ok(runKey("Ctrl+K", true));
  assert.equal(store.dialog.value, "palette");
  assert.ok(runKey("Esc", true));
  assert.equal(store.dialog.value, "");
});

test("behind a dialog nothing changes", () => {
  store.dialog.value = "measure";
  assert.ok(!runKey("2", false));
  assert.equal(store.view.value, "objects");
});

test("Esc takes back dialog, baseline, selection, range, in this order, and never a filter", () => {
  store.selection.value = "o:0:12550";
  runKey("Shift+X", false);
  runKey("B", false);
  store.showInterval({ from: 20 * SECOND, to: 30 * SECOND });
  store.dialog.value = "help";
  const undone: string[] = [];
  for (let i = 0; i < 5; i++) {
    runKey("Esc", false);
    undone.push(
      [
        store.dialog.value,
        store.baseline.value && "baseline",
        store.selection.value,
        store.isLive.value ? "" : "range",
      ]
        .filter(Boolean)
        .join(" "),
    );
  }
  assert.deepEqual(undone, ["baseline o:0:12550 range", "o:0:12550 range", "range", "", ""]);
  assert.deepEqual(store.chips.value, [{ not: true, any: ["o:0:12550"] }]);
});

test("filters are of objects, classes and processes, and each once", () => {
  assert.ok(!runKey("Shift+O", false), "nothing is selected");
  store.selection.value = "c:1";
  assert.ok(!runKey("Shift+O", false), "a CPU");
  store.selection.value = "p:5";
  assert.ok(runKey("Shift+O", false));
  assert.ok(runKey("Shift+O", false));
  assert.deepEqual(store.chips.value, [{ not: false, any: ["p:5"] }]);
});

test("the strip holds so many pins and no more", () => {
  for (let i = 0; i < store.PINS_MOST + 2; i++) {
    store.selection.value = `o:0:${i}`;
    runKey("P", false);
  }
  assert.equal(store.pins.value.length, store.PINS_MOST);
  assert.ok(store.notices.value.some((one) => one.text.includes("pins")));
  store.selection.value = "o:0:0";
  runKey("P", false);
  assert.equal(store.pins.value.length, store.PINS_MOST - 1);
});

test("a range gets a mark with a name, which the same key takes away", () => {
  assert.ok(runKey("M", false));
  assert.equal(store.dialog.value, "mark");
  assert.ok(!store.isLive.value, "what is named stands still");
  const interval = store.rangeInterval.value;
  assert.ok(interval && store.addMark("first run", interval));
  store.dialog.value = "";
  assert.equal(store.marks.value.at(-1)?.name, "first run");
  store.showInterval({ from: 20 * SECOND, to: 30 * SECOND });
  for (let i = 1; i < store.MARKS_MOST; i++) assert.ok(store.addMark("", { from: i, to: i + 1 }));
  assert.ok(!store.addMark("one more", interval));
  runKey("Esc", false);
  store.showInterval(interval);
  runKey("M", false);
  assert.equal(store.dialog.value, "", "taken away");
  assert.ok(!store.marks.value.some((one) => one.name === "first run"));
});

test("holding fixes the range, and once more is live again", () => {
  runKey("Space", false);
  assert.deepEqual(store.range.value, { from: 90 * SECOND, to: 100 * SECOND });
  store.statusSaid.value = { now: 150 * SECOND };
  assert.equal(store.rangeInterval.value?.to, 100 * SECOND);
  runKey("Space", false);
  assert.equal(store.rangeInterval.value?.to, 150 * SECOND);
});

test("run cycles are the measure where they are sampled, else the first event that is", () => {
  assert.equal(store.measure.value, "run-cycles");
  store.statusSaid.value = { events: [{ name: "cycles" }, { name: "larx" }] };
  assert.equal(store.measure.value, "cycles");
  store.statusSaid.value = {};
  assert.equal(store.measure.value, "");
  store.chooseMeasure("drefs");
  assert.equal(store.measure.value, "drefs");
});

test("zooming keeps the newest time while it goes along, a time in sight while it is held", () => {
  store.zoomAxis(1 / 2);
  assert.equal(store.axisInterval.value.to, 100 * SECOND);
  assert.equal(store.axisInterval.value.to - store.axisInterval.value.from, 60 * SECOND);
  store.panAxis(-1 / 2);
  store.zoomAxis(1 / 2, 40 * SECOND);
  const shown = store.axisInterval.value;
  assert.equal(shown.to - shown.from, 30 * SECOND);
  assert.ok(shown.from <= 40 * SECOND && shown.to >= 40 * SECOND);
});

test("marks are gone through by keys", () => {
  store.marksSaid.value = {
    marks: [
      { name: "a", begin: 10 * SECOND, end: 20 * SECOND },
      { name: "b", begin: 40 * SECOND, end: 50 * SECOND },
    ],
  };
  runKey("[", false);
  assert.deepEqual(store.range.value, { from: 40 * SECOND, to: 50 * SECOND });
  runKey("[", false);
  assert.deepEqual(store.range.value, { from: 10 * SECOND, to: 20 * SECOND });
  runKey("]", false);
  assert.deepEqual(store.range.value, { from: 40 * SECOND, to: 50 * SECOND });
});
