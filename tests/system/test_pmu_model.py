# SPDX-License-Identifier: MIT
"""The model unit: its counts against the guest's hand counts on any number of CPUs, and machines
without it."""

import re

import pytest

VERDICT = re.compile(r"^BENCHMARKS (\d+) ok, (\d+) failed$", re.MULTILINE)
ROWS_WITH_UNIT = 450  # of bench=model; there are fewer only when something was left out


def rows(machine, status):
    """How many rows were ok; none may have failed, and the exit status says the same."""
    verdict = VERDICT.search(machine.console)
    if status != 0 or verdict is None or verdict.group(2) != "0":
        failed = "\n".join(line for line in machine.console.splitlines() if line.endswith("FAILED"))
        machine.fail(f"exit status {status}, rows that failed:\n{failed}")
    return int(verdict.group(1))


def run(boot, bench, **options):
    machine = boot(append=f"bench={bench} oneshot", network=False, user=False, **options)
    return machine, rows(machine, machine.wait_end())


@pytest.mark.minutes
def test_counts_equal_the_hand_counts_on_eight_cpus(boot):
    """test_boot.py has fewer."""
    machine, ok = run(boot, "model", cpus=8, pmu="model")
    assert ok > ROWS_WITH_UNIT, machine.console
    assert "machine 970fx: 8 counters, 8 CPUs" in machine.console, machine.console


def test_counts_are_right_on_another_machine(boot):
    machine, ok = run(boot, "model", cpus=2, pmu="model", machine_model="power9")
    assert ok > ROWS_WITH_UNIT, machine.console
    assert "machine power9: 8 counters" in machine.console, machine.console


def test_counts_are_right_where_a_cycle_is_an_instruction(boot):
    machine, ok = run(boot, "model", cpus=1, pmu="model", icount=True)
    assert ok > ROWS_WITH_UNIT, machine.console
    assert "nanoseconds of so many instructions" in machine.console, machine.console


def test_processes_run_and_answer_beside_it(boot):
    machine = boot(cpus=2, pmu="model").wait_ready()
    assert machine.kov("ps")["processes"], machine.console


def test_everything_else_works_beside_it(boot):
    _, ok = run(boot, "thread,dref,trace,fault", cpus=2, pmu="model")
    assert ok > 10


@pytest.mark.parametrize("cpus", [1, 4])
def test_without_the_plugin_the_guest_says_so_and_nothing_fails(boot, cpus):
    machine, ok = run(boot, "model,spinlock", cpus=cpus)
    assert "no model unit" in machine.console, machine.console
    assert "skipped: this machine has no model unit" in machine.console, machine.console
    assert 0 < ok < 10, machine.console


def test_several_cpus_under_icount_are_refused(boot):
    machine = boot(cpus=2, network=False, user=False, icount=True, pmu="model")
    assert machine.wait_end() != 0, machine.emulator
    assert "CPU" in machine.emulator and "icount" in machine.emulator, machine.emulator
