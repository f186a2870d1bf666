// SPDX-License-Identifier: MIT
// Slices as tracks, the Timeline's window, and labels of its axis.
import assert from "node:assert/strict";
import { test } from "node:test";
import { timeLabels } from "../src/draw/tracks.ts";
import * as store from "../src/model/store.ts";
import { exact, pan, show, showWhole, shown, whole, zoom } from "../src/model/window.ts";
import { type FrameSlices, decodeFrame } from "../src/wire/messages.ts";
import { findPiece, isGroup, pieceAt, sumsOf, tracksOf } from "../src/wire/tracks.ts";
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
