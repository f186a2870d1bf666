# SPDX-License-Identifier: MIT
"""Memory of processes: the program test-memory, which knows what it should see, on machines of
several sizes."""

import pytest


@pytest.mark.parametrize("cpus", [1, 4])
def test_regions_sharing_files_and_crashes(boot, cpus):
    boot(append="init=bin/test-memory", network=False, cpus=cpus).wait_passed("test-memory", 300)


def test_a_file_larger_than_memory(boot):
    machine = boot(append="init=bin/test-memory", network=False, cpus=2, mem="256M")
    machine.wait_passed("test-memory", 300)
