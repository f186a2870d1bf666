# SPDX-License-Identifier: MIT
"""A machine with nothing to do does nothing: no process is woken, and no CPU given to any."""

import re
import subprocess
import time

import pytest

pytestmark = pytest.mark.alone

SETTLE = 2  # seconds: what start-up leaves to be done
QUIET = 10  # seconds with no kov attached
IDLE_PRIORITY = 0
SWITCH = re.compile(r"^\[([\d.]+)\] switch: .*\bto_priority = (\d+)", re.MULTILINE)
# Whom kov itself does not wake by asking.
BYSTANDERS = {"init", "fs", "proc", "shell"}


@pytest.fixture(scope="module", name="machine")
def _machine(tmp_path_factory):
    from machine import Machine  # pylint: disable=import-outside-toplevel
    with Machine(str(tmp_path_factory.mktemp("idle")), "idle", append="trace=sched", typing=True) as machine:
        machine.wait_ready().wait_console("orrery:/$ ")
        yield machine


def events(machine):
    """Process: events delivered to it so far."""
    return {one["name"]: one["events"] for one in machine.kov("ps")["processes"]}


def test_no_process_is_told_anything(machine):
    time.sleep(SETTLE)
    before = events(machine)
    time.sleep(QUIET)
    after = events(machine)
    assert BYSTANDERS <= after.keys()
    assert {name: after[name] - before[name] for name in BYSTANDERS} == dict.fromkeys(BYSTANDERS, 0)
    # The question itself, and the end of the connection of the one before: some events each.
    assert after["net"] - before["net"] < 5 * QUIET and after["dci"] - before["dci"] < 5 * QUIET


def switches(folder):
    """When, in seconds, the scheduler gave a CPU to a thread that is not the idle one, as babeltrace2 tells."""
    text = subprocess.run(["babeltrace2", "--clock-seconds", "--no-delta", str(folder)], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, errors="replace", timeout=300, check=True).stdout
    return sorted(float(at) for at, priority in SWITCH.findall(text) if int(priority) > IDLE_PRIORITY)


def test_the_scheduler_has_nothing_to_run(machine, tmp_path):
    """The flight recorder's switches: one silence of all CPUs, but for what closing the last connection takes (2 s)."""
    machine.kov("ps")
    time.sleep(QUIET)
    machine.kov_run("trace", "snapshot", "-o", str(tmp_path / "idle.ctf"))
    times = switches(tmp_path / "idle.ctf")
    longest = max(later - earlier for earlier, later in zip(times, times[1:]))
    assert longest > QUIET - 4, f"never more than {longest:.3f} s without a switch to a thread, {len(times)} switches"


def test_a_killed_process_leaves_no_open_file(machine):
    """The servers are woken when there is reason to: the reader of a pipe whose writer was killed sees the end."""
    machine.type("sleep 1000 | cat > /tmp/out; echo the pipe ended\n")
    deadline = time.monotonic() + 30
    while not (pids := [one["pid"] for one in machine.kov("ps")["processes"] if one["name"] == "sleep"]):
        assert time.monotonic() < deadline, "sleep does not run"
        time.sleep(0.1)
    assert "\nthe pipe ended" not in machine.console
    machine.kov_run("kill", str(pids[0]))
    machine.wait_console("\nthe pipe ended", 30)
