# SPDX-License-Identifier: MIT
"""Boot: benchmarks with every verdict ok on any number of CPUs, and a strict boot line."""

import re

import pytest

# of a machine with the model unit; there are fewer only when something was left out
KERNEL_ROWS, PROGRAM_ROWS = 550, 90
VERDICT = re.compile(r"^BENCHMARKS (\d+) ok, (\d+) failed$", re.MULTILINE)


def check_benchmarks(machine, status):
    """All verdicts ok, and the exit status says the same."""
    verdict = VERDICT.search(machine.console)
    if status != 0 or verdict is None or int(verdict.group(1)) == 0 or verdict.group(2) != "0":
        failed = "\n".join(line for line in machine.console.splitlines() if line.endswith("FAILED"))
        machine.fail(f"exit status {status}, rows that failed:\n{failed}")
    return int(verdict.group(1))


@pytest.mark.long
@pytest.mark.minutes
@pytest.mark.parametrize("cpus", [1, 2, 4])
def test_the_whole_validation_table_is_ok(boot, cpus):
    """What `make run ONESHOT=1` prints: the kernel's rows, then those of programs."""
    machine = boot(cpus=cpus, append="bench=all init=bin/validation oneshot", network=False,
                   pmu="model")
    rows = check_benchmarks(machine, machine.wait_end())
    assert rows > KERNEL_ROWS, machine.console
    of_programs = re.findall(r"^test-\w+: (\d+) rows ok, 0 failed$", machine.console, re.MULTILINE)
    assert len(of_programs) == 3 and sum(map(int, of_programs)) > PROGRAM_ROWS, machine.console
    assert "VALIDATION 3 programs ok, 0 failed" in machine.console, machine.console


@pytest.mark.long
@pytest.mark.minutes
def test_all_benchmarks_are_ok_without_the_model_unit(boot):
    machine = boot(cpus=2, append="bench=all oneshot", network=False)
    rows = check_benchmarks(machine, machine.wait_end())
    assert rows > 60, machine.console


def test_benchmarks_are_exact_where_a_cycle_is_an_instruction(boot):
    machine = boot(cpus=1, append="bench=timer,cycles,ratio,loss,trace,nesting oneshot",
                   network=False, icount=True)
    check_benchmarks(machine, machine.wait_end())
    assert "nanosecond of host time" not in machine.console


@pytest.mark.parametrize("cpus", [1, 8])
def test_it_boots_and_powers_off(boot, cpus):
    machine = boot(cpus=cpus, append="bench=counter,thread oneshot", network=False)
    check_benchmarks(machine, machine.wait_end())


@pytest.mark.parametrize("append, complaint, valid", [
    ("nonsense", "nonsense", "bench"),
    ("benches=all", "benches=all", "bench"),
    ("oneshot=1", "oneshot", "oneshot"),
    ("bench=", "bench", "bench"),
    ("trace-subbuffers=3", "trace-subbuffers=3", "power of two"),
    ("trace-subbuffers=99999999999999999999", "trace-subbuffers", "power of two"),
    ("trace=ALL_OF_IT", "trace=ALL_OF_IT", "trace"),
    ("trace-mode=sometimes", "trace-mode=sometimes", "overwrite|discard"),
    ("observer=" + "x" * 65, "observer", "observer"),
    ("fail=0,all", "fail=0,all", "N,PID|kernel|all"),
    ("fail=3,4294967295", "fail=3,4294967295", "N,PID|kernel|all"),
    ("fail=99999999999999999999,1", "fail=99999999999999999999,1", "N,PID|kernel|all"),
    ("fail=3", "fail=3", "N,PID|kernel|all"),
])
def test_bad_boot_lines_are_refused(boot, append, complaint, valid):
    machine = boot(append=append, network=False)
    assert machine.wait_end() != 0, machine.console
    assert complaint in machine.console, machine.console
    assert valid in machine.console, machine.console


@pytest.mark.parametrize("append, complaint", [
    ("bench=dref,nonesuch oneshot", "unknown benchmark 'nonesuch'"),
    ("bench=dref,, oneshot", "unknown benchmark ''"),
    ("workload=nonesuch", "no workload 'nonesuch'"),
    ("workload=demo:work=1-2", "a list of 3 numbers"),
    ("workload=demo:work=1-2-4,work=1-2-4", "given twice"),
    ("workload=demo:colour=red", "no such parameter"),
    ("workload=demo:seconds=-1", "a number from"),
    ("workload=demo:cpus=7", "CPU numbers below 2"),
    ("workload=trace-storm:words=5", "one of 0|1|2|3|4|mixed"),
    ("workload=demo:seconds=1,", "no such parameter"),
])
def test_bad_benchmarks_and_workloads_are_refused(boot, append, complaint):
    machine = boot(append=append, network=False)
    assert machine.wait_end() != 0, machine.console
    assert complaint in machine.console, machine.console
