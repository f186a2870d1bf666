# SPDX-License-Identifier: MIT
"""Two browsers see the same samples, to the count that the machine has pushed. A third one comes
after five minutes, and sees those minutes as they did. The machine's clock leaps, so no test waits
for them."""

import pytest

from browser import Browser, Gateway
from machine import TIMEBASE_HZ

MINUTES = 5
OBJECTS = ("o:0:1010", "o:0:1020")
ALL, METRIC, STATUS, MINUTE = 1, 2, 3, 10  # topics; from MINUTE on one a minute
SAMPLES = 2  # pushes a minute and object


def now_of(machine):
    return machine.clock() * 1e9 / TIMEBASE_HZ  # ns since a boot at 0


def watch(browser, number, **what):
    browser.say(type="watch", id=number, machine="left", **what)


def watch_heat(browser, number, begin, end):
    watch(browser, number, kind="heat", measure="run-cycles", **{"from": begin, "to": end})


def watch_background(browser):
    watch_heat(browser, ALL, 0, 1e15)
    watch(browser, METRIC, kind="metric", metric="IPC", of="m")
    watch(browser, STATUS, kind="status")


def watch_minutes(browser, edges):
    """Watches what each minute had, by topics whose ranges meet."""
    for number, (begin, end) in enumerate(zip(edges, edges[1:])):
        watch_heat(browser, MINUTE + number, begin, end)


def counts(browser, number):
    return {key: browser.topics.get(number, {}).get(key, 0) for key in OBJECTS}


def seen_by_minute(browser):
    return [counts(browser, MINUTE + number) for number in range(MINUTES)]


def push_minute(machine, number):
    """Pushes other numbers in each minute, and for each object. Returns what was pushed."""
    for _ in range(SAMPLES):
        machine.push_samples(0x1010, 10 + number)
        machine.push_samples(0x1020, 1 + 3 * number)
    return {"o:0:1010": SAMPLES * (10 + number), "o:0:1020": SAMPLES * (1 + 3 * number)}


def leap(machine, browsers, seconds):
    """Lets the machine's clock leap, and waits until the gateway has seen it. Returns where the
    clock is now."""
    machine.skipped += seconds
    now = now_of(machine)
    for browser in browsers:
        browser.until(lambda browser=browser: browser.topics.get(STATUS, {}).get("now", 0) >= now)
    return now


def until_all(browsers, expected):
    """Waits until each browser has exactly so many samples."""
    for browser in browsers:
        browser.until(lambda browser=browser: sum(counts(browser, ALL).values())
                      >= sum(expected.values()))
        assert counts(browser, ALL) == expected


@pytest.fixture
def gateway(running):
    running.count_time = lambda reading: running.clock()
    with Gateway("-m", f"left=127.0.0.1:{running.port}") as gateway:
        yield gateway


@pytest.mark.long
def test_who_comes_late_sees_what_the_others_saw(running, gateway):
    with Browser(gateway) as one, Browser(gateway) as other:
        both, by_minute, edges = (one, other), [], []
        for browser in both:
            watch_background(browser)
        for number in range(MINUTES):
            # A cell in which the clock leaps lies half a minute before.
            edges.append(leap(running, both, 60) - 45e9)
            by_minute.append(push_minute(running, number))
            total = {key: sum(minute[key] for minute in by_minute) for key in OBJECTS}
            until_all(both, total)
        edges.append(leap(running, both, 60) - 45e9)
        assert edges[-1] - edges[0] >= MINUTES * 60e9
        for browser in both:
            browser.until(lambda browser=browser: len(browser.topics.get(METRIC, {})) >= 2)
        with Browser(gateway) as late:
            watch_background(late)
            for browser in (one, other, late):
                watch_minutes(browser, edges)
            for browser in (one, other, late):
                browser.until(lambda browser=browser: seen_by_minute(browser) == by_minute)
                until_all([browser], total)
                browser.until(lambda browser=browser: STATUS in browser.topics)
                status = browser.topics[STATUS]
                assert status["samples"] == sum(total.values())
                assert status["lost"] == status["missed"] == 0
            begun = min(one.topics[METRIC])
            late.until(lambda: begun in late.topics.get(METRIC, {}))
            first = one.topics[METRIC]
            late.until(lambda: set(first) <= set(late.topics[METRIC]))
            assert {time: late.topics[METRIC][time] for time in first} == first
