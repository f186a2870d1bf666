// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import * as store from "../src/model/store.ts";
import { costTitle, costWords } from "../src/model/watching.ts";
import { readSaidWatching } from "../src/wire/messages.ts";

const said = {
  event: "instructions",
  seconds: 9.8,
  parts: [
    { name: "dci", pid: 4, value: 280000, error: 14000, bound: false },
    { name: "dci", pid: 3, bound: false },
    { name: "net", pid: 5, value: 80000, error: 20000, bound: true },
    { name: "idle", value: 0, error: 5000, bound: true },
  ],
};

test("what watching costs is said with its error, and where it is an upper bound", () => {
  const words = costWords(readSaidWatching(said));
  assert.match(words, /^watching: dci 280,000 ±5.0 %, net ≤ 80,000 ±25.0 %, /);
  assert.match(
    words,
    /, idle < 5,000 instructions\/s$/,
    "no sample: what chance may have left out",
  );
});

test("an unknown cost is no 0, and its reason is told", () => {
  const why = "neither instructions nor run cycles are sampled";
  const unknown = readSaidWatching({ why, parts: [{ name: "dci", pid: 4, bound: false }] });
  assert.equal(costWords(unknown), "watching: –");
  assert.equal(costTitle(unknown), why);
  assert.equal(costWords(readSaidWatching(undefined)), "watching: –");
  assert.notEqual(costTitle(readSaidWatching(undefined)), "");
});

test("the chip means the monitor's processes that there are; it stays with another machine", () => {
  store.chips.value = [{ not: true, any: ["p:9"] }];
  store.toggleMonitor();
  assert.ok(store.hidesMonitor.value);
  store.takeStatus({ watching: said });
  assert.deepEqual(store.shownChips.value[1].any, ["p:4", "p:3", "p:5"], "ended ones, too");
  store.chooseMachine("another");
  assert.deepEqual(store.chips.value, [{ not: true, any: ["monitor"] }]);
  assert.deepEqual(store.shownChips.value[0].any, [], "nothing is known of it yet");
  store.toggleMonitor();
  assert.deepEqual(store.chips.value, []);
});
