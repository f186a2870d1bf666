# SPDX-License-Identifier: MIT
"""Counting events through system calls: a program's own account of its loops, with the model unit and without it."""

import re

import pytest


def run(boot, cpus, seconds=150, **options):
    """The console of a machine whose first process is test-pmu, which must end well."""
    machine = boot("counting", cpus=cpus, append="init=bin/test-pmu", network=False, **options)
    status = machine.wait_end(seconds)
    if status != 0 or "test-pmu: ok" not in machine.console:
        machine.fail(f"exit status {status}")
    return machine.console


@pytest.mark.parametrize("cpus", [1, 2, 4])
def test_counts_are_exact_or_within_their_errors(boot, cpus):
    console = run(boot, cpus, pmu="model")
    assert "test-pmu: 15 events" in console, console
    held, intervals = re.search(r"(\d+) of (\d+) intervals hold the truth", console).groups()
    assert int(intervals) == 10 * cpus and int(held) >= 8 * cpus, console


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
