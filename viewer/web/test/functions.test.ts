// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { functionRows, functionsSubscription, rankedThing } from "../src/model/functions.ts";
import * as store from "../src/model/store.ts";
import { readPlace, writePlace } from "../src/model/url.ts";
import { readSaidFunctions } from "../src/wire/messages.ts";

const row = (name: string, samples: number) => ({ function: name, samples, share: 1, error: 1 });

test("rows and the rest add up to all samples", () => {
  const said = { samples: 100, unknown: 7, pending: 3, rows: [row("a:b", 50), row("a:c", 20)] };
  const rows = functionRows(readSaidFunctions(said));
  assert.deepEqual(
    rows.map((one) => [one.rank, one.samples]),
    [
      [1, 50],
      [2, 20],
      [0, 20],
      [0, 7],
      [0, 3],
    ],
  );
  assert.ok(rows.slice(2).every((one) => Number.isNaN(one.share)));
});

test("nothing is left where all is in rows; what makes no sense is no row", () => {
  const said = { samples: 50, unknown: 0, pending: 0, rows: [row("a:b", 50)] };
  assert.equal(functionRows(readSaidFunctions(said)).length, 1);
  assert.deepEqual(functionRows(readSaidFunctions(undefined)), []);
  assert.deepEqual(functionRows(readSaidFunctions({ samples: "x", unknown: -1 })), []);
});

test("a filter of one thing alone is that thing's functions; another is told", () => {
  const only = (...any: string[]) => ({ not: false, any });
  assert.deepEqual(rankedThing([]), { of: "m", ignores: false });
  assert.deepEqual(rankedThing([only("p:5")]), { of: "p:5", ignores: false });
  for (const chips of [
    [only("p:5", "p:6")],
    [only("p:5"), only("p:6")],
    [{ not: true, any: ["p:5"] }],
    [only("i")],
  ])
    assert.deepEqual(rankedThing(chips), { of: "m", ignores: true });
});

test("functions are watched of what has some, by what is sampled", () => {
  const range = { seconds: 10 };
  assert.deepEqual(functionsSubscription("o:0:12", "larx", range), {
    kind: "functions",
    measure: "larx",
    of: "o:0:12",
    seconds: 10,
  });
  assert.equal(functionsSubscription("m", "drefs", range), undefined);
  assert.equal(functionsSubscription("i", "larx", range), undefined);
  assert.equal(functionsSubscription("m", "", range), undefined);
});

test("the chosen function is one of the selection, and goes with it", () => {
  store.goTo({ machine: "orrery" });
  assert.equal(store.chosenFunction.value, "");
  store.chooseFunction("kernel:panic"); // of nothing
  assert.equal(store.chosenFunction.value, "");
  store.chooseFunction("kernel:panic", "o:0:12");
  assert.equal(store.selection.value, "o:0:12");
  assert.equal(store.chosenFunction.value, "kernel:panic");
  store.selection.value = "p:5";
  assert.equal(store.chosenFunction.value, "");
  assert.doesNotMatch(writePlace(store.place.value), /fn=/);
  store.selection.value = "o:0:12"; // it comes back with its thing
  assert.equal(store.chosenFunction.value, "kernel:panic");
});

test("a link has the chosen function, and Escape leaves it before its thing", () => {
  store.goTo({ machine: "orrery" });
  store.chooseFunction("fs:main", "p:5");
  const link = writePlace(store.place.value);
  store.goTo({ machine: "orrery" });
  assert.equal(store.chosenFunction.value, "");
  store.goTo(readPlace(link));
  assert.deepEqual([store.selection.value, store.chosenFunction.value], ["p:5", "fs:main"]);
  store.stepBack();
  assert.deepEqual([store.selection.value, store.chosenFunction.value], ["p:5", ""]);
  store.stepBack();
  assert.equal(store.selection.value, "");
});

test("another machine has another's functions", () => {
  store.goTo({ machine: "orrery" });
  store.chooseFunction("fs:main", "p:5");
  store.chooseMachine("other");
  assert.equal(store.chosenFunction.value, "");
  store.selection.value = "p:5";
  assert.equal(store.chosenFunction.value, "");
});
