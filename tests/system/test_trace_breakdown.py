# SPDX-License-Identifier: MIT
"""kov trace breakdown, syscalls and faults of a real recording: sums to the tick, and CPU times
against the kernel's."""

import json

import pytest

import servers
from machine import Machine

CALLS, PAGES = 1000, 64
NAME = "dispatcher_kick"  # the call that tests/guest/user/traced makes
MAJORS = "SCHED,SYSCALL,FAULT,IPC,IRQ,EXC,TIMER,USER"
ON_CPU = ("user", "syscall", "fault", "ipc", "interrupt", "idle", "unknown")
PARTS = (*ON_CPU, "call", "ready", "blocked")
RUNS = ("user", "syscall", "fault", "ipc", "interrupt")
TICK = 0.01  # s: who hands its CPU over by a call is charged at the next tick of its CPU


class Recording:
    """Of a run of `traced`; and what each process had run before and after the recording, and
    within it at both ends."""

    def __init__(self, machine, folder):
        self.machine, self.folder = machine, str(folder)
        self.times = [self.cpu_times()]
        recorder = servers.started(machine, "trace", "record", "--all", "-o", self.folder, "-e",
                                   MAJORS, "-d", "3600")
        servers.wait_owner(machine, "tracing")
        self.times.append(self.cpu_times())
        machine.kov_run("run", "traced", str(CALLS), str(PAGES))
        self.times.append(self.cpu_times())
        servers.interrupt(recorder)
        self.times.append(self.cpu_times())
        self.found = self.tool("breakdown")
        assert self.found["lost_packets"] == self.found["discarded"] == 0
        self.traced = max((row for row in self.found["syscalls"] if row["call"] == NAME),
                          key=lambda row: row["count"])

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


def check_sums(found):
    """Of CPUs the recording's length, of processes the wall time of their threads."""
    length = found["to_ticks"] - found["from_ticks"]
    for row in found["cpus"]:
        assert sum(row[f"{part}_ticks"] for part in ON_CPU) == length
    for row in found["processes"]:
        assert sum(row[f"{part}_ticks"] or 0 for part in PARTS) == row["wall_ticks"] \
            <= length * row["threads"]


def test_times_add_up(recording):
    check_sums(recording.found)


def test_times_add_up_while_all_cpus_work(recording, tmp_path):
    """Whatever is lost meanwhile."""
    machine, folder = recording.machine, str(tmp_path / "busy")
    machine.kov("trace", "record", "-o", folder, "-e", MAJORS, "--", "contention", "seconds=1")
    found = machine.kov("trace", "breakdown", folder)
    check_sums(found)
    assert len(found["cpus"]) == machine.cpus
    for row in found["cpus"]:
        assert row["user_ticks"] > 0 and row["interrupt_ticks"] > 0, row


def test_kernel_threads_have_times(recording, tmp_path):
    """Threads of the kernel that ran, were ready or slept before the recording are known from where
    its state tells of them to the last event of a CPU, after which it may have done anything."""
    machine, folder = recording.machine, str(tmp_path / "begun")
    run = str(machine.kov("workload", "start", "demo")["workload"]["id"])
    try:
        machine.kov("trace", "record", "-o", folder, "-e", MAJORS, "-d", "0.5")
    finally:
        machine.kov("workload", "stop", run)
    told = machine.kov("trace", "show", folder, "-e", "state_thread,state_end")["events"]
    kernels = {event["fields"]["thread"] for event in told if event["fields"].get("kernel") == 1}
    since = told[-1]["ticks"]
    assert told[-1]["event"] == "STATE:state_end" and len(kernels) >= 3 * machine.cpus
    found = machine.kov("trace", "breakdown", folder)
    check_sums(found)
    row, = (row for row in found["processes"] if row["process"] == "kernel")
    assert row["user_ticks"] > 0
    events = machine.kov("trace", "show", folder)["events"]
    ends = [max(event["ticks"] for event in events if event["cpu"] == cpu)
            for cpu in range(machine.cpus)]
    untold = since - found["from_ticks"] + found["to_ticks"] - min(ends)
    assert row["unknown_ticks"] <= row["threads"] * untold, row
    last = max(event["ticks"] for event in events if event["pid"] == 0)
    unknown = [one for one in machine.kov("trace", "show", "--activity", folder)["intervals"]
               if one["activity"] == "unknown" and since < one["to_ticks"] <= last]
    assert [one for one in unknown if one["thread"] in kernels or one["thread"] is None] == []


def ran(recording, pid, begin, end):
    return recording.times[end][pid] - recording.times[begin][pid]


def test_cpu_times_are_those_of_the_kernel(recording):
    """Of all processes together, and of each but for what calls hand over."""
    rows = {row["pid"]: row for row in recording.found["processes"]
            if row["pid"] in recording.times[0]}
    assert set(rows) == set(recording.times[0])
    sums = [0, 0, 0]
    for pid, row in rows.items():
        hands = sum(call["count"] for call in recording.found["servers"]
                    if pid in (call["pid"], call["server"]))
        found = sum(row[part] for part in RUNS)
        least, most = ran(recording, pid, 1, 2), ran(recording, pid, 0, 3)
        off = TICK * (1 + hands)
        assert least - off <= found <= most + off, (pid, least, found, most)
        sums = [a + b for a, b in zip(sums, (least, found, most))]
    least, found, most = sums
    # What is handed between these is theirs in any case.
    off = TICK * (1 + sum(call["count"] for call in recording.found["servers"]
                          if call["pid"] == recording.traced["pid"]))
    assert least - off <= found <= most + off, sums


def test_what_the_program_did_is_in_its_rows(recording):
    assert recording.traced["count"] == CALLS
    pid = recording.traced["pid"]
    row, = (row for row in recording.found["processes"] if row["pid"] == pid)
    assert row["syscalls"] > CALLS and row["faults"] > PAGES and row["calls"] > 0
    assert row["syscall_ticks"] > 0 and row["fault_ticks"] > 0 and row["call_ticks"] > 0
    assert row["ex_process_ticks"] == row["served_ticks"] + sum(
        row[f"{part}_ticks"] for part in ("syscall", "ipc", "fault"))
    served = [call for call in recording.found["servers"] if call["pid"] == pid]
    assert sum(call["count"] for call in served) == row["calls"]
    assert sum(call["worked_ticks"] for call in served) == row["served_ticks"] > 0
    assert all(call["worked_ticks"] <= call["waited_ticks"] for call in served)


def test_calls_and_faults_of_the_program_are_measured(recording):
    pid = str(recording.traced["pid"])
    calls = recording.tool("syscalls", "--pid", pid, "--call", NAME)
    row, = calls["syscalls"]
    assert row["count"] == row["errors"] == CALLS == sum(bar["count"] for bar in calls["durations"])
    assert 0 < row["min_ticks"] <= row["p50_ticks"] <= row["p99_ticks"] <= row["max_ticks"]
    assert recording.traced["own_ticks"] <= row["cpu_time_ticks"] <= row["time_ticks"]
    faults = recording.tool("faults", "--pid", pid)
    assert faults["all"]["count"] > PAGES and faults["all"]["errors"] == 0
    by_objects = recording.tool("faults", "--pid", pid, "--objects")
    assert by_objects["all"] == faults["all"]
    assert any(row["count"] == PAGES and row["access"] == "write" and row["region"]
               for row in by_objects["faults"])
