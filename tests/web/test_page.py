# SPDX-License-Identifier: MIT
"""The page of `kov serve` shows what a real machine does. The hot object is found as a user would
find it."""

import json
import time

import pytest

from browser import tell
from waiting import wait_for

VIEWS = {"1": "Objects", "2": "Metrics", "3": "Ranking", "4": "Timeline", "7": "Machine"}


def is_first_in_ranking(page, hot):
    return page.evaluate("""document.querySelector('[role="grid"] .row')?.dataset.key""") == hot


def test_first_sight(open_page, capsys):
    """Objects and metrics of the running system appear without a click. The test says how soon."""
    begin = time.monotonic()
    page = open_page()
    page.see('[role="treegrid"] [data-key^="o:"]')
    objects = time.monotonic()
    page.wait("""!/^[^0-9]*$/.test(document.querySelector('.strip')?.textContent ?? "")""")
    metrics = time.monotonic()
    tell(capsys, f"objects after {1000 * (objects - begin):.0f} ms, "
                 f"metrics after {1000 * (metrics - begin):.0f} ms")
    assert not page.trouble


def test_the_longest_bar_is_the_contended_objects(open_page, hot):
    page = open_page()
    page.see('.header:has-text("● live")')
    wait_for(lambda: page.longest_bar() == hot, f"the longest bar is that of {hot}")
    assert not page.trouble


class Actions:
    """Counts what a user does, action by action. finish() tells them all; they are at most MOST."""

    MOST = 5

    def __init__(self, page):
        self.page, self.done = page, []

    def click(self, what, selector):
        self.page("click", selector)
        self.done.append(f"click {what}")

    def press(self, key):
        self.page.press(key)
        self.done.append(f"press {key}")

    def type(self, what, text):
        self.page("keyboard.type", text)
        self.done.append(f"type {what}")

    def finish(self, capsys, how):
        tell(capsys, f"by {how}: {', '.join(self.done)}")
        assert len(self.done) <= self.MOST and not self.page.trouble


def test_the_hot_object_is_found_by_mouse(open_page, hot, capsys):
    page = open_page()
    page.measure("larx")
    wait_for(lambda: page.longest_bar() == hot, f"the longest bar is that of {hot}")
    actions = Actions(page)
    actions.click("the longest bar", f'[role="treegrid"] [data-key="{hot}"]')
    page.see('.inspector h2:has-text("ContendedObject")')
    actions.click("Ranking", 'nav button:has-text("Ranking")')
    wait_for(lambda: is_first_in_ranking(page, hot), f"{hot} is the first of the ranking")
    actions.finish(capsys, "mouse")


def test_the_hot_object_is_found_by_keys(open_page, hot, capsys):
    page = open_page()
    page.measure("larx")
    wait_for(lambda: page.longest_bar() == hot, f"the longest bar is that of {hot}")
    actions = Actions(page)
    actions.press("/")
    page.see('[role="combobox"]:focus')
    name = f"ContendedObject 0x{hot.split(':')[2]}"  # the number alone is other processes' too
    actions.type("the name beside the longest bar", name)
    page.see(f'.found-one.chosen:has-text("{name}")')
    actions.press("Enter")
    page.see(f'[data-key="{hot}"][aria-selected="true"]')
    page.see('.inspector h2:has-text("ContendedObject")')
    actions.press("3")
    wait_for(lambda: is_first_in_ranking(page, hot), f"{hot} is the first of the ranking")
    actions.finish(capsys, "keys")


@pytest.mark.parametrize("size", [(1280, 800), (800, 600)], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_view_opens(open_page, hot, theme, size):
    page = open_page(colorScheme=theme, viewport={"width": size[0], "height": size[1]})
    page.see(f'[data-key="{hot}"]')
    for key, title in VIEWS.items():
        page.press(key)
        page.see(f'nav [aria-current="page"]:has-text("{title}")')
    assert not page.trouble


@pytest.mark.parametrize("measure", ["drefs", "misses"])
def test_what_is_counted_warms_objects_too(open_page, measure):
    """DREFs and misses of each object are shown as exact counts."""
    page = open_page()
    page.measure(measure)
    page.see(f'[role="columnheader"]:has-text("{measure}")')
    if measure == "drefs":  # objects are called all the time
        wait_for(page.longest_bar, "some object is called")
    assert not page.trouble


def test_a_range_gets_a_name(open_page):
    """A range gets a name. The table of metrics has it, and so has whoever follows a copied
    link."""
    page = open_page()
    wait_for(page.longest_bar, "a time is known, and with it a range")
    page.press("m")
    page("fill", "input[name=name]", "quiet <b>&")
    page.press("Enter")
    page.wait("""!document.querySelector("input[name=name]")""")  # behind it keys do nothing
    page.press("2")
    page.see('tbody:has-text("quiet <b>&")')
    place = page.wait('location.hash.includes("mark=") && location.hash')
    other = open_page()
    other.see('.header:has-text("● live")')
    other.evaluate(f"location.hash = {json.dumps(place)}")
    other.see('tbody:has-text("quiet <b>&")')
    assert not page.trouble and not other.trouble
