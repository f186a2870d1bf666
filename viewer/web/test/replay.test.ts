// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { SECOND } from "../src/base/time.ts";
import { runKey } from "../src/model/commands.ts";
import * as replay from "../src/model/replay.ts";
import * as store from "../src/model/store.ts";
import type { GatewayMachine } from "../src/wire/messages.ts";

const STATE: GatewayMachine = {
  type: "machine",
  machine: "old",
  state: "played",
  boot: "1",
  message: "",
  tries: 1,
  address: "old.tape",
  cpus: 2,
  seconds: 0,
  version: "",
};

const become = (more: Partial<GatewayMachine>): void => {
  store.machineStates.value = new Map([["old", { ...STATE, ...more } as GatewayMachine]]);
};

const shown = (): number[] => {
  const { from, to } = store.rangeInterval.value ?? { from: Number.NaN, to: Number.NaN };
  return [from / SECOND, to / SECOND];
};

beforeEach(() => {
  replay.pause();
  replay.speed.value = 1;
  store.machine.value = "old";
  become({});
  store.goTo({ machine: "old" });
  // from 40 s to 100 s after the boot
  store.statusSaid.value = { now: 100 * SECOND, history_seconds: 60 };
});

afterEach(replay.pause); // or the timer keeps node

const steps = (count: number): void => {
  for (let i = 0; i < count; i++) replay.step();
};

test("a recording opens at its end", () => {
  assert.deepEqual(shown(), [90, 100]);
  assert.deepEqual(replay.ends.value, { from: 50 * SECOND, to: 100 * SECOND, at: 100 * SECOND });
});

test("the slider goes no further than the history, and keeps the range's length", () => {
  replay.moveTo(70 * SECOND);
  assert.deepEqual(shown(), [60, 70]);
  replay.moveTo(0);
  assert.deepEqual(shown(), [40, 50]);
  replay.moveTo(1000 * SECOND);
  assert.deepEqual(shown(), [90, 100]);
  assert.deepEqual(store.axisInterval.value, { from: 40 * SECOND, to: 100 * SECOND });
});

test("it plays from the begin to the end, at the chosen speed, and stops there", () => {
  assert.ok(runKey("Y", false));
  assert.deepEqual(shown(), [40, 50]);
  steps(6);
  assert.deepEqual(shown(), [43, 53]);
  assert.ok(replay.isPlaying.value);
  assert.ok(runKey("Y", false));
  assert.ok(!replay.isPlaying.value);
  replay.speed.value = 10;
  replay.play();
  steps(4);
  assert.deepEqual(shown(), [63, 73]);
  steps(6);
  assert.deepEqual(shown(), [90, 100]);
  assert.ok(!replay.isPlaying.value);
});

test("a range that is as long as the history, or longer, has no way to go", () => {
  store.range.value = { live: 60 };
  replay.moveTo(0);
  assert.deepEqual(shown(), [40, 100]);
  store.range.value = { live: 90 };
  replay.moveTo(0);
  assert.deepEqual(shown(), [10, 100]);
});

test("only a recording with a history is replayed", () => {
  for (const more of [{ state: "live" }, { trace: true }, { state: "ended", of: "old" }]) {
    become(more as Partial<GatewayMachine>);
    assert.equal(replay.ends.value, undefined);
    assert.ok(!runKey("Y", false));
  }
  become({});
  store.statusSaid.value = { now: 100 * SECOND };
  assert.equal(replay.ends.value, undefined);
  replay.play();
  assert.ok(!replay.isPlaying.value);
});

test("what becomes no recording stops", () => {
  replay.play();
  become({ state: "live" });
  replay.step();
  assert.ok(!replay.isPlaying.value);
});
