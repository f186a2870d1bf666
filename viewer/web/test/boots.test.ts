// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { SECOND } from "../src/base/time.ts";
import * as store from "../src/model/store.ts";
import { readPlace, writePlace } from "../src/model/url.ts";
import type { GatewayMachine } from "../src/wire/messages.ts";

const state = (machine: string, boot: string, more: Partial<GatewayMachine> = {}) =>
  [
    machine,
    {
      type: "machine",
      machine,
      state: "live",
      boot,
      message: "",
      tries: 0,
      address: "127.0.0.1:4242",
      cpus: 2,
      seconds: 1,
      version: "",
      ...more,
    } as GatewayMachine,
  ] as const;

const BEFORE = "orrery, boot before";
const LINK = "#/objects?m=orrery@a1&r=1..4&e=larx&s=o:0:1&v=1";

beforeEach(() => {
  store.connection.value = { phase: "open" };
  store.machines.value = ["orrery", BEFORE];
  store.machineStates.value = new Map();
  store.notices.value = [];
  store.goTo({ machine: "orrery" });
});

const shown = () => ({ machine: store.machine.value, live: store.isLive.value });

test("a link to the present boot shows it, once that is known", () => {
  store.goTo(readPlace(LINK));
  assert.match(writePlace(store.place.value), /m=orrery@a1&r=1\.\.4/);
  store.machineStates.value = new Map([state("orrery", "a1")]);
  store.findBoot();
  assert.deepEqual(shown(), { machine: "orrery", live: false });
  assert.equal(store.notices.value.length, 0);
});

test("a link to the boot before shows that boot, and so does a link written there", () => {
  store.machineStates.value = new Map([
    state(BEFORE, "a1", { state: "ended", of: "orrery" }),
    state("orrery", "b2"),
  ]);
  store.goTo(readPlace(LINK));
  assert.deepEqual(shown(), { machine: BEFORE, live: false });
  const link = writePlace(store.place.value);
  assert.match(link, /m=orrery@a1&r=1\.\.4/);
  assert.ok(store.isStale.value);
  store.goTo(readPlace(link.replace("1..4", "live:10")));
  assert.deepEqual(shown(), { machine: BEFORE, live: true });
  assert.match(writePlace(store.place.value), /m=orrery@a1&r=live:10/);
});

test("a link to a boot that is gone says so, and shows no numbers of another boot", () => {
  store.machineStates.value = new Map([state("orrery", "b2")]);
  store.goTo(readPlace(LINK));
  assert.deepEqual(shown(), { machine: "orrery", live: true });
  assert.equal(store.selection.value, "");
  assert.match(store.notices.value[0].text, /earlier boot of orrery, which is gone/);
});

test("the boot before is in no list until there is one", () => {
  store.machineStates.value = new Map([state("orrery", "a1")]);
  assert.deepEqual(store.shownMachines.value, ["orrery"]);
  store.machineStates.value = new Map([state("orrery", "b2"), state(BEFORE, "a1")]);
  assert.deepEqual(store.shownMachines.value, ["orrery", BEFORE]);
});

test("a live machine that says nothing for two seconds does not answer", () => {
  const now = Date.now();
  store.statusSaid.value = { now: 100 * SECOND };
  store.machineStates.value = new Map([state("orrery", "a1")]);
  store.machineSpoke();
  store.listen(now + 1500);
  assert.equal(store.silence.value, 0);
  assert.ok(!store.isStale.value);
  store.listen(now + 3500);
  assert.equal(store.silence.value, 3);
  assert.ok(store.isStale.value);
  store.machineSpoke();
  assert.ok(!store.isStale.value);
  store.machineStates.value = new Map([state("orrery", "a1", { state: "lost" })]);
  store.listen(now + 9500);
  assert.equal(store.silence.value, 0);
});
