// SPDX-License-Identifier: MIT
// How long the page's script takes in each frame, and how many frames there are a second, while the
// tree of 10,000 objects is scrolled and 2,000 of them change twice a second. Judges nothing.
//   node tests/web/bench/frames.mjs FOLDER_OF_THE_PAGE [--seconds N] [--trace FILE]

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { launch, openPage } from "../../../viewer/web/test/browser.mjs";
import { FRAME, scriptTimes } from "./script_times.mjs";

const OBJECTS = 10_000;
const CHANGES = 2_000;
const PROCESSES = 7; // of the played gateway
const SPEED = 2_000; // pixels a second
const CATEGORIES = ["devtools.timeline", "v8", "blink.user_timing"];

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: "string", default: "20" }, trace: { type: "string" } },
});
const here = dirname(fileURLToPath(import.meta.url));

async function play(folder) {
  const gateway = join(here, "../../../viewer/web/test/played_gateway.mjs");
  const amounts = ["--objects", OBJECTS, "--changes", CHANGES].map(String);
  const child = spawn(process.execPath, [gateway, folder, ...amounts], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  return { link: String(line).trim(), end: () => child.kill() && once(child, "exit") };
}

/** What a link selects is opened and brought into sight: an object of each process. */
async function openEverything(page) {
  await page.waitForSelector('[role="treegrid"] .row');
  const sort = '[role="columnheader"] button';
  await page.click(sort); // what is to be seen stays where it is
  for (let pid = 1; pid <= PROCESSES; pid++) {
    const key = `o:${pid}:10000`;
    await page.evaluate((hash) => {
      location.hash = hash;
    }, `#/objects?s=${key}`);
    await page.waitForSelector(`[data-key="${key}"][aria-selected="true"]`);
  }
  await page.waitForFunction(
    (objects) =>
      Number(document.querySelector('[role="treegrid"]').getAttribute("aria-rowcount")) > objects,
    OBJECTS,
  );
  await page.click(sort);
}

/** Every frame has a mark in the trace, also one that nothing was drawn in. */
const markFrames = (page) =>
  page.evaluate((name) => {
    const frame = () => {
      performance.mark(name);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }, FRAME);

/** To and fro with the wheel, as a hand would; the events of Chromium's trace meanwhile. */
async function traceScrolling(page, seconds) {
  const session = await page.context().newCDPSession(page);
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  const ended = new Promise((done) => session.once("Tracing.tracingComplete", done));
  await session.send("Tracing.start", { traceConfig: { includedCategories: CATEGORIES } });
  const box = await (await page.$(".list-rows")).boundingBox();
  const end = performance.now() + seconds * 1000;
  for (let direction = -1; performance.now() < end; direction = -direction)
    await session.send("Input.synthesizeScrollGesture", {
      x: box.x + 40,
      y: box.y + box.height / 2,
      yDistance: direction * SPEED * 2,
      speed: SPEED,
      gestureSourceType: "mouse",
    });
  await session.send("Tracing.end");
  await ended;
  return events;
}

const at = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
const ms = (value) => value.toFixed(1).padStart(8);

function printQuantiles(name, numbers, asked) {
  const all = sorted(numbers);
  const cells = [0.5, 0.95, 0.99, 1].map((part) => ms(at(all, part)));
  console.log(`  ${name.padEnd(24)}${cells.join("")}   ${asked}`);
}

function print({ script, gaps }) {
  console.log(`The page: ${OBJECTS} objects, ${CHANGES} changes twice a second, while scrolling`);
  const head = ["p50", "p95", "p99", "max"].map((name) => name.padStart(8));
  console.log(`  ${"".padEnd(24)}${head.join("")}`);
  printQuantiles("script a frame, ms", script, "asked: at most 8 at p95");
  printQuantiles("between frames, ms", gaps, "");
  const rate = ms((1000 * gaps.length) / gaps.reduce((sum, one) => sum + one));
  console.log(`  ${"frames a second".padEnd(24)}${rate}${"".padEnd(24)}   asked: at least 59`);
}

const gateway = await play(positionals[0]);
const browser = await launch(process.env.CHROMIUM);
try {
  const trouble = [];
  const page = await openPage(browser, gateway.link, trouble);
  await openEverything(page);
  await markFrames(page);
  const events = await traceScrolling(page, Number(options.seconds));
  if (options.trace) writeFileSync(options.trace, JSON.stringify({ traceEvents: events }));
  print(scriptTimes(events));
  if (trouble.length > 0) throw new Error(trouble.join("\n"));
} finally {
  await browser.close();
  await gateway.end();
}
