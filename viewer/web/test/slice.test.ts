// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { askArrows, told } from "../src/model/slice.ts";
import * as store from "../src/model/store.ts";

const slice: store.ChosenSlice = { line: "c:0", time: 7, from: 5, to: 9 };

test("another machine has another's slices", () => {
  store.goTo({ machine: "one" });
  store.slice.value = slice;
  store.chooseMachine("other");
  assert.equal(store.slice.value, undefined);
});

test("arrows that could not be had are asked for again", async () => {
  askArrows(slice);
  await new Promise((resolve) => setTimeout(resolve));
  assert.ok(told.value?.error, "there is no connection");
  askArrows(slice);
  assert.equal(told.value?.error, undefined);
});
