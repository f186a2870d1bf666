# SPDX-License-Identifier: MIT
"""The monitor's view of processes: guest programs that use, and are, what is monitored."""

import re

import pytest


def run(boot, program, cpus, words="", **options):
    """The program's lines, as the machine's first process, which must end well."""
    machine = boot(program, cpus=cpus, append=f"init=bin/{program} -- {words}", network=False,
                   **options)
    status = machine.wait_end()
    assert status == 0 and f"{program}: ok" in machine.console, machine.console
    return [line for line in machine.console.splitlines() if line.startswith(program)]


@pytest.mark.parametrize("cpus", [1, 4])
def test_objects_of_a_process_on_all_its_cpus(boot, cpus):
    """Counters, misses, exact counts, scans while objects come and go, identifiers of objects that
    are gone."""
    run(boot, "test-objects", cpus)


def test_a_scan_costs_at_most_40_instructions_an_object(boot):
    """Where a nanosecond is an instruction."""
    line = next(line for line in run(boot, "test-objects", 1, icount=True)
                if "a scan takes" in line)
    assert float(line.split()[4]) <= 40, line


def test_processes_killed_at_random_leave_no_torn_event(boot):
    lines = run(boot, "test-trace", 4)
    assert any(" 0 torn" in line for line in lines)


def test_a_user_event_costs_at_most_20_instructions(boot):
    """Where a nanosecond is an instruction; the loop around each event is 3 of them."""
    line = next(line for line in run(boot, "test-trace", 1, icount=True) if "an event off" in line)
    off, on = (int(word) for word in line.split() if word.isdigit())
    assert off <= 1 + 3 and on <= 20 + 3, line


def test_samples_scans_and_counts_of_two_processes(boot):
    """Object work at 1:3 in each, and what the kernel does on their behalf; and a process that does
    not answer."""
    run(boot, "test-monitor", 2)


def test_samples_of_two_processes_by_instructions(boot):
    """By the model unit: in problem state only, by interrupts and by precise records, the same
    shares."""
    lines = run(boot, "test-monitor", 2, pmu="model")
    assert [line.split()[-1] for line in lines if "by instructions" in line] == ["interrupts",
                                                                                 "precise"], lines


def test_attribution_is_right_within_3_percent(boot):
    """Where a cycle is an instruction, so that a busy host does not count."""
    shares = [float(share) for share in re.findall(r"heavy \((\d+\.\d) %\) (?:\d) other",
                                                   "\n".join(run(boot, "test-monitor", 1, "exact=1",
                                                                 icount=True)))]
    assert len(shares) == 2 and all(abs(share - 75) < 3 * 0.75 for share in shares), shares
