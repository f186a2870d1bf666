// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { best, score } from "../src/base/fuzzy.ts";
import { count, metric, niceStep, percent, plusMinus, scaled, signed } from "../src/base/number.ts";
import { clean, cleanLines, cleanOutput, csv } from "../src/base/text.ts";
import { SECOND, clock, length, timeTicks } from "../src/base/time.ts";

test("what is not known is never 0", () => {
  for (const write of [count, scaled, percent, signed]) {
    assert.equal(write(Number.NaN), "–");
    assert.equal(write(undefined), "–");
  }
  assert.equal(plusMinus(Number.NaN), "± ?");
  assert.equal(metric(Number.NaN, true), "–");
});

test("numbers have thousands apart and large ones a scale", () => {
  assert.equal(count(12480), "12,480");
  assert.equal(count(999), "999");
  assert.equal(scaled(2.55e6), "2.55 M");
  assert.equal(scaled(23339), "23,339");
  assert.equal(scaled(0.645), "0.645");
  assert.equal(scaled(0), "0");
});

test("small parts of a hundred keep a digit that tells something", () => {
  assert.equal(percent(74.66), "74.7 %");
  assert.equal(percent(100), "100 %");
  assert.equal(percent(0.04), "0.04 %");
  assert.equal(percent(0), "0.0 %");
  assert.equal(plusMinus(0.0003), "±0.0003");
  assert.equal(metric(0.0163, true), "0.016 %");
  assert.equal(metric(2.314, true), "2.31 %");
  assert.equal(signed(-0.5), "−0.5");
  assert.equal(signed(62.7), "+62.7");
});

test("steps of an axis are 1, 2 or 5 times a power of ten and not too many", () => {
  for (const span of [0.003, 0.9, 7, 42, 999, 123456]) {
    const step = niceStep(span, 4);
    assert.ok(span / step <= 4 + 1e-9, `${span} has ${span / step} steps of ${step}`);
    const mantissa = step / 10 ** Math.floor(Math.log10(step) + 1e-9);
    assert.ok(
      [1, 2, 5].some((one) => Math.abs(one - mantissa) < 1e-6),
      `step ${step}`,
    );
  }
});

test("times are minutes and seconds since the boot", () => {
  assert.equal(clock(772.4 * SECOND), "12:52.4");
  assert.equal(clock(65 * SECOND, 0), "1:05");
  assert.equal(clock(3725 * SECOND, 0), "1:02:05");
  assert.equal(clock(59.99 * SECOND, 0), "0:59");
  assert.equal(length(10 * SECOND), "10.0 s");
  assert.equal(length(412_700), "412.7 µs");
});

test("ticks lie in the interval, at most as many as asked for", () => {
  const shown = { from: 12.5 * SECOND, to: 133 * SECOND };
  const ticks = timeTicks(shown, 8);
  assert.ok(ticks.length > 2 && ticks.length <= 9, `${ticks.length} ticks`);
  for (const one of ticks) assert.ok(one >= shown.from && one <= shown.to);
});

test("a machine's text shows what hides", () => {
  assert.equal(clean("a\u202eb\u0007<script>"), "a<U+202E>b<U+0007><script>");
  assert.equal(clean("one\ntwo"), "one<U+000A>two");
  assert.equal(clean("x".repeat(1000)).length, 256);
  assert.equal(clean(undefined), "");
  assert.equal(clean({ toString: () => "no" }), "");
});

test("lines stay lines where they are wanted", () => {
  assert.equal(cleanLines("one\ntwo\u202e"), "one\ntwo<U+202E>");
  assert.equal(cleanOutput("a\r\nb\u001b[1mc\u001b[0m\u0007\td"), "a\nbc\td");
});

test("CSV quotes, and no cell is a formula", () => {
  assert.equal(csv([["a,b", 'c"d', 1.5, Number.NaN]]), '"a,b","c""d",1.5,\r\n');
  assert.equal(csv([["=1+1", "-x", -1]]), "'=1+1,'-x,-1\r\n");
});

test("names are found by their beginnings and by letters in order", () => {
  assert.equal(score("xyz", "ContendedObject"), undefined);
  const names = ["Region 0x11310", "ContendedObject 0x12550", "contention"];
  assert.equal(best("12550", names, (one) => one, 3)[0], names[1]);
  assert.deepEqual(best("cont", names, (one) => one, 1).length, 1);
  assert.equal(best("co", names, (one) => one, 9).length, 2);
  assert.deepEqual(
    best("", names, (one) => one, 9),
    names,
  );
});
