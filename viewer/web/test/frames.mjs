// SPDX-License-Identifier: MIT
// Frames as the gateway writes them, for tests: columns one after the other, each 8-aligned.

const HEAD = 32;
const ARRAYS = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  f32: Float32Array,
  f64: Float64Array,
};

export const FRAMES = {
  objects: [1, "u32 u32 u32 u16 f64 u8"],
  heat: [2, "u32 u32 f32 f32 f32 f32 f32 f32 f32 f32"],
  metric: [3, "f64 f32 f32 f32"],
  series: [4, "f64 f32 f32 f32 f32"],
  ranking: [5, "u32 u32 f32 f32 f32 f32 f32 f32 f32 u8 f32 f32 u8"],
  metrics: [6, "u32 f32 f32 f32 u32"],
  slices: [7, "f64 f64 f64 u32 u32 u32 u32 u8 u8"],
  bytes: [12, "u8"],
  threads: [13, "f64 f64 f64 u32 u32 u32 u32 u32 u8 u8"],
};

const padded = (bytes) => Math.ceil(bytes / 8) * 8;

/** rows: arrays of values, in the order of the columns. */
export function frame(name, topic, rows, { whole = true, leftOut = false, complete = NaN } = {}) {
  const [kind, layout] = FRAMES[name];
  const types = layout.split(" ");
  const bytes = types.reduce(
    (sum, type) => sum + padded(ARRAYS[type].BYTES_PER_ELEMENT * rows.length),
    HEAD,
  );
  const buffer = new ArrayBuffer(bytes);
  const view = new DataView(buffer);
  view.setUint8(0, kind);
  view.setUint8(1, (whole ? 1 : 0) + (leftOut ? 2 : 0));
  view.setUint32(4, rows.length, true);
  view.setUint32(8, topic, true);
  view.setFloat64(24, complete, true);
  let at = HEAD;
  types.forEach((type, column) => {
    const values = new ARRAYS[type](buffer, at, rows.length);
    for (let row = 0; row < rows.length; row++) values[row] = rows[row][column];
    at += padded(values.byteLength);
  });
  return buffer;
}
