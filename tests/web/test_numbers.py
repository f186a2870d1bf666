# SPDX-License-Identifier: MIT
"""The page's numbers equal kov's. Both are of one session, which a kov command owns and the gateway
joins."""

import math
import time

import pytest

from sessions import APART, measure, show_ranking
from sessions import _page  # noqa: F401  pylint: disable=unused-import
from waiting import wait_for

HALF_WIDTH = 2.5758  # of a 99 % interval, in standard deviations
ROUNDED = 0.051  # one digit behind the point
SESSIONS = 3


def key_of(pid, coid):
    return f"o:{pid}:{coid.removeprefix('0x')}"


def numbers_of_stat(found):
    """Returns share, ± and samples of each object; code of no object has no number. None: some
    samples were lost, and no row has them."""
    (event,) = found["events"]
    if found["lost"] + found["missed"] > 0:
        return None
    numbers = {}
    for row in found["objects"]:
        if row["coid"] is None:
            continue
        (of_row,) = row["events"]
        part = of_row["samples"] / event["samples"]
        error = 100 * HALF_WIDTH * math.sqrt(part * (1 - part) / event["samples"])
        numbers[key_of(row["pid"], row["coid"])] = of_row["share"], error, of_row["samples"]
    return numbers


def numbers_of_locks(found):
    """Returns the same. Rows of what is no object have no number. ± is chance, since the page tells
    in a line of its own what had no sample."""
    if found["lost"] > 0:
        return None
    return {key_of(row["coid_pid"], row["coid"]):
            (row["share"]["value"], row["share"]["chance"], row["samples"])
            for row in found["objects"] if row["samples"] > 0 and "coid" in row}


def shown(page):
    """Returns the same of each object in the ranking, rounded as the page shows it. Where the page
    says "< x", there is no share, and x in place of the error."""
    rows = page.evaluate("""[...document.querySelectorAll('[role="grid"] [data-key^="o:"]')]
        .map((row) => [row.dataset.key,
            ...[...row.querySelectorAll('[role="gridcell"]')].map((one) => one.innerText)])""")
    return {key: (*number(share, error), int(samples.replace(",", "")))
            for key, _, _, _, share, error, samples, _ in rows}


def number(share, error):
    value = float(share.removeprefix("< ").removesuffix(" %"))
    return (None, value) if share.startswith("<") else (value, float(error.removeprefix("±")))


def agrees(row, expected):
    """Whether the page shows a row's numbers, or their sum where the error is larger."""
    share, error, samples = expected
    if row[0] is None:
        return row[1:] == pytest.approx((share + error, samples), abs=ROUNDED) \
            and error > share - ROUNDED
    return row == pytest.approx(expected, abs=ROUNDED) and error < share + ROUNDED


@pytest.mark.parametrize("event, command, numbers_of", [
    pytest.param("larx:k", ("stat", "-e", "larx:k@10000", "--per-object", "--precise"),
                 numbers_of_stat, marks=pytest.mark.minutes),
    ("larx", ("locks", "--period", "10000"), numbers_of_locks),
], ids=["stat", "locks"])
def test_the_ranking_is_that_of_kov(machine, page, hot, capsys, event, command, numbers_of):
    def session():
        begin, found = measure(machine, *command, "--duration", "3") or (0, {"objects": []})
        numbers = len(found["objects"]) > 1 and numbers_of(found)
        if not numbers:
            time.sleep(APART)
        return numbers and (begin, numbers)

    def compare():
        """Returns what kov and the page say of one session."""
        begin, expected = wait_for(session, "a session of which nothing was missed")
        samples = sum(row[2] for row in expected.values())
        show_ranking(page, begin, event)
        wait_for(lambda: sum(row[2] for row in shown(page).values()) == samples,
                 "all samples are in the ranking")
        return shown(page), expected

    # Where a part of the range was not sampled, the page's error has that too, and kov's session
    # not: another session tells.
    for _ in range(SESSIONS):
        rows, expected = compare()
        if all(key in expected and agrees(row, expected[key]) for key, row in rows.items()):
            break
        time.sleep(APART)
    with capsys.disabled():
        for name, (share, error, count) in ("page", rows[hot]), (command[0], expected[hot]):
            print(f"\n  {hot}, {name}: {share:.2f} % ±{error:.2f}, {count} samples", end="")
    assert rows.keys() == expected.keys()
    for key, row in rows.items():
        assert agrees(row, expected[key]), (key, row, expected[key])
    assert not page.trouble
