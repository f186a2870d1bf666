// SPDX-License-Identifier: MIT
// Lets a test in Python use playwright: a line [PAGE, CALL, arguments…] of JSON on stdin is
// answered by a line on stdout, {"gives": …} or {"failed": text}. CALL is a method of playwright's
// Page, as "click" or "keyboard.press"; "open" opens PAGE at a link, "trouble" gives its errors,
// "tree" what the browser tells a screen reader.

import { createInterface } from "node:readline";
import { launch, openPage } from "../../viewer/web/test/browser.mjs";

const PATIENCE_MS = 600_000; // waiting.py

const browser = await launch(process.argv[2]);
const pages = new Map();
const troubles = new Map();

async function open(name, link, options) {
  const trouble = [];
  troubles.set(name, trouble);
  const page = await openPage(browser, "about:blank", trouble, options);
  page.setDefaultTimeout(PATIENCE_MS);
  pages.set(name, page);
  await page.goto(link);
}

/** Nodes in order, with the numbers of their children; properties as level, selected, focused. */
async function accessibilityTree(page) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  return nodes.map((node) => ({
    id: node.nodeId,
    children: node.childIds ?? [],
    role: node.role?.value,
    name: node.name?.value ?? "",
    value: node.value?.value,
    ...Object.fromEntries((node.properties ?? []).map((one) => [one.name, one.value.value])),
  }));
}

async function call(name, what, ...given) {
  if (what === "open") return open(name, ...given);
  if (what === "trouble") return troubles.get(name);
  if (what === "tree") return accessibilityTree(pages.get(name));
  const [method, ...holders] = what.split(".").reverse();
  const holder = holders.reverse().reduce((object, part) => object[part], pages.get(name));
  return holder[method](...given);
}

const plain = (value) => (value?.constructor?.name === "ElementHandle" ? null : (value ?? null));

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await call(...JSON.parse(line)).then(
    (value) => ({ gives: plain(value) }),
    (error) => ({ failed: String(error.message ?? error) }),
  );
  console.log(JSON.stringify(answer));
}
await browser.close();
