// SPDX-License-Identifier: MIT
// The pictures of docs/viewer.md, of a real machine: node test/pictures.mjs LINK FOLDER [CHROMIUM].
// scripts/viewer-pictures starts the machine and the gateway that prints the link.

import { launch } from "./browser.mjs";
import { openPage, pause, take } from "./picture.mjs";

const [link, folder, executablePath = "/usr/bin/chromium"] = process.argv.slice(2);
const WORKLOAD = "contention";
const HOT = '[role="treegrid"] .row:has-text("ContendedObject")';
const BUSY_SECONDS = 30;

/** From the form, as a person would: what runs gets a mark. */
async function startWorkload(page) {
  await page.keyboard.press("7");
  await page.selectOption('[aria-label="Workloads"] select', WORKLOAD);
  await page.fill('[name="seconds"]', String(BUSY_SECONDS));
  await page.click('.parameters button[type="submit"]');
  await page.waitForSelector(`.run:has-text("${WORKLOAD}") >> text=running`);
}

/** What is counted is this; the link in the address says it. */
async function measure(page, name) {
  await page.evaluate((event) => {
    location.hash = location.hash.replace(/&v=1/, `&e=${event}&v=1`);
  }, name);
  await page.waitForSelector(`.words .chip:has-text("${name}")`);
}

/** The range is the baseline; then the newest seconds are the range again. */
async function baseline(page) {
  await page.keyboard.press("Space");
  await page.keyboard.press("b");
  await page.keyboard.press("Space");
}

const browser = await launch(executablePath);
try {
  const dark = await openPage(browser, link, "dark");
  const light = await openPage(browser, link, "light");
  await pause(25); // of a machine at rest, for the strip and the baseline
  await light.keyboard.press("7"); // no view that names objects before a scan has seen them
  await measure(light, "run-cycles");
  await baseline(light);
  await startWorkload(dark);
  await pause(12);
  await dark.keyboard.press("1");
  await dark.click(HOT);
  await take(dark, folder, "objects");
  await light.keyboard.press("3");
  await light.click('[role="grid"] .row:has-text("ContendedObject")');
  await take(light, folder, "ranking");
  await light.keyboard.press("b");
  await light.keyboard.press("7");
  await light.waitForSelector('tr[data-key="p:1"] >> text=/^\\d+\\.\\d$/');
  await take(light, folder, "machine");
  await pause(BUSY_SECONDS - 10);
  await dark.keyboard.press("Escape");
  await dark.keyboard.press("2");
  await take(dark, folder, "metrics");
} finally {
  await browser.close();
}
