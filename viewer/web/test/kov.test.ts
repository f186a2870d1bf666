// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { SECOND } from "../src/base/time.ts";
import * as store from "../src/model/store.ts";
import { kov, kovCommand, shellWord } from "../src/views/kov.ts";

test("a command names the machine that is shown", () => {
  assert.equal(kov("127.0.0.1:4243"), "kov --port 4243");
  assert.equal(kov("10.0.0.7:4242"), "kov --host 10.0.0.7 --port 4242");
  assert.equal(kov("a b;c:1"), "kov --host 'a b;c' --port 1");
  assert.equal(kov(""), "kov");
});

test("a command samples as it is sampled, of whom is selected", () => {
  store.statusSaid.value = { now: 100 * SECOND, events: [{ name: "larx", period: 10000 }] };
  assert.equal(
    kovCommand("ranking", "larx", "p:5"),
    "kov stat -e larx@10000 --per-object --pid 5 -d 10",
  );
  assert.equal(kovCommand("ranking", "drefs"), "kov stat -d 10");
  assert.equal(kovCommand("objects", ""), "kov objects");
  assert.equal(shellWord("a;b"), "'a;b'");
});
