# SPDX-License-Identifier: MIT
"""The page says what watching costs, and one chip hides the monitor's own processes from every
view."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from waiting import wait_for

OWN = ("dci", "net")
COST = re.compile(r"(dci|net|idle) (?:([≤<]) )?[0-9.,]+(?: [MGT])?(?: ±[0-9.]+ %)?")
CHIP = 'button:has-text("hide the monitor")'
KEYS = """[...document.querySelectorAll('[role="%s"] .row')].map((row) => row.dataset.key)"""


@pytest.fixture(name="own")
def _own(machine):
    """Returns the keys of the monitor's processes, as `kov ps` has them."""
    processes = machine.kov("ps")["processes"]
    own = [f"p:{one['pid']}" for one in processes if one["name"] in OWN]
    assert len(own) == len(OWN), processes
    return own


def filters(page):
    place = urlsplit(page.evaluate("location.href")).fragment.partition("?")[2]
    return parse_qs(place).get("f", [])


def shown(page, role):
    return [key for key in page.evaluate(KEYS % role) if key]


def is_of(key, own):
    """Whether a line's key is of such a process: itself, its objects, its code."""
    kind, pid = (key.split(":") + [""])[:2]
    return kind in ("p", "o", "n", "f") and f"p:{pid}" in own


def test_the_cost_is_told_with_its_error(open_page):
    page = open_page()
    event, words = page.wait("""[...document.querySelectorAll(".status-line [data-cost]")]
        .map((one) => [one.dataset.cost, one.textContent])
        .find(([event, words]) => event && words.endsWith("/s"))""")
    assert event in ("instructions", "run-cycles")
    parts = words.removeprefix("watching: ").removesuffix(f" {event}/s").split(", ")
    assert sorted(part.split()[0] for part in parts) == sorted((*OWN, "idle")), words
    for part in parts:
        name, mark = COST.fullmatch(part).groups()
        # An error above the value itself tells only that it is less than both together.
        assert mark == "<" or "±" in part, words
        assert mark == "<" or (mark == "≤") == (name != "dci"), words
    assert not page.trouble


def test_one_chip_hides_the_monitor_from_every_view(open_page, hot, own):
    page = open_page(viewport={"width": 1280, "height": 1600})
    page.see(f'[data-key="{hot}"]')
    page.measure("run-cycles")
    page.see(f'[role="treegrid"] [data-key="{own[0]}"]')
    page("click", CHIP)
    assert filters(page) == ["not.monitor"]
    wait_for(lambda: not any(is_of(key, own) for key in shown(page, "treegrid")), "hidden")
    assert shown(page, "treegrid")
    page.see('.words:has-text("hides ")')

    page.press("3")
    for by in ("objects", "classes", "processes"):
        page("click", f'.segments :text("{by}")')
        page.see(f'[role="grid"][aria-label^="Ranking of {by}"] .row')
        assert not any(is_of(key, own) or key == "k:[hidden]" for key in shown(page, "grid")), by
        page.wait(r"""/hides [1-9][0-9,]* of [0-9,]+ samples/.test(
            document.querySelector(".words").textContent)""")

    page.press("7")
    rows = "[...document.querySelectorAll('tr[data-key]')].map((row) => row.dataset.key)"
    listed = page.wait(f"(() => {{ const rows = {rows}; return rows.length && rows; }})()")
    assert not set(listed) & set(own)
    page.see(f'.words:has-text("hides {len(own)} of {len(listed) + len(own)} processes")')

    page("reload")  # the link has it
    page.see('.words:has-text("not the monitor\'s own processes")')
    page.press("Shift+H")
    page.see(CHIP)
    assert filters(page) == []
    assert not page.trouble
