# SPDX-License-Identifier: MIT
"""kov trace breakdown, syscalls and faults of a real recording: sums to the tick, and the kernel's own CPU times."""

import json

import pytest

import servers
from machine import Machine

CALLS, PAGES = 1000, 64
NAME = "dispatcher_kick"  # the call that tests/guest/user/traced makes
MAJORS = "SCHED,SYSCALL,FAULT,IPC,IRQ,EXC,TIMER"
ON_CPU = ("user", "syscall", "fault", "ipc", "interrupt", "idle", "unknown")
PARTS = (*ON_CPU, "call", "ready", "blocked")
TICK = 0.01  # s: when the kernel accounts for processes that hand their CPU over by calls


class Recording:
    """Of a run of `traced`, and what processes had run before it and after it."""

    def __init__(self, machine, folder):
        self.machine, self.folder = machine, str(folder)
        recorder = servers.started(machine, "trace", "record", "-o", self.folder, "-e", MAJORS,
                                   "-d", "3600")
        servers.wait_owner(machine, "tracing")
        self.before = self.cpu_times()
        machine.kov_run("run", "traced", str(CALLS), str(PAGES))
        self.after = self.cpu_times()
        servers.interrupt(recorder)
        self.found = self.tool("breakdown")
        assert self.found["lost_packets"] == self.found["discarded"] == 0

    def tool(self, name, *options):
        return self.machine.kov("trace", name, self.folder, *options)

    def cpu_times(self):
        processes = json.loads(self.machine.kov_run("--json", "ps").stdout)["processes"]
        return {process["pid"]: process["cpu_seconds"] for process in processes}


@pytest.fixture(scope="module", params=[1, 2, 4], ids=lambda cpus: f"{cpus} CPUs", name="recording")
def _recording(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("breakdown")
    with Machine(str(folder), "breakdown", cpus=request.param) as machine:
        yield Recording(machine.wait_ready(), folder / "trace")


def test_times_of_cpus_are_the_recordings_length(recording):
    found = recording.found
    for row in found["cpus"]:
        assert sum(row[f"{part}_ticks"] for part in ON_CPU) \
            == found["to_ticks"] - found["from_ticks"]


def test_times_of_a_process_are_its_wall_time(recording):
    found = recording.found
    length = found["to_ticks"] - found["from_ticks"]
    for row in found["processes"]:
        assert sum(row[f"{part}_ticks"] for part in PARTS) == row["wall_ticks"] \
            <= length * row["threads"]
