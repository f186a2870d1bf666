# SPDX-License-Identifier: MIT
"""docs/why-slow.md on the page alone: what is shown leads to the reason, in at most eight
actions."""

import re

from calls import _diary, _slow, _slow_gateway  # noqa: F401
from waiting import wait_for

ACTIONS_MOST = 8
RANKED = """[...document.querySelectorAll('[role="grid"] .row')].map((row) => [row.dataset.key,
    row.textContent])"""
PARTS = """[...document.querySelectorAll('.inspector [aria-label="%s"] tbody tr')].map((row) =>
    row.dataset.part)"""
CALLS = """[...document.querySelectorAll('.inspector [aria-label="It calls"] tbody tr')].map(
    (row) => [row.dataset.method, row.querySelectorAll("td")[2].textContent])"""
WRITES_LEAST = 500  # a second, on a host that has little time for it; nobody else comes near


class Hand:
    """Does what a person does with the page, and counts it."""

    def __init__(self, page):
        self.page, self.actions = page, 0

    def click(self, selector):
        self.page("click", selector)
        self.actions += 1

    def press(self, key):
        self.page.press(key)
        self.actions += 1


def per_second(text):
    """Reads 6.99k/s."""
    found = re.fullmatch(r"([0-9.,]+) ?(k|M)?/s", text)
    return found and float(found[1].replace(",", "")) * {"k": 1e3, "M": 1e6, None: 1}[found[2]]


def test_the_page_alone_shows_why(browser, slow_gateway, diary):
    page = browser.open(slow_gateway.links["controller"],
                        viewport={"width": 1280, "height": 2000})
    page.see('.header:has-text("● live")')
    hand = Hand(page)
    hand.press("3")  # who is busy?
    hand.click('[aria-label="Ranking of"] button:has-text("processes")')
    row = f'[role="grid"] .row[data-key="p:{diary}"]'
    wait_for(lambda: f"p:{diary}" in [key for key, _ in page.evaluate(RANKED)][:3],
             "diary is among the busiest")
    hand.click(row)  # in which code, called by whom?
    wait_for(lambda: any(name.endswith(":system_call")
                         for name in page.evaluate(PARTS % "Hottest functions")),
             "it enters the kernel all the time")
    wait_for(lambda: "diary:putc" in page.evaluate(PARTS % "Called from"), "it does so from putc")
    hand.click('.inspector [aria-label="Called from"] [data-part="diary:putc"] button')
    callers = {"diary:put_line", "diary:put_page", "diary:main"}  # the compiler may join them
    wait_for(lambda: callers & set(page.evaluate(PARTS % "Called from")), "its own code calls it")
    hand.press("c")  # for what does it wait?
    calls = wait_for(lambda: (lambda rows: rows and (per_second(rows[0][1]) or 0) > WRITES_LEAST
                              and rows)(page.evaluate(CALLS)), "its calls")
    assert calls[0][0] == "fs.write", calls
    assert all(per_second(rate) < per_second(calls[0][1]) / 100 for _, rate in calls[1:]), calls
    assert hand.actions <= ACTIONS_MOST
    assert page.trouble == []
    page.close()
