# SPDX-License-Identifier: MIT
"""A thing has one share on one screen: Objects, Ranking and the inspector tell the same of the same
range, under each filter."""

import pytest

from waiting import wait_for

# key: [share, samples] of the lines that have samples; those that are open, in Objects.
ROWS = """Object.fromEntries([...document.querySelectorAll('[role="%s"] .row')].map((row) => {
    const cells = [...row.querySelectorAll('[role="gridcell"]')].map((one) => one.textContent);
    return [row.dataset.key, [cells[%d], cells[%d]]];
}).filter(([key, cells]) => /^[op]:|^k:.(none|idle)/.test(key) && cells[1]))"""
OBJECTS = ROWS % ("treegrid", 2, 4)
RANKING = ROWS % ("grid", 3, 5)


RANGES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12)  # seconds up to where the page is held
SOON = 10  # seconds, for the page to show a range


@pytest.fixture(name="page")
def _page(open_page, hot):
    page = open_page(viewport={"width": 1280, "height": 1600})
    page.see(f'[data-key="{hot}"]')
    page.wait("""/[1-9]/.test(document.querySelector(".status-line").textContent)""")
    return page


def hold(page):
    page.press("Space")
    page.see('.header:has-text("held")')
    page.wait("/[.][.]/.test(location.hash)")


def hold_with(page, measure, back, found):
    """Holds the page, if in Objects a range soon has what is to be found: a busy host may have let
    no samples come."""
    hold(page)
    of_range(page, "objects", measure, back, "")
    try:
        return wait_for(found, seconds=SOON)
    except TimeoutError:
        page.press("Space")
        page.see('.header:has-text("● live")')
        return False


def of_range(page, view, measure, back, chips):
    to = page.evaluate("Number(/[.][.]([0-9.]+)&/.exec(location.hash)[1])")
    place = f"r={to - back:.3f}..{to:.3f}&e={measure}{chips}"
    page.evaluate(f"location.hash = '#/{view}?{place}&v=1'")
    page.see(f'.words:has-text("{measure}")')


def rows_of(page, hot, view, rows, *place):
    of_range(page, view, *place)
    return page.wait(f"(() => {{ const rows = {rows}; return '{hot}' in rows && rows; }})()")


def read_both(page, hot, *place):
    """Reads both views. What was shown before stays until the range's own comes: then the hot
    object has as many samples in both."""
    objects = rows_of(page, hot, "objects", OBJECTS, *place)
    ranking = rows_of(page, hot, "ranking", RANKING, *place)
    return objects[hot][1] == ranking[hot][1] and (objects, ranking)


@pytest.mark.parametrize("measure", ["larx", "run-cycles"])
def test_objects_ranking_and_inspector_tell_one_share(page, hot, measure):
    wait_for(lambda: hold_with(page, measure, RANGES[0], lambda: hot in page.evaluate(OBJECTS)),
             "samples of the hot object")
    for back in RANGES:
        for chips in ("", "&f=not.p:1", "&f=only.p:0"):
            place = (measure, back, chips)
            objects, ranking = wait_for(lambda place=place: read_both(page, hot, *place),
                                        "both views tell of the range")
            # A line in Objects has what is below it, too: equal where the samples are.
            own = [key for key in ranking if key.startswith("o:") and key in objects
                   and objects[key][1] == ranking[key][1]]
            for key in own:
                assert objects[key][0] == ranking[key][0], (key, place)
            page.evaluate(f"location.hash = location.hash.replace('&v=1', '&s={hot}&v=1')")
            page.wait(f"""/share, its own((?:< )?[0-9.]+ %)/.exec(
                document.querySelector(".inspector").textContent)?.[1] === '{ranking[hot][0]}'""")
    assert not page.trouble


def test_code_without_an_object_has_lines_in_objects(page):
    lines = """[...document.querySelectorAll('[role="treegrid"] [data-key^="n:"]')].some(
        (one) => one.textContent.includes("its code"))"""
    wait_for(lambda: hold_with(page, "run-cycles", RANGES[-1], lambda: page.evaluate(lines)),
             "samples of code without an object")
    assert not page.trouble
