# SPDX-License-Identifier: MIT
"""Samples a second as they were asked for, by the machine's own time, and enough of them for shares
that are the workload's own."""

import re

import pytest

from chance import certainly
from conftest import MODELLED
from servers import interrupt, started, wait_owner
from waiting import wait_for

HERTZ, NEAR = 1000, 0.2
FULL = 900e6  # instructions a second of a busy CPU, where a cycle is an instruction
IDLE = 500e3  # a threshold that a busy CPU has not
# command pid/thread [cpu] seconds: weight event:
HEAD = re.compile(r"^\S+ +\d+/\d+ +\[\d+\] +(\d+\.\d+): +(\d+) ", re.MULTILINE)


def samples_of(machine, path):
    """[(seconds of the machine's clock, weight)] of all samples."""
    machine.kov_run("export", "-i", path, "-f", "perf-script", "-o", path + ".txt")
    with open(path + ".txt", encoding="utf-8") as text:
        return [(float(time), int(weight)) for time, weight in HEAD.findall(text.read())]


def seconds_of(samples):
    """[(samples, events)] of each whole second of the machine's, from the first sample on."""
    begin, end = samples[0][0], samples[-1][0]
    whole = [[0, 0] for _ in range(int(end - begin))]
    for time, weight in samples:
        if time - begin < len(whole):
            whole[int(time - begin)][0] += 1
            whole[int(time - begin)][1] += weight
    return whole


def assert_near(whole):
    """Each but the first."""
    assert len(whole) >= 4, whole
    assert all(abs(one - HERTZ) <= NEAR * HERTZ for one, _ in whole[1:]), whole


def threshold_of(machine):
    (event,) = machine.kov("threshold")["events"]
    return event["period"]


@pytest.mark.minutes
def test_a_rate_is_as_asked_after_the_first_second(exact, tmp_path):
    path = str(tmp_path / "samples.kov")
    recorded = exact.kov("record", "-o", path, "-e", "instructions", "--", "demo", "seconds=6")
    assert not recorded["lowered"] and not recorded["too_rare"], recorded["events"]
    assert_near(seconds_of(samples_of(exact, path))[:5])


@pytest.mark.minutes
def test_a_rate_follows_from_idle_to_full_load_and_back(exact, tmp_path):
    """With an idle machine's threshold too many samples come until the load is seen. Then the rate
    is as asked, and when the load is gone, the threshold comes down again."""
    path = str(tmp_path / "samples.kov")
    with started(exact, "record", "-o", path, "-e", "instructions", "-d", "86400") as recorder:
        wait_owner(exact, "sampling")
        wait_for(lambda: threshold_of(exact) < IDLE, "an idle machine's threshold")
        exact.kov("workload", "run", "demo", "seconds=6")
        wait_for(lambda: threshold_of(exact) < IDLE, "an idle machine's threshold again")
        interrupt(recorder)
    assert_near([one for one in seconds_of(samples_of(exact, path)) if one[1] > FULL])


def test_contention_shows_with_what_stands_on_the_command_line(pool, tmp_path):
    """Enough samples of a load of spin locks, unless kov says why not, and as many larx as its own
    account within their errors, which include what had no sample."""
    machine = pool.lend(**MODELLED)
    recorded = machine.kov("record", "-o", str(tmp_path / "samples.kov"), "-e", "larx", "--",
                           "contention", "seconds=6")
    assert recorded["samples"] >= 2000 or recorded["lowered"] or recorded["too_rare"], \
        recorded["events"]
    found = machine.kov("locks", "--", "contention", "seconds=6")
    report = found["workload"]["report"]
    own = {key[len("spins."):]: report[key] + report["acquisitions" + key[len("spins"):]]
           for key in report if key.startswith("spins.")}
    larx = {row["coid"]: row["larx"] for row in found["objects"] if row.get("coid") in own}
    for coid, one in larx.items():
        print(coid, own[coid], one)
    for coid, one in larx.items():
        chance = certainly(one["error"]) + 2 * found["threshold"]
        assert abs(one["value"] - own[coid]) <= chance, (coid, own, larx)
