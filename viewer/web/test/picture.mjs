// SPDX-License-Identifier: MIT
// What all pictures of the docs have in common: a page of a size, and a picture with few colours.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { withPalette } from "./palette.mjs";

export const pause = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

export async function openPage(browser, link, colorScheme) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.goto(link);
  await page.waitForSelector('.header:has-text("● live")', { timeout: 120_000 });
  return page;
}

export async function take(page, folder, name) {
  await page.mouse.move(640, 5);
  await pause(1);
  writeFileSync(join(folder, `${name}.png`), withPalette(await page.screenshot()));
  console.log(`  PICTURE  ${name}.png`);
}
