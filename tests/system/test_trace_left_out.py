# SPDX-License-Identifier: MIT
"""A recording leaves out the monitor's own processes, says so, and still adds up. babeltrace2 is
the witness: from the switches alone it follows here who runs on each CPU."""

import collections
import json
import pathlib
import re
import signal
import subprocess

import pytest

import servers
from test_trace_breakdown import check_sums
from waiting import PATIENCE

ROOT = pathlib.Path(__file__).parents[2]
KEPT = {"TRACE", "SCHED", "IPC", "STATE", "PROGRAM", "PMU", "OBJ"}
CALLS = 1000  # dispatcher_kick, by tests/guest/user/traced
LINE = re.compile(r"\) orrery (\w+): \{ [^}]*cpu_id = (\d+) \}, \{ (.*) \}$")


def record(machine, folder, *options):
    return machine.kov("trace", "record", "-o", str(folder), *options)


def read(folder):
    """Events of the kernel as (name, CPU, fields), in order of time."""
    for path in folder.glob("stream_*_*"):
        path.unlink()  # those of processes
    done = subprocess.run(["babeltrace2", "--fields", "all", folder], capture_output=True,
                          text=True, timeout=PATIENCE, check=True)
    for line in done.stdout.splitlines():
        found = LINE.search(line)
        fields = dict(one.split(" = ") for one in found[3].split(", ") if one.count(" = ") == 1)
        yield found[1], int(found[2]), fields


def by_process(folder):
    """How many events of each name came while a thread of each process ran; of one that is left
    out, since that was told. (Others' CPUs are interrupted to hear of it.) An interrupt at once
    behind a switch came in the midst of it: whom the CPU runs for then is not told."""
    processes, runs, counts, left_out = {}, {}, collections.Counter(), set()
    amid = set()  # CPUs
    for name, cpu, fields in read(folder):
        if name in ("state_dispatcher", "dispatcher_create"):
            processes[fields["thread"]] = int(fields["pid"])
        if name == "state_left_out" and fields["pid"] not in left_out:
            left_out.add(fields["pid"])
            counts = collections.Counter({key: number for key, number in counts.items()
                                          if key[0] != int(fields["pid"])})
        amid -= set() if name in ("exc_enter", "exc_exit") else {cpu}
        if name == "switch":
            runs[cpu] = fields["to"]
            amid.add(cpu)
        elif cpu in runs and cpu not in amid:
            counts[processes.get(runs[cpu], 0), name] += 1
    return counts


def pids_of(machine):
    return {one["name"]: one["pid"] for one in machine.kov("ps")["processes"]}


def syscall_number(name):
    """By the table of calls, in whose order plain ones are numbered from 1."""
    text = (ROOT / "kernel/syscalls/syscalls.def").read_text()
    return str(re.findall(r"^call(?:_void)?\((\w+),", text, re.M).index(name) + 1)


def groups(machine):
    return {one["name"].split(":")[1]: one["name"].split(":")[0]
            for one in machine.kov("trace", "list")["events"]}


def test_nothing_that_they_do_is_recorded_and_all_that_others_do(machine2, tmp_path):
    folder, pids, group = tmp_path / "t", pids_of(machine2), groups(machine2)
    recorder = servers.started(machine2, "--json", "trace", "record", "-o", str(folder), "-d",
                               "3600")
    servers.wait_owner(machine2, "tracing")
    machine2.kov_run("run", "traced", str(CALLS), "64")
    told = json.loads(servers.interrupt(recorder)[0])
    assert {one["name"]: one["pid"] for one in told["left_out"]} == \
        {name: pids[name] for name in ("dci", "net")}
    found = machine2.kov("trace", "breakdown", str(folder))
    check_sums(found)
    rows = {row["pid"]: row for row in found["processes"]}
    for name in ("dci", "net"):
        row = rows[pids[name]]
        assert row["unknown_ticks"] > 0
        assert {row[key] for key in ("user", "syscall", "fault", "syscalls", "faults")} == {None}
    kicks = [row["count"] for row in found["syscalls"] if row["call"] == "dispatcher_kick"]
    assert max(kicks) >= CALLS
    counts = by_process(folder)
    for (pid, name), count in counts.items():
        assert pid not in (pids["dci"], pids["net"]) or group[name] in KEPT, (pid, name, count)
    assert any(pid == pids["dci"] and group[name] in KEPT for pid, name in counts)


@pytest.mark.parametrize("events", ["SYSCALL", "SYSCALL,IPC,EXC"])
def test_it_needs_no_switches_in_the_recording(machine2, tmp_path, events):
    """Calls then leave their fast path, whose switches nobody sees."""
    number = syscall_number("trace_read")  # what dci alone calls while it records
    for options, wanted in (["--all"], True), ([], False):
        folder = tmp_path / f"t{wanted}"
        record(machine2, folder, "-d", "1", "-e", events, *options)
        calls = {fields["number"] for name, _, fields in read(folder) if name == "syscall_enter"}
        assert (number in calls) == wanted and calls


def test_a_killed_recorder_and_one_that_asks_for_all_leave_nobody_out(machine2, tmp_path):
    pids, group = pids_of(machine2), groups(machine2)
    recorder = servers.started(machine2, "trace", "record", "-o", str(tmp_path / "killed"), "-d",
                               "3600")
    servers.wait_owner(machine2, "tracing")
    recorder.send_signal(signal.SIGKILL)
    recorder.communicate()
    machine2.wait_for(lambda: not servers.owners(machine2, "tracing"), "the subscription has ended")
    told = record(machine2, tmp_path / "all", "-d", "1", "--all")
    assert told["left_out"] == []
    counts = by_process(tmp_path / "all")
    assert any(pid == pids["dci"] and group[name] == "SYSCALL" for pid, name in counts)
