# SPDX-License-Identifier: MIT
"""init, fs and proc as processes: files from inside, servers that are killed, what the console
tells of it."""

import re

import pytest


def run(boot, program, cpus=2, status=0, network=False):
    """Runs a program of the initial file system to its end; returns the machine."""
    machine = boot(f"{program}-{cpus}", cpus=cpus, append=f"run=bin/{program} oneshot",
                   network=network)
    if machine.wait_end() != status and status == 0:
        machine.fail(f"{program} failed")
    return machine


def passed(machine, program):
    """How many checks of the program's own passed; none may have failed."""
    found = re.search(rf"^{program}: (\d+) passed, 0 failed$", machine.console, re.MULTILINE)
    if not found:
        machine.fail(f"{program} did not report success")
    return int(found[1])


@pytest.mark.parametrize("cpus", [1, 2, 4])
def test_programs_see_posix_files(boot, cpus):
    assert passed(run(boot, "test-files", cpus), "test-files") > 300


@pytest.mark.parametrize("cpus", [1, 4])
def test_killed_servers_come_back_and_clients_reconnect(boot, cpus):
    """And before that: processes without rights that use what is another's, and take all there
    is."""
    machine = run(boot, "test-servers", cpus, network=True)
    assert passed(machine, "test-servers") > 250
    pauses = re.findall(r"^init: proc \(pid \d+\) .*; restart in (\d+) ms$", machine.console,
                        re.MULTILINE)
    assert pauses[:4] == ["100", "200", "400", "800"]


def test_the_run_programs_status_is_the_machines(boot):
    assert run(boot, "true").wait_end() == 0
    machine = run(boot, "false", status=1)
    assert "init: false (pid" in machine.console
    machine = run(boot, "no-such-program", status=1)
    assert "init: no-such-program: cannot start bin/no-such-program: no such thing" in machine.console
