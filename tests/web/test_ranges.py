# SPDX-License-Identifier: MIT
"""A range and a mark have the metrics of all that was counted in them, with an error; they are the
same in the table, in the strip and for the same interval under another name."""

import re

import pytest

from waiting import wait_for

METRICS = ("IPC", "lock acquisition", "spin contention", "branch misprediction", "TLB miss rate")
# By interval and metric: average and error, as the table shows them.
TABLE = """Object.fromEntries([...document.querySelectorAll("tr[data-interval]")].map((row) => {
    const [, , average, error] = [...row.querySelectorAll("td")].map((one) => one.textContent);
    return [`${row.dataset.interval}/${row.dataset.metric}`, [average, error]];
}))"""
STRIP = """Object.fromEntries([...document.querySelectorAll(".strip-name[data-of=m]")].map((row) =>
    [row.dataset.metric, [...row.querySelectorAll(":scope > .number:not(.strip-scale)")]
        .map((one) => one.textContent)]))"""
BACK = (3, 10)  # seconds up to where the page is held


def known(numbers):
    average, error = numbers
    return average.startswith("< ") or re.fullmatch(r"±[0-9.]+", error)


def hold(page):
    page.press("Space")
    page.see('.header:has-text("held")')
    page.wait("/[.][.]/.test(location.hash)")
    return page.evaluate("Number(/[.][.]([0-9.]+)&/.exec(location.hash)[1])")


def choose(page, of):
    page("selectOption", ".view .tools select", of)


@pytest.fixture(name="page")
def _page(open_page):
    page = open_page(viewport={"width": 1280, "height": 1600})
    page.see('.header:has-text("● live")')
    page.press("2")
    page.see('tr[data-interval="range, live"]')
    return page


def test_a_range_and_a_mark_know_their_errors(page):
    """Seconds one by one need not have one. Of 10 s of a busy machine `kov stat` knows it."""
    def all_known():
        table = page.evaluate(TABLE)
        return all(known(table[f"range, live/{metric}"]) for metric in METRICS)

    wait_for(all_known, "all metrics of the range have errors")
    end = hold(page)
    for back in BACK:
        interval = f"{end - back:.3f}..{end:.3f}"
        page.evaluate(f"location.hash = '#/metrics?r={interval}&mark={interval}:same&v=1'")

        def told():
            table, strip = page.evaluate(TABLE), page.evaluate(STRIP)
            rows = [[table.get(f"{name}/{metric}") for name in ("range", "same")] + [strip[metric]]
                    for metric in METRICS]
            return all(a is not None and a == b == c for a, b, c in rows) and table

        table = wait_for(told, "range, mark and strip are the same")
        assert back < 10 or all(known(table[f"range/{metric}"]) for metric in METRICS), table
    assert not page.trouble


def test_each_cpu_has_metrics_of_the_range(page):
    for of in ("c:0", "c:1"):
        choose(page, of)
        wait_for(lambda: known(page.evaluate(TABLE)["range, live/IPC"]), f"IPC of {of}")
    assert not page.trouble
