# SPDX-License-Identifier: MIT
"""Counting events through system calls: a program's own account of its loops, by CPU, process and
thread, with the model unit and without it."""

import re

import pytest

def run(boot, cpus, words="brief=1", **options):
    """The console of a machine whose first process is test-pmu, which must end well."""
    machine = boot("counting", cpus=cpus, append=f"init=bin/test-pmu -- {words}", network=False,
                   **options)
    status = machine.wait_end()
    if status != 0 or "test-pmu: ok" not in machine.console:
        machine.fail(f"exit status {status}")
    return machine.console


def check_counts(console, cpus):
    assert "test-pmu: 15 events" in console, console
    assert len(re.findall(r"turns, CPU \d: \S+, measured \d+ % of the time +\S+ +\d+  ok",
                          console)) == 10 * cpus, console
    assert "test-pmu: tasks done" in console and "test-pmu: own counters done" in console, console
    shares = re.findall(r"a share of (\d+) permille +\S+ +(\d+)  ok", console)
    assert len(shares) == 3 * cpus and all(abs(int(a) - int(b)) <= 20 for a, b in shares), console


@pytest.mark.parametrize("cpus", [pytest.param(8, marks=[pytest.mark.long, pytest.mark.minutes]),
                                  2, 1])
def test_counts_are_exact_or_within_their_errors(boot, cpus):
    check_counts(run(boot, cpus, pmu="model"), cpus)


@pytest.mark.long
@pytest.mark.minutes
def test_all_events_at_once_agree_with_each_alone(boot):
    """100 intervals: the program wants 86 of each event's, and has all 14 events."""
    console = run(boot, 2, words="", pmu="model")
    check_counts(console, 2)
    agreeing, of_all = re.search(r"alone and together agree in (\d+) of (\d+)", console).groups()
    assert int(of_all) == 1400 and int(agreeing) >= 1400 * 86 / 100, console


def test_refusals_say_which_events_exclude_each_other(boot):
    console = run(boot, 1, pmu="model")
    assert "refused: larx:u, larx:k: 2 events, only counter 3" in console, console


def test_another_machine_has_other_groups(boot):
    run(boot, 2, pmu="model", machine_model="power9")


def test_where_an_instruction_is_a_nanosecond(boot):
    run(boot, 1, pmu="model", icount=True)


def test_without_the_unit_nothing_is_offered(boot):
    console = run(boot, 2)
    assert "test-pmu: 0 events" in console and "no unit of this machine" in console, console
