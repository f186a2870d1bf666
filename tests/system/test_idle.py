# SPDX-License-Identifier: MIT
"""A machine with nothing to do does nothing: no process is woken, and no CPU given to any."""

import re
import subprocess
import tempfile
import time

import pytest

import dci_client as dci
from machine import CONTROLLER
from waiting import PATIENCE, wait_for

pytestmark = pytest.mark.long

QUIET = 10  # seconds with no kov attached
IDLE_PRIORITY = 0
SWITCH = re.compile(r"^\[([\d.]+)\] switch: .*\bto_priority = (\d+)", re.MULTILINE)
# Whom kov itself does not wake by asking.
BYSTANDERS = {"init", "fs", "proc", "shell"}


@pytest.fixture(scope="module", name="machine")
def _machine(tmp_path_factory):
    from machine import Machine  # pylint: disable=import-outside-toplevel
    with Machine(str(tmp_path_factory.mktemp("idle")), "idle", append="trace=sched",
                 typing=True) as machine:
        machine.wait_ready().wait_console("orrery:/$ ")
        yield machine


def events(machine):
    """Process: events delivered to it so far."""
    return {one["name"]: one["events"] for one in machine.kov("ps")["processes"]}


def told(machine):
    """Process: events delivered to it while nobody looked."""
    before = events(machine)
    time.sleep(QUIET)
    return {name: count - before[name] for name, count in events(machine).items()}


def test_no_process_is_told_anything(machine):
    """Once start-up and connections are over, which a host may make last: nobody gets an event, and
    those who carry the question, and the end of the connection of the one before, get some."""
    def silent():
        found = told(machine)
        return all(found[name] == 0
                   for name in BYSTANDERS) and found["net"] < 5 * QUIET and found["dci"] < 5 * QUIET

    wait_for(silent, "a machine in which nothing happens")


def switches(folder):
    """When, in seconds, the scheduler gave a CPU to a thread that is not the idle one, as
    babeltrace2 tells."""
    text = subprocess.run(["babeltrace2", "--clock-seconds", "--no-delta", str(folder)],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          errors="replace", timeout=PATIENCE, check=True).stdout
    return sorted(float(at) for at, priority in SWITCH.findall(text)
                  if int(priority) > IDLE_PRIORITY)


def test_the_scheduler_has_nothing_to_run(machine, tmp_path):
    """The flight recorder's switches: one silence of all CPUs, but for what closing the last
    connection takes (2 s)."""
    def silence():
        machine.kov("ps")
        time.sleep(QUIET)
        folder = tempfile.mkdtemp(dir=tmp_path)
        machine.kov_run("trace", "snapshot", "-o", f"{folder}/idle.ctf")
        times = switches(f"{folder}/idle.ctf")
        return max(later - earlier for earlier, later in zip(times, times[1:])) > QUIET - 4

    wait_for(silence, "no switch to a thread for some seconds")


def test_a_killed_process_leaves_no_open_file(machine):
    """The servers are woken when there is reason to: the reader of a pipe whose writer was killed
    sees the end."""
    machine.type("sleep 1000 | cat > /tmp/out; echo the pipe ended\n")
    pids = wait_for(lambda: [one["pid"] for one in machine.kov("ps")["processes"]
                             if one["name"] == "sleep"], "sleep")
    assert "\nthe pipe ended" not in machine.console
    machine.kov_run("kill", str(pids[0]))
    machine.wait_console("\nthe pipe ended")


def test_a_process_killed_before_it_begins_takes_no_open_file(boot):
    """It is given its files while it is loaded: those that it cannot take any more are closed."""
    machine = boot("loading", typing=True).wait_ready()
    seen, early = set(), 0
    with dci.connect(machine.port, CONTROLLER) as client:
        def new():
            listed = client.list("processes", "processes", dci.pb.ProcessesRequest())
            return [one.pid for one in listed if one.name == "sleep" and one.pid not in seen]

        for turn in range(200):
            machine.type(f"sleep 1000 | cat > /tmp/out; echo the end {turn}.\n")
            end = time.monotonic() + PATIENCE
            while not (pids := new()):  # without a pause: it is not to have begun
                assert time.monotonic() < end, "no sleep"
            [pid] = pids
            seen.add(pid)
            client.request(kill=dci.pb.KillRequest(pid=pid))
            machine.wait_console(f"\nthe end {turn}.")
            early += "sh: sleep: in use" in machine.console.rsplit("sleep 1000", 1)[1]
            if early == 3:
                return
    pytest.skip(f"{early} of {len(seen)} processes were killed while they were loaded")
