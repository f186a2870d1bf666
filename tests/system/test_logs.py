# SPDX-License-Identifier: MIT
"""Logs for schedulers: the guest's own tests, and the command that shows them."""

import re

import pytest

RESULT = re.compile(r"^test-logs: (\d+) passed, (\d+) failed$", re.MULTILINE)
ROW = re.compile(r"^ *(\d+\.\d{6}) +(\d+) (call|run-queue) +(\d+) +(\d+) +(\d+)$", re.MULTILINE)
DOMAIN = re.compile(r"^domain (\d+): process \d+, (\S+)$", re.MULTILINE)


@pytest.mark.parametrize("cpus, options", [(1, ""), (4, ""), (2, "ipc=slow")])
def test_owners_get_what_they_asked_for_and_harm_nobody(boot, cpus, options):
    machine = boot(cpus=cpus, network=False, append=f"init=bin/test-logs trace=none {options}")
    status = machine.wait_end()
    result = RESULT.search(machine.console)
    if status != 0 or result is None or result.group(2) != "0" or int(result.group(1)) < 300:
        machine.fail(f"test-logs ended with status {status}")
