// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { effect } from "@preact/signals";
import { cpuShare } from "../src/model/cpu_share.ts";
import {
  readMarks,
  readObject,
  readProcesses,
  readStatus,
  readTimeAccount,
  readWorkloads,
} from "../src/model/said.ts";
import { type Subscription, Topics } from "../src/model/topics.ts";
import { decodeFrame } from "../src/wire/messages.ts";
import { frame } from "./frames.mjs";

function topicsThatSend() {
  const sent: { type: string; id?: number; kind?: string }[] = [];
  let id = 0;
  const topics = new Topics(
    (message) => sent.push(message as never),
    () => ++id,
  );
  return { topics, sent };
}

const heat: Subscription = { kind: "heat", measure: "larx", seconds: 10 };

test("who wants the same watches it once, until the last has gone", () => {
  const { topics, sent } = topicsThatSend();
  const one = topics.open("orrery", heat);
  const other = topics.open("orrery", { ...heat });
  assert.equal(one, other);
  assert.deepEqual(sent, [
    { type: "watch", id: 1, machine: "orrery", kind: "heat", measure: "larx", seconds: 10 },
  ]);
  topics.close(one);
  assert.equal(sent.length, 1);
  topics.close(other);
  assert.deepEqual(sent[1], { type: "unwatch", id: 1 });
  assert.equal(topics.size, 0);
});

test("after a new connection everything is watched again", () => {
  const { topics, sent } = topicsThatSend();
  topics.open("orrery", heat);
  topics.open("orrery", { kind: "console" });
  topics.watchAgain();
  assert.deepEqual(
    sent.map((one) => `${one.type} ${one.id}`),
    ["watch 1", "watch 2", "watch 1", "watch 2"],
  );
});

test("a topic says so when messages were left out", () => {
  const { topics } = topicsThatSend();
  const topic = topics.open("orrery", heat);
  const before = topic.version.value;
  const left = decodeFrame(frame("heat", topic.id, [[1, 2, 3, 4]], { leftOut: true }));
  if (left) topic.take(left);
  assert.equal(topic.leftOut, 1);
  assert.ok(topic.version.value > before);
});

test("who reads points is told of new ones, whoever opened the topic", () => {
  const { topics } = topicsThatSend();
  const topic = topics.open("orrery", { kind: "metric", metric: "IPC", of: "m" });
  let seen = 0;
  effect(() => {
    seen = topic.points.length;
  });
  const read = decodeFrame(frame("metric", topic.id, [[1, 2, 0, 1]]));
  assert.ok(read);
  topic.take(read);
  assert.equal(seen, 1);
});

test("console output is put together from its frames, letters cut in two as well", () => {
  const { topics } = topicsThatSend();
  const topic = topics.open("orrery", { kind: "console" });
  for (const byte of new TextEncoder().encode("naïve €")) {
    const one = decodeFrame(frame("bytes", topic.id, [[byte]], { whole: false }));
    if (one) topic.take(one);
  }
  assert.equal(topic.output, "naïve €");
});

test("fields that are missing or odd are not known, and nothing breaks", () => {
  for (const odd of [undefined, null, 7, "x", [], {}, { events: 7 }, { events: [null, 7, {}] }]) {
    const status = readStatus(odd);
    assert.deepEqual(status.events, []);
    assert.ok(Number.isNaN(status.rate));
    assert.deepEqual(readProcesses(odd), []);
    assert.deepEqual(readWorkloads(odd), { kinds: [], runs: [] });
    assert.deepEqual(readMarks(odd), []);
    assert.deepEqual(readObject(odd).children, []);
  }
});

test("texts of the machine are cleaned where they are read", () => {
  const [process] = readProcesses({ processes: [{ pid: 3, name: "a\u202eb" }] });
  assert.equal(process.name, "a<U+202E>b");
  const { runs } = readWorkloads({ runs: [{ id: 1, name: "x", report: "one\ntwo\u0007" }] });
  assert.equal(runs[0].report, "one\ntwo<U+0007>");
});

test("a workload's help is a form", () => {
  const help = "work=27-9-3-1 (calls of four objects, 1..100), hold=100 (us), cpus=all";
  const { kinds } = readWorkloads({ kinds: [{ name: "contention", help }] });
  assert.deepEqual(kinds[0].parameters, [
    { name: "work", initial: "27-9-3-1", summary: "calls of four objects, 1..100" },
    { name: "hold", initial: "100", summary: "us" },
    { name: "cpus", initial: "all", summary: "" },
  ]);
});

test("a run without an error has none", () => {
  const { runs } = readWorkloads({
    runs: [
      { id: 1, error: 0 },
      { id: 2, error: -22 },
    ],
  });
  assert.deepEqual(
    runs.map((one) => one.error),
    ["", "-22"],
  );
});

test("the part of a CPU is what was used of the time that passed", () => {
  const account = (time: number, ticks: number) =>
    readTimeAccount({ time, processes: [{ pid: 3, cpu_ticks: ticks }] });
  const [before, now] = [account(1000, 50), account(2000, 300)];
  assert.ok(before && now);
  assert.equal(cpuShare(before, now, 3), 25);
  assert.ok(Number.isNaN(cpuShare(undefined, now, 3)));
  assert.ok(Number.isNaN(cpuShare(before, now, 4)), "one that is new");
  assert.ok(Number.isNaN(cpuShare(now, before, 3)), "another boot");
  assert.equal(readTimeAccount({ processes: [] }), undefined);
});

test("a run that goes on has no end", () => {
  const [mark] = readMarks({ marks: [{ name: "run", begin: 5, end: 0, kind: "workload" }] });
  assert.ok(Number.isNaN(mark.end));
});
