# SPDX-License-Identifier: MIT
"""The library of processes: programs of tests/guest/user/, each started by the kernel as its first
process."""

import os
import re
import subprocess
import sys

import pytest

from machine import BUILD, ROOT

CRASHES = ("null", "kernel", "text", "data", "stack", "trap", "r1", "privileged", "r13", "panic",
           "thread")
BENCH = re.compile(r"^BENCH user\.(\S+) (\S+) ns$", re.MULTILINE)


def run(boot, program, cpus=1, **options):
    """Boots with a program as the first process; fails unless it ends with status 0. Returns the
    console."""
    machine = boot(cpus=cpus, append=f"init=bin/{program}", network=False, **options)
    status = machine.wait_end()
    if status != 0:
        machine.fail(f"exit status {status}")
    return machine.console


def check_counts(console, program):
    """The last line of a program that checks itself."""
    found = re.search(rf"^{program}: (\d+) passed, (\d+) failed$", console, re.MULTILINE)
    assert found, console[-3000:]
    assert int(found.group(1)) > 0 and found.group(2) == "0", console[-3000:]


def test_a_program_says_hello_and_the_machine_ends_with_it(boot):
    assert "hello from user mode" in run(boot, "test-hello")


@pytest.mark.parametrize("cpus", [1, 2])
def test_the_c_library_gives_known_answers(boot, cpus):
    console = run(boot, "test-libc", cpus)
    assert "standard output works" in console
    check_counts(console, "test-libc")


@pytest.mark.parametrize("cpus", [1, 2, 4])
def test_threads_and_sleep_locks(boot, cpus):
    check_counts(run(boot, "test-threads", cpus), "test-threads")


@pytest.mark.parametrize("cpus", [1, 4])
def test_processes_start_end_and_crash(boot, cpus):
    console = run(boot, "test-spawn", cpus)
    check_counts(console, "test-spawn")
    assert console.count("bad data address") >= 5, console
    assert "its stack is full" in console
    assert "panics: as asked" in console


def test_a_crash_report_names_the_functions(boot):
    console = run(boot, "test-spawn", 2)
    report = console[console.index("address 0)"):]
    report = report[:report.index("user_start")]
    names = re.findall(r"^ +0x[0-9a-f]+ (\w+)\+0x[0-9a-f]+$", report, re.MULTILINE)
    assert names == ["crash", "child_main", "main"], report


def test_the_cost_of_threads_and_locks_is_told(boot):
    rows = dict(BENCH.findall(run(boot, "bench-user", icount=True)))
    assert {"thread_switch", "lock_free", "lock_contended", "spawn_exit_wait"} <= rows.keys()
    assert float(rows["lock_free"]) < 100  # instructions for taking and giving back: no system call


def test_the_initial_file_system_is_the_same_bytes_again(tmp_path):
    mkinitrd = os.path.join(ROOT, "scripts/mkinitrd.py")
    program = os.path.join(BUILD, "user/bin/test-hello")
    pairs = [f"bin/hello={program}", f"etc/words={__file__}"]
    images = []
    for name, order in (("one", pairs), ("two", pairs[::-1])):
        subprocess.run([sys.executable, mkinitrd, "--out", tmp_path / name, *order], check=True)
        images.append((tmp_path / name).read_bytes())
    assert images[0] == images[1]
    # Contents begin on a page boundary, where processes map them.
    with open(program, "rb") as file:
        contents = file.read()
    assert images[0].index(contents) % 4096 == 0
