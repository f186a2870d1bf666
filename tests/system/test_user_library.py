# SPDX-License-Identifier: MIT
"""The library of processes: programs of tests/guest/user/, each started by the kernel as its first
process."""

import os
import re
import subprocess
import sys

import pytest

import printed
from machine import BUILD, ROOT

CRASHES = ("null", "kernel", "text", "data", "stack", "trap", "r1", "privileged", "r13", "panic",
           "thread")
BENCH = re.compile(r"^BENCH user\.(\S+) (\S+) ns$", re.MULTILINE)


def start(boot, program, cpus=1, **options):
    """A machine with the program as its first process."""
    return boot(cpus=cpus, append=f"init=bin/{program}", network=False, **options)


def test_a_program_says_hello_and_the_machine_ends_with_it(boot):
    machine = start(boot, "test-hello")
    assert machine.wait_end() == 0 and "hello from user mode" in machine.console


@pytest.mark.parametrize("cpus", [1, 2])
def test_the_c_library_gives_known_answers(boot, cpus):
    console = start(boot, "test-libc", cpus).wait_passed("test-libc")
    assert "standard output works" in console


@pytest.mark.parametrize("cpus", [1, 2, 4])
def test_threads_and_sleep_locks(boot, cpus):
    start(boot, "test-threads", cpus).wait_passed("test-threads")


@pytest.mark.parametrize("cpus", [1, 2, 4])
def test_posix_threads_do_what_the_table_says(boot, cpus):
    """And the process ends with its last thread, long after main has called pthread_exit."""
    start(boot, "test-pthreads", cpus).wait_passed("test-pthreads")


@pytest.mark.parametrize("cpus", [1, 4])
def test_processes_start_end_and_crash(boot, cpus):
    console = start(boot, "test-spawn", cpus).wait_passed("test-spawn")
    assert console.count("bad data address") >= 5, console
    for cause in ("NULL pointer: write at offset 0,", "NULL pointer: read at offset 0x10,",
                  "NULL pointer: call at offset 0,", "NULL pointer: write at offset 0x8,"):
        report = printed.first_lines(console, cause)
        assert re.search(r"^ +0x10\w+ (crash|in_thread)\+0x", report, re.MULTILINE), report
    for thread, function in (("1", "overflow"), ("2", "overflow")):
        report = printed.first_lines(console, f": stack overflow of thread {thread},")
        assert re.search(rf"^ +0x10\w+ {function}\+0x", report, re.MULTILINE), report
    assert "panics: as asked" in console


@pytest.mark.parametrize("cpus", [1, 2])
def test_misuse_of_the_heap_is_told_where_that_is_asked_for(boot, cpus):
    console = start(boot, "test-spawn", cpus).wait_passed("test-spawn")
    for cause, where in (
            (r"double free of 0x2\w+ \(8 bytes\)", "again by misuse_heap"),
            (r"overrun: written behind 0x2\w+ \(24 bytes\), at offset 24", " free"),
            (r"underrun: written before 0x2\w+ \(24 bytes\), at offset -1", " free"),
            (r"overrun: written behind 0x2\w+ \(24 bytes\), at offset 24", " exit"),
            (r"written after it was freed: heap block 0x2\w+ \(24 bytes\), at offset 3",
             "freed by misuse_heap"),
            (r"free of 0x2\w+, which is no block of the heap", "in misuse_heap")):
        reports = [printed.first_lines(console[found.start():], found.group())
                   for found in re.finditer(cause, console)]
        assert any(re.search(rf"{where}\+0x", report) for report in reports), (cause, reports)
        assert all("misuse_heap+0x" in report for report in reports), (cause, reports)


def test_a_crash_report_names_the_functions(boot):
    console = start(boot, "test-spawn", 2).wait_passed("test-spawn")
    report = console[console.index("address 0)"):]
    report = report[:report.index("user_start")]
    names = re.findall(r"^ +0x[0-9a-f]+ (\w+)\+0x[0-9a-f]+$", report, re.MULTILINE)
    assert names == ["crash", "child_main", "main"], report


def test_the_cost_of_threads_and_locks_is_told(boot):
    machine = start(boot, "bench-user", icount=True)
    assert machine.wait_end() == 0
    rows = dict(BENCH.findall(machine.console))
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
