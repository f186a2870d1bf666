# SPDX-License-Identifier: MIT
"""Memory of processes: the program test-memory, which knows what it should see, on machines of
several sizes."""

import re

import pytest

VERDICT = re.compile(r"^test-memory: (\d+) passed, (\d+) failed$", re.MULTILINE)


def run(boot, **options):
    """Runs test-memory as the first process: how many checks passed; none may fail."""
    machine = boot(append="init=bin/test-memory", network=False, **options)
    status = machine.wait_end()
    verdict = VERDICT.search(machine.console)
    if status != 0 or verdict is None or verdict.group(2) != "0":
        failed = "\n".join(line for line in machine.console.splitlines()
                           if line.startswith("FAILED"))
        machine.fail(f"exit status {status}\n{failed}")
    return int(verdict.group(1))


@pytest.mark.parametrize("cpus", [1, 4])
def test_regions_sharing_files_and_crashes(boot, cpus):
    assert run(boot, cpus=cpus) > 300


def test_a_file_larger_than_memory(boot):
    assert run(boot, cpus=2, mem="256M") > 300
