// SPDX-License-Identifier: MIT
// Slices as tracks, the Timeline's window, and labels of its axis.
import assert from "node:assert/strict";
import { test } from "node:test";
import { timeLabels } from "../src/draw/tracks.ts";
import { CPUS, lineAt, linesOf, NO_PROCESS, openProcesses, turn } from "../src/model/lines.ts";
import * as store from "../src/model/store.ts";
import { exact, pan, show, showWhole, shown, whole, zoom } from "../src/model/window.ts";
import { type FrameSlices, type FrameThreads, decodeFrame } from "../src/wire/messages.ts";
import {
  activityName,
  findPiece,
  isGroup,
  leftOutOf,
  pieceAt,
  rowsOf,
  statesOf,
  sumsOf,
  threadTracksOf,
  tracksOf,
} from "../src/wire/tracks.ts";
import { frame } from "./frames.mjs";

const RUN = 2;
const CALL = 3;
const LOST = 7;

/** Rows: from, to, time, process, thread, what, count, cpu, activity. */
const slices = (rows: number[][]): FrameSlices =>
  decodeFrame(frame("slices", 1, rows)) as FrameSlices;

const said = slices([
  [100, 200, 100, 1, 31, 1, 1, 1, RUN],
  [0, 150, 150, 1, 30, 1, 1, 0, RUN],
  [200, 260, 40, 1, 31, 1, 7, 1, RUN],
  [200, 260, 20, 1, 31, 2, 6, 1, CALL],
  [150, 400, 250, 2, 30, 2, 1, 0, CALL],
  [260, 261, 1, 2, 30, 2, 1, 1, RUN],
  [240, 300, 10, 0, 3, 3, 17, 1, LOST],
]);

test("rows of a CPU become pieces in order; a group is one piece, losses lie apart", () => {
  const tracks = tracksOf(said);
  assert.deepEqual(
    tracks.map((one) => [one.cpu, one.pieces.map((piece) => [piece.from, piece.to]), one.losses]),
    [
      [
        0,
        [
          [0, 150],
          [150, 400],
        ],
        [],
      ],
      [
        1,
        [
          [100, 200],
          [200, 260],
          [260, 261],
        ],
        [6],
      ],
    ],
  );
  const groups = tracks[1].pieces.map((piece) => isGroup(said, piece));
  assert.deepEqual(groups, [false, true, false]);
});

test("sums are exact, also of groups", () => {
  const [first, second] = sumsOf(said, tracksOf(said));
  assert.deepEqual([first.time[RUN], first.time[CALL]], [150, 250]);
  assert.deepEqual([second.time[RUN], second.time[CALL]], [141, 20]);
  assert.deepEqual([second.count[RUN], second.count[CALL]], [9, 6]);
  assert.deepEqual([second.lostPackets, second.lostEvents], [3, 17]);
});

test("the piece at a time is what a search one by one finds", () => {
  let at = 0;
  const rows = Array.from({ length: 300 }, (_, i) => {
    const from = at + (i % 5 === 0 ? 3 : 0); // now and then a hole
    at = from + 1 + ((i * 7919) % 13);
    return [from, at, at - from, 1, 1, 1, 1, 0, RUN];
  });
  const [track] = tracksOf(slices(rows));
  for (let time = 0; time <= at + 2; time += 0.5) {
    const naive = track.pieces.find((one) => one.from <= time && time < one.to);
    assert.equal(pieceAt(track, time), naive);
    const next = track.pieces.findIndex((one) => one.to > time);
    assert.equal(findPiece(track.pieces, time), next < 0 ? track.pieces.length : next);
  }
});

test("the window zooms at the pointer, moves, and stays in the trace", () => {
  store.statusSaid.value = { begin: 1e9, now: 11e9 };
  assert.deepEqual(shown.value, whole.value);
  zoom(1 / 2, 3e9);
  assert.deepEqual(shown.value, { from: 2e9, to: 7e9 });
  pan(1 / 4);
  assert.deepEqual(shown.value, { from: 3.25e9, to: 8.25e9 });
  pan(5);
  assert.deepEqual(shown.value, { from: 6e9, to: 11e9 });
  zoom(100);
  assert.deepEqual(shown.value, whole.value);
  for (let i = 0; i < 100; i++) zoom(1 / 2, 5e9);
  assert.equal((shown.value?.to ?? 0) - (shown.value?.from ?? 0), 20);
  assert.ok((shown.value?.from ?? 0) <= 5e9 && 5e9 <= (shown.value?.to ?? 0));
  show({ from: 4e9, to: 5e9 });
  store.machine.value = "another";
  assert.deepEqual(shown.value, whole.value, "a window is one machine's");
  store.machine.value = "";
  showWhole();
  store.statusSaid.value = undefined;
  assert.equal(shown.value, undefined, "nothing is known of the trace");
});

