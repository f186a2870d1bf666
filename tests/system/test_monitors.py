# SPDX-License-Identifier: MIT
"""Monitors (S003): what clients see of threads, side by side."""

import pathlib
import re

import pytest

from test_user_monitor import run
from machine import pid_of

ROOT = pathlib.Path(__file__).parents[2]
RECORD = re.compile(r"(\d+): +(\d+\.\d{6}) (\d+) (leaves \((\w+)\)|comes|stays \((\w+)\))$")


def test_the_program_prints_each_record(boot):
    """A thread that comes leaves before it comes again; the counts are those of the lines."""
    machine = boot("monitor", cpus=2)
    machine.wait_ready()
    pid = pid_of(machine, "net")
    text = machine.kov_run("run", "monitor", "--", str(pid), "2").stdout
    lines = text.splitlines()
    records = [RECORD.match(line) for line in lines[:-1]]
    assert records and all(records), text
    for cpu in {record[1] for record in records}:
        own = [record for record in records if record[1] == cpu]
        times = [float(record[2]) for record in own]
        assert times == sorted(times)
        ways = [record[4].split()[0] for record in own if not record[4].startswith("stays")]
        assert all(a != b for a, b in zip(ways, ways[1:])), text
        assert {record[3] for record in own} == {str(pid)}
    assert lines[-1] == f"{len(records)} records: {len(records)} read, 0 lost"


def test_the_program_prints_other_kinds(boot):
    machine = boot("kinds", cpus=2)
    machine.wait_ready()
    pid = str(pid_of(machine, "net"))
    lines = machine.kov_run("run", "monitor", "--", pid, "2", "wake,syscall").stdout.splitlines()
    kinds = [re.fullmatch(rf"\d+: +\d+\.\d{{6}} {pid} (wakes \(\w+\)|calls \d+ \(-?\d+\))", line)
             for line in lines[:-1]]
    assert all(kinds) and {kind[1].split()[0] for kind in kinds} == {"wakes", "calls"}, lines
    assert lines[-1] == f"{len(kinds)} records: {len(kinds)} read, 0 lost"


@pytest.mark.parametrize("cpus", [1, 2, 4])
def test_refusals_counts_and_attacks(boot, cpus):
    """Each error; three monitors at once agree with the trace; the killed leave nothing."""
    lines = run(boot, "test-monitors", cpus)
    assert sum("switches in the trace" in line for line in lines) == cpus
    assert any("processes killed" in line for line in lines)
    assert any("3 clients have read" in line for line in lines)
    assert any("are those that were made" in line for line in lines)


def test_the_example_of_the_page_is_what_is_run():
    example = (ROOT / "tests/guest/user/test-monitors/example.c").read_text()
    page = (ROOT / "docs/monitors.md").read_text()
    assert example[example.index("static struct"):] in page
