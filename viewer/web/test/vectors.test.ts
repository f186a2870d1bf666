// SPDX-License-Identifier: MIT
// Frames that the gateway's own code has written (make web-check), read by ours.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FRAME_WHOLE, type Frame, decodeFrame } from "../src/wire/messages.ts";
import { FRAMES } from "./frames.mjs";

const VECTORS = process.env.WEB_VECTORS ?? "../../build/web/vectors";

function readFrames(): Frame[] {
  const file = readFileSync(VECTORS);
  const frames: Frame[] = [];
  for (let at = 0; at < file.length; ) {
    const size = file.readUInt32LE(at);
    const bytes = new Uint8Array(file.subarray(at + 4, at + 4 + size));
    const frame = decodeFrame(bytes.buffer);
    assert.ok(frame, `a frame of ${size} bytes at ${at}`);
    frames.push(frame);
    at += 4 + size;
  }
  return frames;
}

/** As in viewer/gateway/messages.py, by the column's type. */
function value(columnType: string, row: number, column: number): number {
  const index = row * 20 + column;
  switch (columnType) {
    case "Uint8Array":
      return index + 1;
    case "Uint16Array":
      return (index + 1) * 701;
    case "Uint32Array":
      return (index + 1) * 40000003;
    case "Float32Array":
      return row === 3 ? Number.NaN : index + 0.5;
    case "Float64Array":
      return row === 3 ? Number.NaN : index * 1e9 + 0.1;
    default:
      throw new Error(columnType);
  }
}

test("frames of every kind are read as the gateway writes them", () => {
  const frames = readFrames();
  const kinds = Object.keys(FRAMES);
  assert.deepEqual(
    frames.map(({ kind, head }) => [kind, head.rows]),
    [0, 1, 5].flatMap((rows) => kinds.map((kind) => [kind, rows])),
  );
  for (const frame of frames) {
    const { kind, head, ...columns } = frame;
    const rows = head.rows;
    assert.equal(head.flags, rows === 1 ? FRAME_WHOLE : 0);
    assert.equal(head.topic, 4294967290 + rows);
    assert.equal(head.sequence, 7 * rows);
    assert.equal(head.t0, rows * 1e9);
    assert.deepEqual(head.complete, rows === 0 ? Number.NaN : 2.5e9);
    Object.values(columns as Record<string, ArrayLike<number>>).forEach((read, column) => {
      const type = read.constructor.name;
      assert.deepEqual(
        Array.from(read),
        Array.from({ length: rows }, (_, row) => value(type, row, column)),
        `${kind} column ${column}`,
      );
    });
  }
});
