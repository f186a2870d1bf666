# SPDX-License-Identifier: MIT
"""Processes and system calls: isolation, life and death."""

import os
import re
import subprocess
import sys

import pytest

from machine import ROOT

GENERATOR = os.path.join(ROOT, "kernel/syscalls/gen_syscalls.py")


def start(boot, program, cpus=1, words="", **options):
    """A machine with the program as its first process."""
    return boot(cpus=cpus, append=f"init=bin/{program} -- {words}", network=False, **options)


@pytest.mark.parametrize("cpus", [1, 2])
def test_a_process_can_break_nothing_but_itself(boot, cpus):
    console = start(boot, "test-isolation", cpus).wait_passed("test-isolation")
    calls = re.search(r"^(\d+) random system calls", console, re.MULTILINE)
    assert int(calls.group(1)) >= 1000000


def test_a_process_that_dies_disabled_is_reported_by_the_kernel(boot):
    console = start(boot, "test-isolation", words="count=1000").wait_passed("test-isolation")
    report = re.search(r"^process \d+ \(test-isolation\) on CPU 0: NULL pointer: read at offset 0, "
                       r"bad address, vector 0x300\n"
                       r"  pc [0-9a-f]{16}  lr [0-9a-f]{16}  dar 0000000000000000 ",
                       console, re.MULTILINE)
    assert report, console[-3000:]


@pytest.mark.parametrize("cpus", [1, 4])
def test_processes_come_and_go_and_leave_nothing(boot, cpus):
    machine = start(boot, "test-processes", cpus, "crowd=200" if cpus == 1 else "")
    machine.wait_passed("test-processes")


def test_a_process_that_does_not_answer_is_told_within_a_second(boot):
    """Where a second is so many instructions."""
    machine = start(boot, "test-processes", words="only=stuck exact=1", icount=True)
    machine.wait_passed("test-processes")


def test_the_first_process_ends_the_machine_with_its_status(boot):
    machine = boot(append="init=bin/test-processes -- only=nothing", network=False)
    assert machine.wait_end() == 0
    machine = boot(append="init=bin/none", network=False)
    assert machine.wait_end() != 0
    assert "boot: cannot start bin/none: no such thing" in machine.console


def test_the_page_of_system_calls_says_what_the_table_says():
    subprocess.run([sys.executable, GENERATOR, "--defs",
                    os.path.join(ROOT, "kernel/syscalls/syscalls.def"), "--check-doc",
                    os.path.join(ROOT, "docs/system-calls.md")], check=True)


@pytest.mark.parametrize("line, message", [
    ("call(one, -, nobody, \"x\", u65 a)", "bad parameter \"u65 a\""),
    ("call(one, -, nobody, \"x\", cap_t a)", "bad parameter \"cap_t a\""),
    ("call(one, -, nobody, \"x\", memory? a)", "bad parameter \"memory? a\""),
    ("call(one, -, nobody, \"x\", in bytes[n<=10] a)", "n is no u64 parameter"),
    ("call(one, -, nobody, \"x\", in bytes[n<=65537] a, u64 n)", "a: more than 65536 bytes"),
    ("call(one, -, nobody, \"x\")\ncall(one, -, nobody, \"x\")", "one is there twice"),
    ("call(one, -, \"x\")", "expected group, call, call_void or special"),
    ("call(one, RIGHT, nobody, \"x\")", "expected group, call, call_void or special"),
    ("call(one, -, everybody, \"x\")",
     "who is affected: one of nobody, holders, callers, server, child, readers, console, process, "
     "machine"),
    ("call(one, -, machine, \"x\")", "what affects everybody needs a right"),
    ("call(one, -, process, \"x\", u32 pid)", "what affects a process by its number needs a right"),
    ("special(one, machine, \"x\")", "what affects everybody needs a right"),
    ("call(one, -, nobody, \"x\", u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h, u64 i)",
     "more than 8 parameters"),
])
def test_a_wrong_line_of_the_table_is_named(tmp_path, line, message):
    table = tmp_path / "wrong.def"
    table.write_text('group("Wrong")\n' + line + "\n")
    result = subprocess.run([sys.executable, GENERATOR, "--defs", str(table), "--out",
                             str(tmp_path / "out")],
                            capture_output=True, text=True, check=False)
    assert result.returncode != 0
    place = 2 + line.count("\n")
    assert result.stderr == f"{table}:{place}: error: {message}\n"
