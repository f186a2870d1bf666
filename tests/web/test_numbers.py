# SPDX-License-Identifier: MIT
"""The page's numbers are kov's: of one session, which `kov stat` owns and the gateway joins."""

import math

import pytest

from waiting import wait_for

EVENT = "larx:k"  # which the gateway itself does not sample
HALF_WIDTH = 2.5758  # of a 99 % interval, in standard deviations
ROUNDED = 0.051  # one digit behind the point


def missed_by_members(machine):
    return sum(client["samples_missed"] for client in machine.kov("server")["clients"])


def measure(machine):
    """Since when, in seconds, there was no sample before those that `kov stat` found, and these;
    None: a sample was lost."""
    begin, missed = machine.kov("hello")["system"]["uptime_seconds"], missed_by_members(machine)
    found = machine.kov("stat", "-e", f"{EVENT}@10000", "--per-object", "--precise",
                        "--duration", "3")
    lost = found["lost"] + found["missed"] + missed_by_members(machine) - missed
    return (begin, found) if lost == 0 and len(found["objects"]) > 1 else None


def numbers_of(row, samples):
    """share, ± and samples of an object."""
    (event,) = row["events"]
    part = event["samples"] / samples
    error = 100 * HALF_WIDTH * math.sqrt(part * (1 - part) / samples)
    return event["share"], error, event["samples"]


def shown(page):
    """The same of each object in the ranking, by its key, as the page has rounded them."""
    rows = page.evaluate("""[...document.querySelectorAll('[role="grid"] [data-key^="o:"]')]
        .map((row) => [row.dataset.key,
            ...[...row.querySelectorAll('[role="gridcell"]')].map((one) => one.innerText)])""")
    return {key: (float(share.removesuffix(" %")), float(error.removeprefix("±")),
                  int(samples.replace(",", "")))
            for key, _, _, _, share, error, samples, _ in rows}


def test_the_ranking_is_that_of_kov_stat(machine, open_page, hot, capsys):
    begin, found = wait_for(lambda: measure(machine), "a session that lost nothing")
    (event,) = found["events"]
    expected = {f"o:{row['pid']}:{row['coid'].removeprefix('0x')}":
                numbers_of(row, event["samples"]) for row in found["objects"]}
    page = open_page()
    page.see('.header:has-text("● live")')
    page.evaluate(f"location.hash = '#/ranking?r={begin:.3f}..1000000&e={EVENT}&v=1'")
    wait_for(lambda: sum(row[2] for row in shown(page).values()) == event["samples"],
             "all samples are in the ranking")
    rows = shown(page)
    with capsys.disabled():
        for name, (share, error, samples) in ("page", rows[hot]), ("kov stat", expected[hot]):
            print(f"\n  {hot}, {name}: {share:.2f} % ±{error:.2f}, {samples} samples", end="")
    assert rows.keys() == expected.keys()
    for key, row in rows.items():
        assert row == pytest.approx(expected[key], abs=ROUNDED), key
    assert not page.trouble
