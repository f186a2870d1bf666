// SPDX-License-Identifier: MIT
// Contrast as WCAG 2 reckons it (1.4.3, 1.4.11), of all colours of style.css in both themes: each
// text and each mark on each ground, whether or not they meet today.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { SHADE } from "../src/draw/interval.ts";

type Colour = [number, number, number];
type Colours = ReadonlyMap<string, Colour>;

/** Of these nothing is told: lines that part things. */
const ONLY_PART = ["line"];
/** Marks although they fill a background. */
const BARS = ["heat"];
/** Intervals on canvases, which texts and marks stand on. */
const SHADES = ["accent", "lost", "series-4", "series-5"];
const TEXT_LEAST = 4.5;
const MARK_LEAST = 3;

const css = readFileSync("src/style.css", "utf8");
const uses = (property: string): string[] => [
  ...new Set(
    [...css.matchAll(new RegExp(`^ *${property}: var\\(--([\\w-]+)\\)`, "gm"))].map(
      (one) => one[1],
    ),
  ),
];

const read = (hex: string): Colour =>
  [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255) as Colour;
const mix = (above: Colour, part: number, below: Colour): Colour =>
  above.map((one, i) => part * one + (1 - part) * below[i]) as Colour;

function luminance(colour: Colour): number {
  const [r, g, b] = colour.map((one) =>
    one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: Colour, other: Colour): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** As filter: grayscale(1) makes it, while what is shown is from before. */
function grey(colour: Colour): Colour {
  const [r, g, b] = colour;
  const level = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return [level, level, level];
}

const declared = [...css.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)];
const theme = (at: 2 | 3, change: (colour: Colour) => Colour): Colours =>
  new Map(declared.map((one) => [one[1], change(read(one[at]))]));
const same = (colour: Colour): Colour => colour;
const THEMES: Record<string, Colours> = {
  light: theme(2, same),
  "light, stale": theme(2, grey),
  dark: theme(3, same),
  "dark, stale": theme(3, grey),
};

const names = declared.map((one) => one[1]);
const texts = uses("color");
const grounds = uses("background").filter((one) => !BARS.includes(one));
const marks = names.filter((one) => ![...grounds, ...ONLY_PART].includes(one));

function groundsOf(colours: Colours): [string, Colour][] {
  const colour = (name: string): Colour => colours.get(name) ?? assert.fail(`no colour ${name}`);
  return [
    ...grounds.map((name): [string, Colour] => [name, colour(name)]),
    ...SHADES.map((name): [string, Colour] => [
      `ground, shaded with ${name}`,
      mix(colour(name), SHADE, colour("ground")),
    ]),
  ];
}

function checkAll(what: string, wanted: string[], least: number): void {
  for (const [title, colours] of Object.entries(THEMES)) {
    const pairs = wanted.flatMap((name) =>
      groundsOf(colours).map(([ground, below]) => ({
        pair: `${name} on ${ground}`,
        is: contrast(colours.get(name) ?? assert.fail(`no colour ${name}`), below),
      })),
    );
    pairs.sort((a, b) => a.is - b.is);
    const worst = pairs.slice(0, 3).map((one) => `${one.is.toFixed(2)} ${one.pair}`);
    console.log(`${title}: ${pairs.length} pairs of ${what}, worst ${worst.join("; ")}`);
    const low = pairs.filter((one) => one.is < least);
    assert.deepEqual(low, [], `${title}: ${what} below ${least}`);
  }
}

test("contrast is reckoned as WCAG does", () => {
  assert.equal(contrast([0, 0, 0], [1, 1, 1]), 21);
  assert.equal(contrast(read("#777777"), read("#ffffff")).toFixed(2), "4.48");
});

test("the style sheet's colours all stand in :root, none half transparent", () => {
  const below = css.slice(css.indexOf("* {"));
  const shadows = /rgb\(0 0 0 \/ \d+%\)/g; // behind dialogs and drawers, under nothing that is read
  assert.doesNotMatch(below.replace(shadows, ""), /#[0-9a-f]{3,8}\b|rgb|hsl|opacity/);
  assert.equal(names.length, [...css.matchAll(/^ +--[\w-]+:/gm)].length, "each has both themes");
  for (const name of [...texts, ...grounds, ...BARS, ...ONLY_PART, ...SHADES])
    assert.ok(names.includes(name), name);
});

test("texts have a contrast of at least 4.5 in both themes", () => {
  checkAll("texts", texts, TEXT_LEAST);
});

test("marks have a contrast of at least 3 in both themes", () => {
  checkAll("marks", marks, MARK_LEAST);
});
