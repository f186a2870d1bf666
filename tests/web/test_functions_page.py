# SPDX-License-Identifier: MIT
"""The page shows the functions of the topic, which test_functions.py holds against kov's own
tools: the Ranking by function, and in the inspector the hottest, who calls them, their lines."""

import csv
import io
import re

import pytest

from functions import EVENTS, _functions, _recorded  # noqa: F401  pylint: disable=unused-import
from functions import all_said
from gateway import Gateway
from waiting import wait_for

EVENT = "instructions:k"
TALL = {"viewport": {"width": 1280, "height": 6000}}  # all rows are in the page
REST = ("in further functions", "in no function that is known", "being looked up")
ROWS = """[...document.querySelectorAll('[role="grid"] .row')].map((row) =>
    [...row.querySelectorAll('[role="gridcell"]')].map((one) => one.textContent))"""
PARTS = """[...document.querySelectorAll('.inspector [aria-label="%s"] tbody tr')].map((row) =>
    [row.dataset.part,
     ...[...row.querySelectorAll("td")].slice(1).map((one) => one.textContent)])"""
LINES_MOST, PARTS_MOST = 40, 8  # of views/frame/functions.tsx
UNKNOWN = "no function is known"
# Keeps what is saved as a file.
KEEP_SAVED = """(() => { const make = URL.createObjectURL.bind(URL);
    URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; });
                                      return make(blob); }; })()"""


def number(text):
    return int(text.replace(",", ""))


def is_shown_as(text, value):
    """Whether a number was rounded to what is shown: 12.3 %, ±0.04, 100 %."""
    shown = re.search(r"[0-9.]+", text)[0]
    _, _, decimals = shown.partition(".")
    return abs(float(shown) - value) <= 0.5001 * 10 ** -len(decimals)


def go(page, view, begin, more, event=EVENT):
    page.evaluate(f"location.hash = '#/{view}?r={begin:.3f}..1000000&e={event}{more}&v=1'")


@pytest.fixture(name="page")
def _page(open_page):
    page = open_page(**TALL)
    page.see('.header:has-text("● live")')
    return page


def shown_rows(page, samples):
    """Returns the rows once they are of so many samples."""
    def look():
        rows = page.evaluate(ROWS)
        return sum(number(row[5]) for row in rows) == samples and rows

    return wait_for(look, f"rows of {samples} samples")


@pytest.mark.parametrize("event", EVENTS)
def test_the_ranking_has_the_numbers_of_the_topic(machine, page, recorded, functions, event):
    begin, _ = recorded
    said = all_said(machine, recorded, functions, event)
    go(page, "ranking", begin, "&by=function", event)
    page.see(f'[role="grid"][aria-label="Ranking of functions by {event}"]')
    rows = shown_rows(page, said["samples"])
    ranked = [row for row in rows if row[1] not in REST]
    assert [row[1] for row in ranked] == [one["function"] for one in said["rows"]]
    for rank, (row, one) in enumerate(zip(ranked, said["rows"]), 1):
        assert number(row[0]) == rank and number(row[5]) == one["samples"]
        for cell, field in ((3, "share"), (4, "error"), (7, "total_share"), (8, "total_error")):
            assert is_shown_as(row[cell], one[field]), (row, one)
    rest = {row[1]: number(row[5]) for row in rows if row[1] in REST}
    assert rest.get("in no function that is known", 0) == said["unknown"]
    assert not page.trouble


def check_parts(page, title, expected, most):
    """expected: [name, part as the topic has it]."""
    def look():
        shown = page.evaluate(PARTS % title)
        return [row[0] for row in shown] == [name for name, _ in expected[:most]] and shown

    for row, (_, one) in zip(wait_for(look, f"{title}: {expected[:most]}"), expected):
        assert number(row[3]) == one["samples"], (row, one)
        assert is_shown_as(row[1], one["share"]) and is_shown_as(row[2], one["error"]), (row, one)


def named(parts):
    return [(one["function"] or UNKNOWN, one) for one in parts]


def check_function(page, said):
    check_parts(page, "Called from", named(said["callers"]), PARTS_MOST)
    check_parts(page, "Source lines",
                [(f"{one['file']}:{one['line']}" if one["file"] else "no line is known", one)
                 for one in said["lines"]], LINES_MOST)
    assert said["lines"]


def test_a_function_has_its_callers_and_lines(page, open_page, recorded, functions):
    begin, _ = recorded
    said = functions(begin, EVENT)
    hottest = said["rows"][0]["function"]
    go(page, "ranking", begin, "&by=function")
    row = f'[role="grid"] [data-function="{hottest}"]'
    page("click", row)
    page.see(f'{row}[aria-selected="true"]')
    check_parts(page, "Hottest functions",
                named([one for one in said["rows"] if one["samples"]]), PARTS_MOST)
    check_function(page, functions(begin, EVENT, function=hottest))
    # whoever has the link sees the same
    place = page.wait('location.hash.includes("fn=") && location.hash')
    other = open_page(**TALL)
    other.see('.header:has-text("● live")')
    other.evaluate(f"location.hash = {place!r}")
    other.see(f'{row}[aria-selected="true"]')
    check_function(other, functions(begin, EVENT, function=hottest))
    page.press("Escape")
    page.see('.inspector:not(:has-text("Source lines"))')
    assert "fn=" not in page.evaluate("location.hash")
    check_parts(page, "Called from", named(said["callers"]), PARTS_MOST)
    assert not page.trouble and not other.trouble


