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


@pytest.mark.parametrize("cpus", [1, 2, 4])
def test_programs_see_posix_files(boot, cpus):
    run(boot, "test-files", cpus).wait_passed("test-files", 300)


@pytest.mark.parametrize("cpus", [1, 2, 4])
def test_posix_calls_do_what_the_tables_say(boot, cpus):
    run(boot, "test-posix", cpus, network=True).wait_passed("test-posix")


@pytest.mark.parametrize("cpus", [1, 4])
def test_killed_servers_come_back_and_clients_reconnect(boot, cpus):
    """And before that: processes without rights that use what is another's, and take all there
    is."""
    machine = run(boot, "test-servers", cpus, network=True)
    machine.wait_passed("test-servers", 250)
    pauses = re.findall(r"^init: proc \(pid \d+\) .*; restart in (\d+) ms$", machine.console,
                        re.MULTILINE)
    assert pauses[:4] == ["100", "200", "400", "800"]


def test_the_run_programs_status_is_the_machines(boot):
    assert run(boot, "true").wait_end() == 0
    machine = run(boot, "false", status=1)
    assert "init: false (pid" in machine.console
    machine = run(boot, "no-such-program", status=1)
    assert "init: no-such-program: cannot start bin/no-such-program: no such thing" \
        in machine.console
