// SPDX-License-Identifier: MIT
// Chromium, and pages in it whose errors are kept: for page.mjs, pictures.mjs and tests/web.

import { chromium } from "playwright-core";

export const launch = (executablePath = "/usr/bin/chromium") =>
  chromium.launch({
    executablePath,
    args: [
      "--no-sandbox", // which root does not get
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });

/** What goes wrong in the page, also against its security policy, is added to `trouble`. */
export async function openPage(browser, link, trouble, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.on("pageerror", (error) => trouble.push(`error: ${error.message}`));
  page.on("console", (message) => {
    const text = message.text();
    // A gateway that is gone is no error of the page.
    if (message.type() === "error" && !/ERR_CONNECTION/.test(text)) trouble.push(text);
  });
  await page.goto(link);
  return page;
}
