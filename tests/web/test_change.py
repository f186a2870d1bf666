# SPDX-License-Identifier: MIT
"""A machine is quiet, then under contention for a while, then quiet again. With the quiet time as
the baseline, the ranking shows by each measure which object it was, and is sure of it."""

import contextlib

import pytest

from gateway import Gateway
from machine import Machine
from waiting import wait_for

CONTENTION = ("contention", "work=100-1-1-1", "seconds=3600")
ENOUGH = 50  # samples of the hot object
SHORT, LONG = 4, 40  # seconds
MEASURES = ("larx", "run-cycles")
# Of each line: key, samples, the share's and the rate's change.
ROWS = """[...document.querySelectorAll('[role="grid"] [data-key^="o:"]')].map((row) => [
    row.dataset.key,
    Number(row.querySelectorAll('[role="gridcell"]')[5].textContent.replaceAll(",", "")),
    ...["share", "rate"].map((of) => row.querySelector(`[data-change=${of}]`)?.textContent)])"""


@pytest.fixture(scope="module", name="quiet")
def _quiet(tmp_path_factory):
    """Starts a machine on which nothing runs, a gateway that watches it, and says its links."""
    folder = str(tmp_path_factory.mktemp("quiet"))
    with Machine(folder, "quiet", cpus=2, pmu="model") as machine:
        machine.wait_ready()
        gateway = Gateway(folder, quiet=machine)
        yield machine, gateway.links["controller"]
        gateway.end()


def uptime(machine):
    return machine.kov("hello")["system"]["uptime_seconds"]


def passes(machine, seconds):
    """Lets so much of the machine's time pass. Returns from when to when."""
    begin = uptime(machine)
    end = wait_for(lambda: (now := uptime(machine)) >= begin + seconds and now, "time passes")
    return begin, end


@contextlib.contextmanager
def contention(machine):
    number = machine.kov("workload", "start", *CONTENTION)["workload"]["id"]
    try:
        yield
    finally:
        machine.kov("workload", "stop", str(number))


def rows_of(page, measure, interval, baseline):
    begin, end = interval
    page.evaluate(f"""location.hash = '#/ranking?r={begin:.3f}..{end:.3f}&e={measure}'
        + '&b={baseline[0]:.3f}..{baseline[1]:.3f}&v=1'""")
    page.see(f'.words:has-text("{measure}")')
    page.see(f'[role="grid"][aria-label$=" by {measure}"] [data-change="rate"]')
    return page.evaluate(ROWS)


@pytest.mark.minutes
@pytest.mark.parametrize("seconds", [SHORT, LONG])
def test_the_object_that_was_hot_for_a_while_is_first_and_sure(quiet, browser, seconds):
    machine, link = quiet
    page = browser.open(link)
    page.see('.header:has-text("● live")')
    before = passes(machine, seconds)
    with contention(machine):
        hot = passes(machine, seconds)
        # A busy host may have let few samples come: then a while longer.
        wait_for(lambda: all(has_enough(page, measure, (hot[0], uptime(machine)), before)
                             for measure in MEASURES), "samples of the hot object")
        hot = (hot[0] + 1, uptime(machine))
    after = passes(machine, seconds)
    found = set()
    for measure in MEASURES:
        def first(measure=measure):
            rows = rows_of(page, measure, hot, before)
            return rows and rows[0][1] >= ENOUGH and rows[0]
        key, _, share, rate = wait_for(first, f"the ranking by {measure}")
        assert rate == "▲ more", (measure, rate)
        assert share in ("▲ more", "could be chance"), (measure, share)
        found.add(key)

        def gone(measure=measure, key=key):
            rows = {row[0]: row for row in rows_of(page, measure, after, hot)}
            return key in rows and rows[key][3] == "▼ less"
        wait_for(gone, f"it is quiet again, by {measure}")
    (key,) = found
    assert "ContendedObject" in name_of(page, key)
    assert not page.trouble
    page.close()


def has_enough(page, measure, interval, baseline):
    rows = rows_of(page, measure, interval, baseline)
    return bool(rows) and rows[0][1] >= ENOUGH


def name_of(page, key):
    line = f'[role="grid"] [data-key="{key}"]'
    return page.evaluate(f"document.querySelector('{line}').textContent")
