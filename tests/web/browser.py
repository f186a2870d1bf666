# SPDX-License-Identifier: MIT
"""Chromium, as playwright drives it by driver.mjs, and pages in it."""

import json
import os
import subprocess
import time

from machine import ROOT
from waiting import wait_for

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
DRIVER = os.path.join(ROOT, "tests/web/driver.mjs")
# 127.0.0.1 is reached without a proxy.
ENVIRONMENT = {key: value for key, value in os.environ.items()
               if not key.lower().endswith("_proxy")}


def tell(capsys, *lines):
    """Prints what a test has to say when it passes."""
    with capsys.disabled():
        print("", *(f"  {line}" for line in lines), sep="\n")


class Browser:
    def __init__(self):
        self.process = subprocess.Popen(["node", DRIVER, CHROMIUM], cwd=ROOT, env=ENVIRONMENT,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pages = 0

    def ask(self, *request):
        """Returns what a call of playwright gives. Raises AssertionError with its message if it
        fails."""
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the browser's driver has ended with status {self.process.wait()}"
        answer = json.loads(line)
        assert "failed" not in answer, f"{request}: {answer['failed']}"
        return answer["gives"]

    def open(self, link, **options):
        """Opens a page in a browser context of its own, with these options. It shares nothing with
        the others."""
        self.pages += 1
        return Page(self, f"page{self.pages}", link, options)

    def end(self):
        self.process.stdin.close()  # the driver ends Chromium, and itself
        self.process.wait()


class Page:
    """A page. Page("click", selector) is playwright's page.click(selector)."""

    def __init__(self, browser, name, link, options):
        self.browser, self.name = browser, name
        self("open", link, options)

    def __call__(self, call, *arguments):
        return self.browser.ask(self.name, call, *arguments)

    def see(self, selector):
        """Waits until an element can be seen."""
        self("waitForSelector", selector)

    def press(self, *keys):
        for key in keys:
            self("keyboard.press", key)

    def evaluate(self, expression):
        return self("evaluate", expression)

    def when(self, selector):
        """Waits until a selector finds something. Returns when it did, by the test's clock."""
        self.see(selector)
        return time.monotonic()

    def wait(self, expression):
        """Waits until an expression in the page is true. Returns its value."""
        return wait_for(lambda: self.evaluate(expression), expression)

    def measure(self, name):
        """Chooses what heat is of."""
        self.see('.header:has-text("● live")')
        self.press("e")
        self("click", f'.choices button:has-text("{name}")')

    def bars(self, role):
        """Returns the heat bars of the lines that have nothing below them: thing, value, width in
        pixels."""
        return self.evaluate(f"""[...document.querySelectorAll(
            '[role="{role}"] .row:not([aria-expanded]) [role="meter"]')].map((one) => ({{
                thing: one.dataset.thing, value: Number(one.dataset.value),
                width: one.firstElementChild.getBoundingClientRect().width }}))""")

    def longest_bar(self, role="treegrid"):
        """Returns the longest bar of an object. None: there is no bar yet."""
        objects = [one for one in self.bars(role) if one["thing"].startswith("o:")]
        longest = max(objects, key=lambda one: one["width"], default=None)
        return longest and longest["width"] and longest["thing"]

    @property
    def trouble(self):
        """Returns the errors of the page, and what its security policy refused."""
        return self("trouble")

    def close(self):
        self("close")
