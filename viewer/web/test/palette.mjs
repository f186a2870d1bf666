// SPDX-License-Identifier: MIT
// Makes a screenshot small: a PNG of RGB or RGBA becomes one with a palette of 256 colours: the
// commonest, and those that are least like any of these. Others become the nearest of them.

import zlib, { deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const COLOURS = 256;
const COMMONEST = 128;

function* chunksOf(png) {
  for (let at = SIGNATURE.length; at < png.length; ) {
    const size = png.readUInt32BE(at);
    yield {
      name: png.toString("latin1", at + 4, at + 8),
      data: png.subarray(at + 8, at + 8 + size),
    };
    at += size + 12;
  }
}

/** Node 18 has no zlib.crc32. */
function checksum(bytes) {
  if (zlib.crc32) return zlib.crc32(bytes);
  let sum = -1;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

function chunk(name, data) {
  const bytes = Buffer.concat([
    Buffer.alloc(4),
    Buffer.from(name, "latin1"),
    data,
    Buffer.alloc(4),
  ]);
  bytes.writeUInt32BE(data.length, 0);
  bytes.writeUInt32BE(checksum(bytes.subarray(4, -4)), bytes.length - 4);
  return bytes;
}

function paeth(left, up, corner) {
  const guess = left + up - corner;
  const [a, b, c] = [left, up, corner].map((one) => Math.abs(guess - one));
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** The bytes of the picture, row by row, without filters. */
function pixelsOf(raw, height, stride, step) {
  const pixels = Buffer.alloc(height * stride);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x >= step ? pixels[at - step] : 0;
      const up = y > 0 ? pixels[at - stride] : 0;
      const corner = x >= step && y > 0 ? pixels[at - stride - step] : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      pixels[at] = raw[y * (stride + 1) + 1 + x] + guess;
    }
  }
  return pixels;
}

const distance = (a, b) =>
  ((a >> 16) - (b >> 16)) ** 2 +
  (((a >> 8) & 255) - ((b >> 8) & 255)) ** 2 +
  ((a & 255) - (b & 255)) ** 2;

/** Of each colour its place in the palette. */
function choose(colours) {
  const counts = new Map();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const sorted = [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour);
  const palette = sorted.slice(0, COMMONEST);
  const rest = sorted.slice(COMMONEST).map((colour) => ({ colour, near: 0, gap: Infinity }));
  const compare = (place) => {
    for (const one of rest) {
      const gap = distance(one.colour, palette[place]);
      if (gap < one.gap) Object.assign(one, { near: place, gap });
    }
  };
  palette.forEach((_, place) => {
    compare(place);
  });
  while (palette.length < Math.min(COLOURS, sorted.length)) {
    palette.push(rest.reduce((a, b) => (b.gap > a.gap ? b : a)).colour);
    compare(palette.length - 1);
  }
  const places = new Map(palette.map((colour, place) => [colour, place]));
  for (const one of rest) places.set(one.colour, one.near);
  return { palette, places };
}

export function withPalette(png) {
  const parts = [...chunksOf(png)];
  const head = parts.find((one) => one.name === "IHDR").data;
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const step = { 2: 3, 6: 4 }[head[9]];
  if (head[8] !== 8 || step === undefined || head[12] !== 0) throw new Error("another kind of PNG");
  const data = Buffer.concat(parts.filter((one) => one.name === "IDAT").map((one) => one.data));
  const pixels = pixelsOf(inflateSync(data), height, width * step, step);
  const colours = new Uint32Array(width * height);
  for (let i = 0; i < colours.length; i++) colours[i] = pixels.readUIntBE(i * step, 3);
  const { palette, places } = choose(colours);
  const rows = Buffer.alloc(height * (width + 1));
  for (let i = 0; i < colours.length; i++)
    rows[i + Math.floor(i / width) + 1] = places.get(colours[i]);
  const table = Buffer.alloc(palette.length * 3);
  palette.forEach((colour, place) => {
    table.writeUIntBE(colour, place * 3, 3);
  });
  const newHead = Buffer.from(head);
  newHead[9] = 3;
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", newHead),
    chunk("PLTE", table),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
