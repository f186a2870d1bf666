# SPDX-License-Identifier: MIT
"""The page's numbers are kov's: of one session, which a kov command owns and the gateway joins."""

import math

import pytest

from waiting import wait_for

HALF_WIDTH = 2.5758  # of a 99 % interval, in standard deviations
ROUNDED = 0.051  # one digit behind the point
SET = "cycles@20000"  # of the gateway: its own samples are none of those that are compared


def key_of(pid, coid):
    return f"o:{pid}:{coid.removeprefix('0x')}"


def missed_by_members(machine):
    return sum(client["samples_missed"] for client in machine.kov("server")["clients"])


def measure(machine, *command):
    """Since when, in seconds, there was no sample of the event before those that the command
    found, and these; None: the gateway missed some."""
    begin, missed = machine.kov("hello")["system"]["uptime_seconds"], missed_by_members(machine)
    found = machine.kov(*command, "--duration", "3")
    whole = missed_by_members(machine) == missed
    return (begin, found) if whole and len(found["objects"]) > 1 else None


def numbers_of_stat(found):
    """By object: share, ± and samples; None: some were lost, which are in none of its rows."""
    (event,) = found["events"]
    if found["lost"] + found["missed"] > 0:
        return None
    numbers = {}
    for row in found["objects"]:
        (of_row,) = row["events"]
        part = of_row["samples"] / event["samples"]
        error = 100 * HALF_WIDTH * math.sqrt(part * (1 - part) / event["samples"])
        numbers[key_of(row["pid"], row["coid"])] = of_row["share"], error, of_row["samples"]
    return numbers


def numbers_of_locks(found):
    """The same; rows of what is no object have no number."""
    return {key_of(row["coid_pid"], row["coid"]):
            (row["share"]["value"], row["share"]["error"], row["samples"])
            for row in found["objects"] if row["samples"] > 0 and "coid" in row}


def shown(page):
    """The same of each object in the ranking, as the page has rounded them."""
    rows = page.evaluate("""[...document.querySelectorAll('[role="grid"] [data-key^="o:"]')]
        .map((row) => [row.dataset.key,
            ...[...row.querySelectorAll('[role="gridcell"]')].map((one) => one.innerText)])""")
    return {key: (float(share.removesuffix(" %")), float(error.removeprefix("±")),
                  int(samples.replace(",", "")))
            for key, _, _, _, share, error, samples, _ in rows}


@pytest.fixture(name="page")
def _page(open_page):
    """One whose gateway samples nothing but run cycles until the test has ended."""
    page = open_page()
    page.see('.header:has-text("● live")')

    def sample(events):
        page.press("e")
        page("fill", "input[name=events]", events)
        page("click", 'button[type=submit]:has-text("Sample")')
        page.wait("""!document.querySelector("input[name=events]")""")

    sample(SET)
    yield page
    sample("")


@pytest.mark.parametrize("event, command, numbers_of", [
    ("larx:k", ("stat", "-e", "larx:k@10000", "--per-object", "--precise"), numbers_of_stat),
    ("larx", ("locks", "--period", "10000"), numbers_of_locks),
], ids=["stat", "locks"])
def test_the_ranking_is_that_of_kov(machine, page, hot, capsys, event, command, numbers_of):
    def session():
        found = measure(machine, *command)
        numbers = found and numbers_of(found[1])
        return numbers and (found[0], numbers)

    begin, expected = wait_for(session, "a session of which nothing was missed")
    samples = sum(row[2] for row in expected.values())
    page.evaluate(f"location.hash = '#/ranking?r={begin:.3f}..1000000&e={event}&v=1'")
    wait_for(lambda: sum(row[2] for row in shown(page).values()) == samples,
             "all samples are in the ranking")
    rows = shown(page)
    with capsys.disabled():
        for name, (share, error, count) in ("page", rows[hot]), (command[0], expected[hot]):
            print(f"\n  {hot}, {name}: {share:.2f} % ±{error:.2f}, {count} samples", end="")
    assert rows.keys() == expected.keys()
    for key, row in rows.items():
        assert row == pytest.approx(expected[key], abs=ROUNDED), key
    assert not page.trouble