test("an axis has labels at each length, all different, in order", () => {
  for (let length = 20; length < 1e14; length *= 3.7) {
    const interval = { from: 123456789012, to: 123456789012 + length };
    const labels = timeLabels(interval, 9);
    assert.ok(labels.length >= 2 && labels.length <= 11, `${length}: ${labels.length}`);
    assert.equal(new Set(labels.map((one) => one.text)).size, labels.length);
    for (const one of labels) {
      assert.ok(one.time >= interval.from && one.time <= interval.to);
      assert.ok(Math.abs(Number.parseFloat(one.text) * 1e9 - one.time) < 1, one.text);
    }
  }
  assert.equal(exact(8171605, 1), "0.008171605");
  assert.equal(exact(123456789012, 60e9), "123.457");
});

// ---- threads -----------------------------------------------------------------------------------

const NOBODY = 0xffffffff;
const [THREAD_USER, THREAD_KERNEL, THREAD_READY, THREAD_BLOCKED] = [1, 2, 4, 5];

/** Rows: from, to, time, process, thread, what, by, count, cpu, state. */
const threads = (rows: number[][]): FrameThreads =>
  decodeFrame(frame("threads", 1, rows)) as FrameThreads;

const did = rowsOf(
  threads([
    [0, 40, 40, 2, 31, 1, NOBODY, 1, 0, THREAD_USER],
    [0, 100, 30, 1, 30, 1, NOBODY, 5, 1, THREAD_KERNEL],
    [0, 100, 70, 1, 30, 1, NOBODY, 5, 1, THREAD_BLOCKED],
    [40, 90, 50, 2, 31, 1, NOBODY, 1, 0, THREAD_BLOCKED],
    [90, 100, 10, 2, 31, 1, 30, 1, 0, THREAD_READY],
    [0, 100, 100, 0, 29, 1, NOBODY, 1, 0, 0],
    [0, 100, 0, 0, NOBODY, 1, NOBODY, 12, 0, 7],
  ]),
);

test("rows of threads become tracks; those left out are no track", () => {
  const tracks = threadTracksOf(did);
  assert.deepEqual(
    tracks.map((one) => [one.key, one.pieces.length, one.pieces.some((of) => isGroup(did, of))]),
    [
      ["t:29", 1, false],
      ["t:30", 1, true],
      ["t:31", 3, false],
    ],
  );
  assert.equal(leftOutOf(did), 12);
  assert.deepEqual(statesOf(tracks), [100, 40, 30, 0, 10, 120]);
  assert.equal(activityName(did.activity[4]), "ready");
});

test("groups fold and unfold, each machine's for itself; a height finds its line", () => {
  const cpus = tracksOf(said);
  const own: Record<string, string> = { "t:29": NO_PROCESS, "t:30": "p:7", "t:31": "p:3" };
  const keys = (): string[] =>
    linesOf(cpus, threadTracksOf(did), (track) => own[track.key]).map((one) => one.key);
  const closed = ["p:3", "p:7", NO_PROCESS];
  assert.deepEqual(keys(), [CPUS, "c:0", "c:1", ...closed]);
  assert.equal(openProcesses(), " ", "none is asked for");
  turn("p:7");
  assert.deepEqual(keys(), [CPUS, "c:0", "c:1", "p:3", "p:7", "t:30", NO_PROCESS]);
  turn(CPUS);
  turn("p:3", true);
  turn("p:3", true);
  assert.deepEqual(keys(), [CPUS, "p:3", "t:31", "p:7", "t:30", NO_PROCESS]);
  assert.deepEqual(openProcesses().split(" ").sort(), ["p:3", "p:7"]);
  const lines = linesOf(cpus, threadTracksOf(did), (track) => own[track.key]);
  assert.deepEqual(
    [-0.1, 0, 0.9, 2.5, 5.9, 6].map((height) => lineAt(lines, height)?.key),
    [undefined, CPUS, CPUS, "t:31", NO_PROCESS, undefined],
  );
  store.machine.value = "another";
  assert.deepEqual(keys(), [CPUS, "c:0", "c:1", ...closed]);
  store.machine.value = "";
  for (const key of [CPUS, "p:3", "p:7"]) turn(key);
  assert.deepEqual(keys(), [CPUS, "c:0", "c:1", ...closed]);
});

test("a group says for how many of its threads there is no room", () => {
  const rows = Array.from({ length: 1000 }, (_, i) => [0, 9, 9, 1, 50 + i, 1, NOBODY, 1, 0, 1]);
  const tracks = threadTracksOf(rowsOf(threads(rows)));
  turn("p:9");
  const lines = linesOf([], tracks, () => "p:9");
  assert.equal(lines.length, 800);
  assert.equal(lines[1].hidden, 1000 - 798);
  turn("p:9");
});

test("so many open processes are asked for as a message has room for", () => {
  const many = Array.from({ length: 100 }, (_, i) => `p:${1000 + i}`);
  for (const key of many) turn(key, true);
  assert.ok(openProcesses().length <= 256);
  assert.ok(openProcesses().split(" ").length > 30);
  for (const key of many) turn(key, false);
  assert.equal(openProcesses(), " ");
});
