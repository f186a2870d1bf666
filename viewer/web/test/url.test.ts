// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { SECOND } from "../src/base/time.ts";
import { type Place, readPlace, readToken, writePlace } from "../src/model/url.ts";

const place: Place = {
  view: "ranking",
  machine: "orrery",
  boot: "3f2a91c0",
  range: { from: 772.4 * SECOND, to: 782.4 * SECOND },
  measure: "larx",
  selection: "o:0:12550",
  chips: [
    { not: true, any: ["p:5"] },
    { not: false, any: ["k:Region", "k:FCM"] },
    { not: true, any: ["monitor"] },
  ],
  pins: [
    { kind: "metric", name: "spin contention", of: "m" },
    { kind: "series", name: "larx", of: "o:0:12550" },
  ],
  marks: [{ from: 31 * SECOND, to: 33.5 * SECOND, name: "first: run" }],
  baseline: { from: 12.5 * SECOND, to: 22.5 * SECOND },
};

test("what a link says is what was written", () => {
  assert.deepEqual(readPlace(writePlace(place)), place);
});

test("a function of the selection, and what is ranked, are in a link", () => {
  const named: Place = { ...place, function: "kernel:a b&c", rankedBy: "function" };
  assert.deepEqual(readPlace(writePlace(named)), named);
  const objects = writePlace({ ...place, function: "", rankedBy: "object" });
  assert.equal(objects, writePlace(place));
  assert.equal(readPlace("#/ranking?by=nonsense&fn=").rankedBy, undefined);
});

test("a link reads as the documentation has it", () => {
  const link =
    "#/objects?m=orrery@3f2a91c0&r=live:10&e=larx&s=o:0:12550&f=not.p:5&pin=mt:IPC" +
    "&b=12.5..22.5&v=1";
  const read = readPlace(link);
  assert.equal(read.view, "objects");
  assert.equal(read.boot, "3f2a91c0");
  assert.deepEqual(read.range, { live: 10 });
  assert.deepEqual(read.chips, [{ not: true, any: ["p:5"] }]);
  assert.deepEqual(read.pins, [{ kind: "metric", name: "IPC", of: "m" }]);
  assert.deepEqual(read.baseline, { from: 12.5 * SECOND, to: 22.5 * SECOND });
  assert.equal(writePlace({ ...place, ...read } as Place), link);
});

test("letters with a meaning in links are safe in names", () => {
  const odd = { ...place, selection: "k:A&B=C#d e", chips: [{ not: true, any: ["k:x&y"] }] };
  assert.deepEqual(readPlace(writePlace(odd)), odd);
});

test("what a link says wrongly is missing, the rest is there", () => {
  const read = readPlace(
    "#/nowhere?r=20..10&b=a..b&f=perhaps.p:5&pin=zz:1&mark=2..1:x&mark=1..2&e=larx",
  );
  assert.equal(read.view, undefined);
  assert.equal(read.range, undefined);
  assert.equal(read.baseline, undefined);
  assert.deepEqual(read.chips, []);
  assert.deepEqual(read.pins, []);
  assert.deepEqual(read.marks, []);
  assert.ok(!readPlace("#/metrics?mark=1..2:a%E2%80%AEb").marks?.[0].name.includes("\u202e"));
  assert.equal(read.measure, "larx");
  assert.deepEqual(readPlace(""), {});
  assert.deepEqual(readPlace("#%%%"), {});
});

test("a link of another version tells its view alone", () => {
  assert.deepEqual(readPlace("#/metrics?v=2&e=larx"), { view: "metrics" });
});

test("a token is read from its own kind of link", () => {
  assert.equal(readToken("#t=0123abcd"), "0123abcd");
  assert.equal(readToken("#/objects?t=0123"), undefined);
  assert.equal(readToken("#t=<script>"), undefined);
});

test("a link has what the Timeline is zoomed to, to the nanosecond", () => {
  const window = { from: 8172673, to: 8191967 };
  const short = { from: 5, to: 40 };
  const link = writePlace({ ...place, window });
  assert.match(link, /w=0\.008172673\.\.0\.008191967/);
  for (const one of [window, short, { from: 3e9, to: 3e9 + 7 }])
    assert.deepEqual(readPlace(writePlace({ ...place, range: one, window: one })).window, one);
});
