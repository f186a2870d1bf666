# SPDX-License-Identifier: MIT
"""Sampling sessions of kov commands that the gateway joins, apart from the gateway's own
samples."""

import time

import pytest

from waiting import wait_for

APART = 5  # seconds between sessions; a cell of the gateway's history is no longer than that
SET = "cycles@20000"  # of the gateway: its own samples are none of those that are compared


def missed_by_members(machine):
    return sum(client["samples_missed"] for client in machine.kov("server")["clients"])


def measure(machine, *command):
    """Returns two things: since when, in seconds, there was no sample of the event before those
    that the command found; and these samples. None: the gateway missed some."""
    begin, missed = machine.kov("hello")["system"]["uptime_seconds"], missed_by_members(machine)
    found = machine.kov(*command)
    if missed_by_members(machine) != missed:
        time.sleep(APART)  # else the next one's first cell could have samples of this one
        return None
    return begin, found


IS_OPEN = """document.querySelector("input[name=events]") !== null"""
AGAIN = """document.querySelector(".line-form button[type=submit]")?.click()"""
REFUSED_SECONDS = 30


def sample(page, events):
    """Chooses in the page what the gateway samples itself. "": the usual set. Where the machine has
    refused, or was too busy to answer, the page says so and keeps the form: it asks again."""
    page.press("e")
    page("fill", "input[name=events]", events)
    page("click", 'button[type=submit]:has-text("Sample")')

    def is_taken():
        try:
            return wait_for(lambda: not page.evaluate(IS_OPEN), "the form's end", REFUSED_SECONDS)
        except TimeoutError:
            page.evaluate(AGAIN)
            return False

    wait_for(is_taken, f"sampling of '{events}'")


@pytest.fixture(name="page")
def _page(open_page):
    """Opens a page whose gateway samples nothing but SET until the test has ended."""
    page = open_page()
    page.see('.header:has-text("● live")')
    sample(page, SET)
    yield page
    sample(page, "")


def show_ranking(page, begin, event):
    """Shows the ranking of all samples since then."""
    page.evaluate(f"location.hash = '#/ranking?r={begin:.3f}..1000000&e={event}&v=1'")
