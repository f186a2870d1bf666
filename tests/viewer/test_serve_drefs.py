# SPDX-License-Identifier: MIT
"""DREFs and misses by object in the browser. They are exact counts, taken while somebody watches
them."""

import time

import dci_pb2 as dci
import pytest
from browser import Browser, Gateway
from machine import TIMEBASE_HZ

E_BUSY = -14
HEAT = {"type": "watch", "machine": "left", "kind": "heat", "seconds": 3600}


def count(coid, invocations, misses):
    return dci.DrefCount(coid=coid, cpu=1, invocations=invocations, misses=misses)


@pytest.fixture
def counting(running):
    """Lets one object count 1,000 DREFs and 3 misses a second, by its own account. The last count
    stays."""
    running.dref_readings = [(second * TIMEBASE_HZ, [count(0x1010, 1000 * second, 3 * second)])
                             for second in range(1, 5)]
    return running


@pytest.fixture
def browser(counting):
    with Gateway("-m", f"left=127.0.0.1:{counting.port}") as gateway, Browser(gateway) as browser:
        yield browser


@pytest.mark.parametrize("measure, rate", [("drefs", 1000), ("misses", 3)])
def test_rates_are_of_the_time_that_was_counted(counting, browser, measure, rate):
    browser.say(id=1, measure=measure, **HEAT)
    rates = browser.until(lambda: browser.rates.get(1))
    assert rates["o:0:1010"] == pytest.approx(rate)
    assert browser.topics[1] == {}  # of no samples
    assert bool(counting.dref_enabled) == (measure == "drefs")


@pytest.mark.long
def test_a_refusal_is_told_and_not_for_ever(counting, browser):
    counting.errors["dref_enable"] = (E_BUSY, "not now")
    browser.say(id=1, measure="drefs", **HEAT)
    assert "not now" in browser.until(lambda: browser.stopped.pop(1, None))
    del counting.errors["dref_enable"]
    while not browser.rates.get(1):  # a page that asks again, but not all the time
        time.sleep(0.1)
        browser.say(id=1, measure="drefs", **HEAT)
        browser.until(lambda: browser.rates.get(1) or browser.stopped.pop(1, None))
    assert browser.rates[1]["o:0:1010"] == pytest.approx(1000)


def test_a_clock_that_goes_back_does_no_harm(counting, browser):
    counting.dref_readings = [(9 * TIMEBASE_HZ, [count(0x1010, 10, 1)]),
                              (TIMEBASE_HZ, [count(0x1010, 2**64 - 1, 2**64 - 1)]),
                              (0, [count(0x1010, 0, 0)]), (2**64 - 1, [count(0x1010, 5, 0)])]
    browser.say(id=1, measure="drefs", **HEAT)
    browser.until(lambda: counting.dref_reads > 5 and 1 in browser.rates)
    assert browser.do(type="ask", id=2, machine="left", what="object", of="o:0:1010")
