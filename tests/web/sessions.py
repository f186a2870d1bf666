# SPDX-License-Identifier: MIT
"""Sampling sessions of kov commands that the gateway joins, apart from the gateway's own
samples."""

import time

import pytest

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


def sample(page, events):
    """Chooses in the page what the gateway samples itself. "": the usual set."""
    page.press("e")
    page("fill", "input[name=events]", events)
    page("click", 'button[type=submit]:has-text("Sample")')
    page.wait("""!document.querySelector("input[name=events]")""")


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
