// SPDX-License-Identifier: MIT
// A page of the link that is given; for each line of stdin the bytes of its heap, after garbage was
// collected.

import { createInterface } from "node:readline";
import { launch, openPage } from "../../../viewer/web/test/browser.mjs";

const browser = await launch(process.env.CHROMIUM);
const trouble = [];
const page = await openPage(browser, process.argv[2], trouble);
await page.waitForSelector('[role="treegrid"] .row');
const session = await page.context().newCDPSession(page);
for await (const _ of createInterface({ input: process.stdin })) {
  await session.send("HeapProfiler.collectGarbage");
  console.log((await session.send("Runtime.getHeapUsage")).usedSize);
}
await browser.close();
if (trouble.length > 0) throw new Error(trouble.join("\n"));
