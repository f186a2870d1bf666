// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { withError } from "../src/base/number.ts";
import { drawGraph, reduce } from "../src/draw/graph.ts";
import type { Theme } from "../src/draw/theme.ts";
import { Points } from "../src/wire/columns.ts";
import { type FrameMetric, decodeFrame } from "../src/wire/messages.ts";
import { frame } from "./frames.mjs";

const SECOND = 1e9;

function pointsOf(values: number[], errors: number[]): Points {
  const points = new Points();
  const rows = values.map((value, i) => [i * SECOND, value, errors[i], 1]);
  points.add(decodeFrame(frame("metric", 1, rows)) as FrameMetric);
  return points;
}

/** Records the polygons, the rectangles and how often it is clipped for hatches. */
class Recorder {
  polygons: [number, number][][] = [];
  bars: number[][] = [];
  path: [number, number][] = [];
  clips = 0;
  save(): void {}
  restore(): void {}
  beginPath(): void {
    this.path = [];
  }
  moveTo(x: number, y: number): void {
    this.path.push([x, y]);
  }
  lineTo(x: number, y: number): void {
    this.path.push([x, y]);
  }
  rect(): void {}
  clip(): void {
    this.clips++;
  }
  stroke(): void {}
  fill(): void {
    this.polygons.push(this.path);
  }
  fillRect(...bar: number[]): void {
    this.bars.push(bar);
  }
}

function drawn(values: number[], errors: number[]): Recorder {
  const recorder = new Recorder();
  const box = { x: 0, y: 0, width: values.length * 10, height: 100 };
  const shown = { from: 0, to: values.length * SECOND };
  const columns = reduce(pointsOf(values, errors), shown, box.width);
  drawGraph(recorder as unknown as CanvasRenderingContext2D, box, columns, 4, "#fff", {} as Theme);
  return recorder;
}

test("one known error between unknown ones is a bar, no diamond; the unknown is hatched", () => {
  const { polygons, bars, clips } = drawn([2, 2, 2, 2, 2], [NaN, NaN, 1, NaN, NaN]);
  assert.deepEqual(polygons, []);
  assert.deepEqual(bars, [[20, 25, 1, 50]]);
  assert.ok(clips > 0, "hatched");
});

test("errors that are known make one band, which neither narrows nor goes into the unknown", () => {
  const { polygons, clips } = drawn([2, 2, 2, 2], [1, 1, 1, NaN]);
  assert.equal(polygons.length, 1);
  assert.deepEqual(
    polygons[0].map(([x, y]) => [x, y]),
    [
      [0.5, 25],
      [10.5, 25],
      [20.5, 25],
      [20.5, 75],
      [10.5, 75],
      [0.5, 75],
    ],
  );
  assert.ok(clips > 0);
  assert.equal(drawn([2, 2], [1, 1]).clips, 0, "nothing is unknown");
});

test("an error above the value tells only what it is less than", () => {
  const write = (value: number): string => value.toFixed(1);
  assert.deepEqual(withError(2, 1, write), ["2.0", "±1.0"]);
  assert.deepEqual(withError(2, 2, write), ["2.0", "±2.0"], "100 % is not above 100 %");
  assert.deepEqual(withError(2, 2.5, write), ["< 4.5", ""]);
  assert.deepEqual(withError(0, 3, write), ["< 3.0", ""]);
  assert.deepEqual(withError(2, NaN, write), ["2.0", "± ?"]);
  assert.deepEqual(withError(-2, 5, write), ["-2.0", "±5.0"], "a change has two sides");
  assert.equal(withError(NaN, 5, write)[1], "");
});
