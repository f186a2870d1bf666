// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { SECOND } from "../src/base/time.ts";
import { reduce, topOf } from "../src/draw/graph.ts";
import { Points, summarize } from "../src/wire/columns.ts";
import { type FrameMetric, decodeFrame } from "../src/wire/messages.ts";
import { FRAMES, frame } from "./frames.mjs";

const metric = (rows: number[][], whole = false) =>
  decodeFrame(frame("metric", 1, rows, { whole })) as FrameMetric;

test("every kind of frame is read as it was written", () => {
  for (const [name, [, layout]] of Object.entries(FRAMES)) {
    const width = String(layout).split(" ").length;
    const rows = [1, 2, 3].map((row) => Array.from({ length: width }, (_, i) => row * 20 + i));
    const read = decodeFrame(frame(name, 77, rows, { complete: 5 * SECOND }));
    assert.ok(read, name);
    assert.equal(read.kind, name);
    assert.equal(read.head.topic, 77);
    assert.equal(read.head.complete, 5 * SECOND);
    const columns = Object.values(read).slice(2) as ArrayLike<number>[];
    assert.equal(columns.length, width);
    columns.forEach((column, i) => {
      assert.deepEqual(
        Array.from(column),
        rows.map((row) => row[i]),
        `${name} column ${i}`,
      );
    });
  }
});

test("a frame that is cut, too long or of no kind is none", () => {
  const whole = frame("heat", 1, [[1, 2, 3, 4]]);
  assert.equal(decodeFrame(whole.slice(0, -8)), undefined);
  assert.equal(decodeFrame(whole.slice(0, 16)), undefined);
  const longer = new Uint8Array(whole.byteLength + 8);
  longer.set(new Uint8Array(whole));
  assert.equal(decodeFrame(longer.buffer), undefined);
  const unknown = whole.slice(0);
  new DataView(unknown).setUint8(0, 200);
  assert.equal(decodeFrame(unknown), undefined);
  const many = whole.slice(0);
  new DataView(many).setUint32(4, 0xffffffff, true);
  assert.equal(decodeFrame(many), undefined);
});

test("points are appended in time, a whole frame begins anew", () => {
  const points = new Points();
  points.add(
    metric(
      [
        [1, 10, 1, 1],
        [2, 20, 1, 1],
      ],
      true,
    ),
  );
  points.add(
    metric([
      [2, 99, 1, 1],
      [3, 30, 1, 1],
    ]),
  );
  assert.deepEqual(Array.from(points.value.subarray(0, points.length)), [10, 20, 30]);
  points.add(metric([[7, 70, 1, 1]], true));
  assert.equal(points.length, 1);
});

test("many points keep the newest and their order", () => {
  const points = new Points();
  for (let at = 0; at < 90_000; at += 3000)
    points.add(metric(Array.from({ length: 3000 }, (_, i) => [at + i + 1, at + i, 0, 1])));
  assert.ok(points.length <= 86_400 && points.length > 60_000, `${points.length}`);
  assert.equal(points.time[points.length - 1], 90_000);
  for (let i = 1; i < points.length; i++) assert.ok(points.time[i] > points.time[i - 1]);
  assert.equal(points.value[points.length - 1], 89_999);
});

test("an interval's least, mean and largest value leave out what is not known", () => {
  const points = new Points();
  points.add(
    metric([
      [1, 2, 3, 1],
      [2, Number.NaN, Number.NaN, 0],
      [3, 4, 4, 1],
      [4, 100, 1, 1],
    ]),
  );
  const sum = summarize(points, 1, 4);
  assert.deepEqual(sum, { known: 2, unknown: 1, min: 2, mean: 3, max: 4, error: 2.5 });
  assert.ok(Number.isNaN(summarize(points, 50, 60).mean));
  assert.equal(summarize(points, 50, 60).known, 0);
});

test("a picture keeps every peak, and does not draw over gaps", () => {
  const points = new Points();
  const rows = Array.from({ length: 1000 }, (_, i) => [(i + 1) * SECOND, i === 500 ? 50 : 1, 0, 1]);
  points.add(metric(rows.filter((_, i) => i < 700 || i > 720)));
  const columns = reduce(points, { from: 0, to: 1001 * SECOND }, 100);
  assert.equal(Math.max(...columns.high.filter((one) => !Number.isNaN(one))), 50);
  assert.equal(topOf(columns), 50);
  const apart = Array.from(columns.apart).reduce((sum, one) => sum + one, 0);
  assert.equal(apart, 2, "the first point, and the one behind the gap");
});

test("what is not known is marked, and is no 0", () => {
  const points = new Points();
  points.add(metric([1, 2, 3].map((at) => [at * SECOND, at === 2 ? Number.NaN : 5, 1, 1])));
  const columns = reduce(points, { from: 0, to: 4 * SECOND }, 4);
  assert.equal(columns.unknown[2], 1);
  assert.ok(Number.isNaN(columns.low[2]));
  assert.equal(columns.bandHigh[1], 6);
});
