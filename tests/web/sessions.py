# SPDX-License-Identifier: MIT
"""Sampling sessions of kov commands, which the gateway joins, and its own samples apart from
them."""

import pytest

SET = "cycles@20000"  # of the gateway: its own samples are none of those that are compared


def missed_by_members(machine):
    return sum(client["samples_missed"] for client in machine.kov("server")["clients"])


def measure(machine, *command):
    """Since when, in seconds, there was no sample of the event before those that the command
    found, and these; None: the gateway missed some."""
    begin, missed = machine.kov("hello")["system"]["uptime_seconds"], missed_by_members(machine)
    found = machine.kov(*command)
    return (begin, found) if missed_by_members(machine) == missed else None


def sample(page, events):
    """The gateway's own set, as chosen in the page; "": the usual one."""
    page.press("e")
    page("fill", "input[name=events]", events)
    page("click", 'button[type=submit]:has-text("Sample")')
    page.wait("""!document.querySelector("input[name=events]")""")


@pytest.fixture(name="page")
def _page(open_page):
    """One whose gateway samples nothing but SET until the test has ended."""
    page = open_page()
    page.see('.header:has-text("● live")')
    sample(page, SET)
    yield page
    sample(page, "")


def show_ranking(page, begin, event):
    """Of all samples since then."""
    page.evaluate(f"location.hash = '#/ranking?r={begin:.3f}..1000000&e={event}&v=1'")