def test_keys_choose_a_function(page, recorded, functions):
    begin, _ = recorded
    said = functions(begin, EVENT)
    go(page, "ranking", begin, "&by=function")
    shown_rows(page, said["samples"])
    page("focus", '[role="grid"]')
    page.press("Home", "ArrowDown", "Enter")
    check_function(page, functions(begin, EVENT, function=said["rows"][1]["function"]))
    assert not page.trouble


@pytest.mark.parametrize("thing", ["hot", "p:0", "m"])
def test_the_inspector_has_the_functions_of_the_selection(page, hot, recorded, functions, thing):
    begin, _ = recorded
    key = hot if thing == "hot" else thing
    said = functions(begin, EVENT, of=key)
    assert said["samples"] > 0
    go(page, "objects", begin, f"&s={key}")
    check_parts(page, "Hottest functions",
                named([one for one in said["rows"] if one["samples"]]), PARTS_MOST)
    check_parts(page, "Called from", named(said["callers"]), PARTS_MOST)
    assert not page.trouble


def test_a_filter_of_one_thing_is_that_things_functions(page, hot, recorded, functions):
    begin, _ = recorded
    go(page, "ranking", begin, f"&by=function&f=only.{hot}")
    shown_rows(page, functions(begin, EVENT, of=hot)["samples"])
    go(page, "ranking", begin, f"&by=function&f=not.{hot}")
    page.see('.tools:has-text("of the whole machine")')
    shown_rows(page, functions(begin, EVENT)["samples"])
    assert not page.trouble


def test_the_numbers_can_be_saved(page, recorded, functions):
    begin, _ = recorded
    said = functions(begin, EVENT)
    page.evaluate(KEEP_SAVED)
    go(page, "ranking", begin, "&by=function")
    shown_rows(page, said["samples"])
    page.press("v")
    saved = list(csv.DictReader(io.StringIO(page.wait("window.saved"))))
    told = {row["function"]: (int(row["samples"]), float(row["share_percent"]),
                              float(row["share_error"]), float(row["total_percent"]))
            for row in saved if row["rank"] != "0"}
    assert told == {one["function"]: (one["samples"], one["share"], one["error"],
                                      one["total_share"]) for one in said["rows"]}
    assert sum(int(row["samples"]) for row in saved) == said["samples"]
    assert not page.trouble


def test_what_is_counted_by_object_has_no_functions(page):
    page.evaluate("location.hash = '#/ranking?e=drefs&by=function&v=1'")
    page.see('.trouble:has-text("drefs are counted by object, not by function")')
    assert not page.trouble


def test_the_table_of_stacks_is_told(page):
    text = page.wait("""/stacks [1-9][0-9,]* of [0-9,]+/.exec(
        document.querySelector(".status-line").textContent)?.[0]""")
    found, room = (number(one) for one in re.findall(r"[0-9,]+", text))
    assert 0 < found <= room
    assert not page.trouble


SHARES = """Object.fromEntries([...document.querySelectorAll('[role="grid"] .row')].map((row) => {
    const cells = [...row.querySelectorAll('[role="gridcell"]')].map((one) => one.textContent);
    return [row.dataset.key, [cells[3], cells[5]]];
}).filter(([key]) => key.startsWith("o:")))"""


def test_the_recording_is_shown_by_itself(machine, open_page, recorded, tmp_path):
    """What kov record has written: the page tells the samples of kov report, of a machine that need
    not be there, and why there is nothing of the rest."""
    _, path = recorded
    rows = machine.kov("report", "-i", path, "-e", EVENT, "--sort", "object")["tables"][0]["rows"]
    expected = {f"o:{row['coid_pid']}:{row['coid'].removeprefix('0x')}": row["samples"]
                for row in rows if "coid" in row}
    gateway = Gateway(str(tmp_path), alone=path)
    try:
        page = open_page(link=gateway.links["controller"], **TALL)
        page.see('.header:has-text("recording")')
        go(page, "ranking", 0, "&by=object")
        shown = wait_for(lambda: page.evaluate(SHARES), "rows of the recording")
        told = {key: number(samples) for key, (_, samples) in shown.items()}
        assert told == {key: expected[key] for key in told} and len(told) > 3
        page.evaluate("location.hash = '#/metrics?v=1'")
        page.see(':has-text("metrics of the machine are counted")')
        assert not page.trouble
    finally:
        gateway.end()
