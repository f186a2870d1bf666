// SPDX-License-Identifier: MIT
// Goes through the page in Chromium against a played gateway: node test/page.mjs FOLDER [CHROMIUM].
// Waits for states, never for times; tells each step, and fails at the first that is wrong.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, openPage } from "./browser.mjs";

const [folder, executablePath = "/usr/bin/chromium"] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const HOT = "o:0:12550";
const children = []; // all gateways, which are ended with this program

async function play(...options) {
  const child = spawn(process.execPath, [join(here, "played_gateway.mjs"), folder, ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const [line] = await once(child.stdout, "data");
  const link = String(line).trim();
  return { link, port: new URL(link).port, end: () => end(child) };
}

async function end(child) {
  const ended = child.exitCode === null && child.signalCode === null && once(child, "exit");
  child.kill();
  await ended;
}

const step = (text) => console.log(`  ${text}`);

const bars = (page) =>
  page.$$eval('[role="treegrid"] [role="meter"]', (all) =>
    all.map((one) => ({
      thing: one.dataset.thing,
      value: Number(one.dataset.value),
      width: one.firstElementChild.getBoundingClientRect().width,
    })),
  );

async function seesHotObject(page) {
  await page.waitForSelector(`[data-thing="${HOT}"][aria-valuenow]:not([aria-valuenow="0"])`);
  const objects = (await bars(page)).filter((one) => one.thing.startsWith("o:"));
  const longest = objects.reduce((a, b) => (b.width > a.width ? b : a));
  assert.equal(longest.thing, HOT);
  assert.ok(objects.every((one) => one.value <= longest.value));
  step("the hot object is seen without a click, and has the longest bar");
}

async function showsWhatIsApart(page) {
  const grid = '[role="treegrid"]';
  await page.waitForSelector(`${grid} [data-key="i"]:has-text("of the time")`);
  await page.waitForSelector(`${grid} [data-key="n:0"]:has-text("[none] its code")`);
  await page.waitForSelector(`${grid} [data-key="p:99"]:has-text("sort pid 99, ended")`);
  const share = async (key) =>
    Number.parseFloat(await page.textContent(`${grid} [data-key="${key}"] .number`));
  assert.equal(await share("m"), 100);
  assert.ok((await share("p:99")) < 5 && (await share("i")) > 50);
  step("code without an object, ended processes and the idle loop have rows; it is of the time");
}

async function showsOwnProcessFirst(page) {
  const rows = '[role="treegrid"] .row';
  await page.waitForSelector(`${rows}[data-key="o:0:11720"]`);
  const keys = await page.$$eval(rows, (all) => all.map((one) => one.dataset.key));
  assert.deepEqual(keys.slice(0, 3), ["m", "p:7", "s:7:kernel"]);
  assert.ok(keys.indexOf("o:0:11720") < keys.indexOf("p:0"), "the way down is open there");
  assert.match(
    await page.textContent('[role="treegrid"] [role="columnheader"]:nth-child(2)'),
    /run/,
  );
  step("the user's process stands above the kernel, open down to its hot object");
}

async function hidesToken(page) {
  assert.ok(!page.url().includes("t=0123"), page.url());
  assert.ok(await page.evaluate(() => sessionStorage.getItem("token")));
  await page.reload();
  await page.waitForSelector(`[data-key="${HOT}"]`);
  const icon = await page.$eval('link[rel="icon"]', (one) => one.href);
  assert.equal((await page.request.get(icon)).status(), 200);
  step("the token has left the address, and is there after loading again");
}

async function showsHostileName(page) {
  const text = await page.textContent('[data-key="p:7"]');
  assert.match(text, /a<U\+202E>b<script><U\+0007>/);
  assert.equal(await page.$("#page script"), null);
  step("a hostile name is text, with codes");
}

async function movesByKeys(page) {
  await page.focus('[role="treegrid"]');
  await page.keyboard.press("Home");
  for (let i = 0; (await page.$(`[data-key="${HOT}"][aria-selected="true"]`)) === null; i++) {
    assert.ok(i < 20, "the hot object is one of the first");
    await page.keyboard.press("ArrowDown");
    await page.waitForSelector(`.row:nth-child(${i + 2})[aria-selected="true"]`);
  }
  await page.waitForSelector(`[data-key="${HOT}"][aria-selected="true"]`);
  const active = await page.getAttribute('[role="treegrid"]', "aria-activedescendant");
  assert.equal(await page.getAttribute(`#${active}`, "data-key"), HOT);
  await page.waitForSelector('.inspector h2:has-text("ContendedObject 0x12550")');
  await page.waitForSelector('.inspector dd:has-text("SpinLocked")');
  step("the arrow keys select; the inspector follows");
}

async function filters(page) {
  await page.keyboard.press("Shift+X");
  await page.waitForSelector('.words:has-text("hides")');
  assert.equal(await page.$(`[role="treegrid"] [data-key="${HOT}"]`), null);
  assert.match(page.url(), /f=not\.o:0:12550/);
  await page.click('.words .chip:has-text("not")');
  await page.waitForSelector(`[role="treegrid"] [data-key="${HOT}"]`);
  step("a filter hides, says so, and is taken away");
}

async function finds(page) {
  await page.keyboard.press("/");
  await page.waitForSelector('[role="combobox"]:focus');
  await page.keyboard.type("11420");
  await page.waitForSelector('.found-one.chosen:has-text("FCM 0x11420")');
  await page.keyboard.press("Enter");
  await page.waitForSelector('[data-key="o:0:11420"][aria-selected="true"]');
  step("what is found is selected, opened and in sight");
}

async function choosesRange(page) {
  const box = await (await page.$(".strip-graphs")).boundingBox();
  await page.mouse.move(box.x + 300, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + 400, box.y + 60, { steps: 4 });
  await page.mouse.up();
  await page.waitForSelector('.words:has-text("behind")');
  assert.match(page.url(), /r=\d+(\.\d+)?\.\.\d+/);
  await page.keyboard.press("Space");
  await page.waitForSelector('.header:has-text("● live")');
  step("dragging on the strip chooses the range; Space is live again");
}

async function pointsAtValues(page) {
  const row = '.strip-name[data-metric="IPC"]';
  const mean = await page.textContent(`${row} > .number`);
  assert.match(await page.textContent(`${row} .strip-scale`), /^[1-9].*0$|^0\.[0-9]+0$/);
  const strip = await (await page.$(".strip-graphs")).boundingBox();
  await page.mouse.move(strip.x + strip.width / 2, strip.y + 60); // a minute ago
  await page.waitForSelector('.strip-axis:has-text("at ")');
  await page.waitForSelector(`${row} > .number:not(:text-is("${mean}"))`);
  await page.keyboard.press("2");
  const chart = await (await page.$('.chart[data-metric="IPC"] canvas')).boundingBox();
  await page.mouse.move(chart.x + chart.width / 2, chart.y + 40);
  const words = await page.waitForSelector('.chart[data-metric="IPC"] .chart-words:has-text("±")');
  const value = /: (\S+) ±/.exec(await words.textContent())[1];
  assert.equal(await page.textContent(`${row} > .number`), value, "all graphs have one cursor");
  await page.mouse.move(0, 0);
  await page.waitForSelector('.strip-axis:has-text("mean")');
  await page.keyboard.press("1");
  step("each graph tells the value at the pointer; the strip has scales");
}

async function opensDrawer(page) {
  await page.setViewportSize({ width: 800, height: 600 });
  const width = async (selector) => (await (await page.$(selector)).boundingBox()).width;
  await page.waitForSelector(".inspector h2");
  assert.equal(await width(".objects"), 800, "the list is below the drawer");
  assert.ok((await width(".inspector")) < 400);
  await page.click(".inspector .close");
  await page.waitForSelector(".inspector", { state: "detached" });
  await page.keyboard.press("q");
  await page.setViewportSize({ width: 1280, height: 800 });
  step("in a narrow window the inspector is a drawer, which closes");
}

async function holdsBySpace(page) {
  await page.keyboard.press("7");
  await page.click('th button:has-text("CPU %")');
  await page.waitForSelector('th[aria-sort="descending"]:has-text("▾")');
  await page.click('th button:has-text("name")');
  await page.waitForSelector('th[aria-sort="ascending"]:has-text("name ▴")');
  await page.click('th button:has-text("CPU %")');
  await page.focus('th button:has-text("name")');
  await page.keyboard.press("Space");
  await page.waitForSelector('.header:has-text("held")');
  await page.waitForSelector('th[aria-sort="descending"]:has-text("CPU %")');
  await page.keyboard.press("Space");
  await page.waitForSelector('.header:has-text("● live")');
  await page.keyboard.press("1");
  await page.setViewportSize({ width: 1280, height: 400 });
  await page.keyboard.press("?");
  await page.waitForSelector("dialog kbd");
  const scrolled = await page.$eval("dialog", (one) => [one.scrollTop, one.scrollHeight]);
  assert.ok(scrolled[0] === 0 && scrolled[1] > 400, `${scrolled}`);
  await page.keyboard.press("Escape");
  await page.keyboard.press("2");
  const heights = [];
  for (const height of [800, 1200]) {
    await page.setViewportSize({ width: 1280, height });
    await page.waitForSelector(".chart canvas");
    heights.push(await page.$eval(".chart canvas", (one) => one.clientHeight));
  }
  assert.ok(heights[1] > heights[0], `${heights}`);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.keyboard.press("1");
  step("help opens at its top; graphs grow with the window");
  step("Space holds with the focus on a button; columns say in which direction they sort");
}

async function comparesRanking(page) {
  await page.keyboard.press("3");
  await page.waitForSelector('[role="grid"] [data-key="o:0:12550"]');
  const first = await page.getAttribute('[role="grid"] .row', "data-key");
  assert.equal(first, HOT);
  await page.waitForSelector('[role="grid"] :text("in no row")');
  await page.keyboard.press("b");
  await page.waitForSelector(':text("could be chance")');
  await page.waitForSelector('[data-change="share"]:text("▲ more")');
  await page.waitForSelector('[data-change="rate"]:text("▲ more")');
  await page.waitForSelector('[data-change="rate"]:text("could be chance")');
  await page.keyboard.press("b");
  step("the ranking compares with a baseline, and says what could be chance");
}

async function ranksFunctions(page) {
  await page.keyboard.press("3");
  await page.click('[aria-label="Ranking of"] button:has-text("functions")');
  const row = (text) => `[role="grid"] .row:has-text("${text}")`;
  await page.waitForSelector(`${row("being looked up")}:has-text("12")`);
  await page.waitForSelector(row("in no function that is known"));
  await page.waitForSelector('.trouble:has-text("4 samples of the machine are in no row")');
  await page.waitForSelector(row("a<U+202E>b:<script>"));
  await page.waitForSelector(row("being looked up"), { state: "detached" });
  step("functions that are being looked up are told, and come; those not known are told");
  await page.click(row("lock_acquire"));
  await page.waitForSelector('.inspector tr[data-part="kernel/lock.c:41"]:has-text("83.3 %")');
  await page.waitForSelector('.inspector tr[data-part="no line is known"]');
  await page.waitForSelector('.inspector [aria-label="Called from"]:has-text("kernel:dispatch")');
  await page.click('.inspector [aria-label="Called from"] button:has-text("kernel:dispatch")');
  await page.waitForSelector('.inspector h3:has-text("kernel:dispatch")');
  await page.keyboard.press("Escape");
  await page.waitForSelector('.inspector:not(:has-text("Source lines"))');
  step("a function has its lines; who calls it can be chosen, and Esc goes back");
  await page.waitForSelector('.status-line .error:has-text("stacks 4,096 of 4,096")');
  step("a table of stacks without room is red while stacks find none");
  await page.keyboard.press("Escape");
  await page.click('[aria-label="Ranking of"] button:has-text("objects")');
}

async function showsMetrics(page) {
  await page.keyboard.press("2");
  const marked = 'tr[data-interval="contention work=27-9"]';
  await page.waitForSelector(`${marked}[data-metric="IPC"] td:has-text("±")`);
  await page.waitForSelector(`${marked}[data-metric="TLB miss rate"]:has-text("without CPU 1")`);
  await page.keyboard.press("t");
  await page.waitForSelector('.chart[data-metric="IPC"] table');
  await page.keyboard.press("t");
  await page.waitForSelector('.chart[data-metric="IPC"] canvas');
  step("metrics have marked intervals, and a table in place of the picture");
}

async function runsWorkload(page) {
  await page.keyboard.press("7");
  await page.fill('[name="hold"]', "250");
  await page.click('.parameters button[type="submit"]');
  await page.waitForSelector('.run:has-text("contention hold=250") >> text=running');
  await page.waitForSelector('.status-line .error:has-text("since sampling began")');
  await page.click('.run:has-text("hold=250") button:has-text("Stop")');
  await page.waitForSelector('.run:has-text("hold=250") >> text=ended');
  await page.waitForSelector('.console:has-text("orrery:/$")');
  const output = await page.textContent(".console");
  assert.equal(output.split("$ ls").length, 2, `told once: ${output}`);
  await page.waitForSelector('.status-line span:not(.error):has-text("since sampling began")');
  step("losses are red while they grow, and no longer");
  step("a workload is started from its form, and stopped; the console is told once");
}

async function asksTwice(page) {
  await page.selectOption('[aria-label="Workloads"] select', "crash");
  const crashes = () =>
    page.$$eval(".run", (all) => all.filter((one) => /crash/.test(one.textContent)).length);
  await page.focus('[name="kind"]');
  await page.keyboard.press("Enter");
  await page.dblclick('.parameters button:has-text("Start")');
  await page.waitForSelector('.parameters button:has-text("crash: end orrery?")');
  assert.equal(await crashes(), 0);
  await page.click(".parameters button.asks");
  await page.waitForSelector('.run:has-text("crash")');
  assert.equal(await crashes(), 1);
  step("what ends the machine is asked about twice, and a double click is asked too");
}

async function copiesCommands(page, port) {
  await page.keyboard.press("1");
  await page.evaluate(() => {
    location.hash = "#/objects?s=p:3&e=larx";
  });
  await page.waitForSelector(".inspector code.kov");
  assert.match(
    await page.textContent(".inspector code.kov"),
    new RegExp(`^kov --port ${port} stat -e larx@100000 --per-object --pid 3 -d 10$`),
  );
  step("the command to copy leads to the machine");
}

async function playsTape(browser, trouble) {
  const gateway = await play("--tape");
  const page = await openPage(browser, gateway.link, trouble);
  await page.waitForSelector('.header:has-text("recording")');
  await page.waitForSelector(`[data-key="${HOT}"]`);
  await page.click(`[data-key="${HOT}"]`);
  await page.waitForSelector(".inspector h2");
  assert.equal(await page.locator("code.kov").count(), 0);
  await page.keyboard.press("7");
  await page.waitForSelector('tr[data-key="p:1"]');
  await page.waitForSelector('.parameters:has-text("A recording")');
  for (const gone of ["kill", "Start", "Send", "Power off"])
    assert.equal(await page.locator(`main button:text-is("${gone}")`).count(), 0, gone);
  assert.equal(await page.locator('main select[aria-label^="Move"]').count(), 0);
  step("a recording has no kill, no start and no command");
}

async function tellsPanic(browser, trouble) {
  const gateway = await play("--panic");
  const page = await openPage(browser, gateway.link, trouble);
  await page.waitForSelector('.banner:has-text("panicked. PANIC on CPU 1: lock order<U+202E>;")');
  await page.waitForSelector(`.stale [data-key="${HOT}"]`);
  step("a machine that panicked says why, and its views stay");
}

async function survivesLoss(page, gateway) {
  await page.keyboard.press("1");
  await page.waitForSelector(`[data-key="${HOT}"]`);
  await gateway.end();
  await page.waitForSelector('.banner:has-text("No connection to kov serve")');
  assert.ok(await page.$(`[data-key="${HOT}"]`), "what was known stays");
  const again = await play("--port", gateway.port);
  await page.waitForSelector('.header:has-text("● live")');
  await page.waitForFunction(() => !document.querySelector(".banner"));
  step("a lost connection is told, tried again, and found");
  return again;
}

async function observerMayLook(browser, trouble) {
  const gateway = await play("--observer", "--objects", "10000");
  const page = await openPage(browser, gateway.link, trouble);
  await seesHotObject(page);
  await page.click('[data-key="p:1"]');
  await page.keyboard.press("ArrowRight");
  for (const text of ["in the process"]) await page.click(`.row:has-text("${text}")`);
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(
    () => Number(document.querySelector('[role="treegrid"]').getAttribute("aria-rowcount")) > 1400,
  );
  const rows = await page.$$eval('[role="treegrid"] .row', (all) => all.length);
  assert.ok(rows < 60, `${rows} rows in the page`);
  step(`of more than 1,400 rows ${rows} are in the page`);
  await page.evaluate(() => {
    location.hash = "#/objects?s=o:6:15000";
  });
  await page.waitForSelector('[data-key="o:6:15000"][aria-selected="true"]');
  step("what a link selects below closed rows is opened and brought into sight");
  await page.keyboard.press("7");
  await page.waitForSelector('tr[data-key="p:1"]');
  assert.equal(await page.$('button:has-text("kill")'), null);
  assert.equal(await page.$(".console-input"), null);
  step("an observer has nothing to change the machine with");
}

async function refusesToken(browser, gateway, trouble) {
  const page = await openPage(browser, gateway.link.replace(/t=.*/, "t=ffff"), trouble);
  await page.waitForSelector('.token:has-text("not known")');
  await page.fill('[name="token"]', gateway.link);
  await page.click('.token button[type="submit"]');
  await page.waitForSelector(`[data-key="${HOT}"]`);
  step("a token that is not known is told, and another can be put in");
  await page.evaluate((link) => {
    location.href = link;
  }, gateway.link);
  await page.waitForFunction(() => !location.hash.includes("t="));
  await page.waitForSelector(`[data-key="${HOT}"]`);
  step("a link with a token is taken where the page is open already");
}

const browser = await launch(executablePath);
const trouble = [];
try {
  let gateway = await play();
  const page = await openPage(browser, gateway.link, trouble);
  await seesHotObject(page);
  await showsOwnProcessFirst(page);
  await showsWhatIsApart(page);
  await hidesToken(page);
  await showsHostileName(page);
  await movesByKeys(page);
  await filters(page);
  await finds(page);
  await choosesRange(page);
  await pointsAtValues(page);
  await opensDrawer(page);
  await holdsBySpace(page);
  await comparesRanking(page);
  await ranksFunctions(page);
  await showsMetrics(page);
  await runsWorkload(page);
  await asksTwice(page);
  await copiesCommands(page, 4242);
  gateway = await survivesLoss(page, gateway);
  await refusesToken(browser, gateway, trouble);
  await observerMayLook(browser, trouble);
  await playsTape(browser, trouble);
  await tellsPanic(browser, trouble);
  assert.deepEqual(trouble, []);
  step("no error, and nothing against the security policy");
} finally {
  await browser.close();
  await Promise.all(children.map(end));
}
