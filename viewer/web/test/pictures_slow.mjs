// SPDX-License-Identifier: MIT
// The pictures of docs/why-slow.md, of a real machine that runs `diary`: node
// test/pictures_slow.mjs LINK FOLDER [CHROMIUM]. scripts/viewer-pictures starts both.

import { launch } from "./browser.mjs";
import { openPage, pause, take } from "./picture.mjs";

const [link, folder, executablePath = "/usr/bin/chromium"] = process.argv.slice(2);
const DIARY = '[role="grid"] .row:has-text("diary pid")';
const CALLS_SECONDS = 10; // so that the range is full of them

const browser = await launch(executablePath);
try {
  const dark = await openPage(browser, link, "dark");
  const light = await openPage(browser, link, "light");
  for (const page of [dark, light]) {
    await page.keyboard.press("3");
    await page.click('[aria-label="Ranking of"] button:has-text("processes")');
    await page.click(DIARY, { timeout: 120_000 });
    await page.waitForSelector('.inspector [data-part$=":system_call"]', { timeout: 120_000 });
  }
  await pause(CALLS_SECONDS);
  await take(dark, folder, "slow-busy");
  await light.keyboard.press("c");
  await light.waitForSelector('.inspector [data-method="fs.write"]', { timeout: 120_000 });
  await pause(CALLS_SECONDS);
  await take(light, folder, "slow-calls");
} finally {
  await browser.close();
}
