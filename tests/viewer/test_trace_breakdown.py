# SPDX-License-Identifier: MIT
"""kov trace breakdown, syscalls and faults: the times of a simulated machine, to the tick."""

import collections
import csv
import io

import pytest

import trace_folder
from trace_folder import BY_NAME, HZ, packet
from trace_simulated import CLIENT_PID, METHODS, SERVER_PID, SYSTEM_CALL, Cpu, packets

PARTS = ("user", "syscall", "fault", "ipc", "call", "interrupt", "idle", "ready", "blocked",
         "unknown")
ON_CPU = ("user", "syscall", "fault", "ipc", "interrupt", "idle", "unknown")
PIDS = (SERVER_PID, *range(CLIENT_PID, CLIENT_PID + 3))
STEPS = 3000
PREEMPTED, CALL, EVENT, LOCK = 1, 4, 7, 9  # trace/include/trace/reasons.h
RUNS, PARKED, ASKS = 0, 1, 4  # trace/events/state.def
REPLY = 0x104  # syscalls/numbers.h
EVERYTHING = (1 << 63) - 1  # majors


class Simulated:
    """Two CPUs that end at the same tick, and what kov says of their trace."""

    def __init__(self, kov, folder, seed, reasons=False):
        self.cpus = [Cpu(number, 10 * seed + number, STEPS, reasons) for number in (0, 1)]
        end = max(cpu.time for cpu in self.cpus)
        for cpu in self.cpus:
            cpu.pass_time(end - cpu.time)
            cpu.log("test0")
        trace_folder.write(folder, {(0, cpu.number): packets(cpu) for cpu in self.cpus})
        self.kov, self.folder = kov, folder

    def tool(self, name, *options):
        result = self.kov("trace", name, self.folder, "--json", *options)
        assert result.code == 0, result.err
        return result.json

    def of_process(self, pid, what):
        found = collections.Counter()
        for cpu in self.cpus:
            for thread in cpu.threads:
                if thread.pid == pid:
                    found.update(getattr(thread, what))
        return found


@pytest.fixture(name="simulated", params=range(4))
def _simulated(kov, tmp_path, request):
    return Simulated(kov, tmp_path / "trace", request.param, reasons=request.param % 2 == 1)


def parts_of(row, parts=PARTS):
    return {part: row[f"{part}_ticks"] for part in parts if row[f"{part}_ticks"] != 0}


def test_each_tick_of_a_process_is_where_it_was_spent(simulated):
    found = simulated.tool("breakdown")
    rows = {row["pid"]: row for row in found["processes"] if row["process"] != "[idle]"}
    for pid in PIDS:
        times, counts = (simulated.of_process(pid, what) for what in ("times", "counts"))
        assert parts_of(rows[pid]) == {part: ticks for part, ticks in times.items() if ticks != 0}
        assert rows[pid]["wall_ticks"] == sum(times.values())
        assert {name: rows[pid][name] for name in ("syscalls", "faults", "calls")} == \
            {name: counts[name] for name in ("syscalls", "faults", "calls")}
        kernel = sum(times[part] for part in ("syscall", "ipc", "fault"))
        worked = sum(ticks for cpu in simulated.cpus
                     for (client, _), ticks in cpu.worked.items() if client == pid)
        assert (rows[pid]["served_ticks"], rows[pid]["ex_process_ticks"]) == \
            (worked, kernel + worked)
    idle, = (row for row in found["processes"] if row["process"] == "[idle]")
    assert parts_of(idle) == simulated.of_process(None, "times")
    assert idle["threads"] == 2 and idle["idle_ticks"] > 0


def test_each_tick_of_a_cpu_is_where_it_was_spent(simulated):
    found = simulated.tool("breakdown")
    length = found["to_ticks"] - found["from_ticks"]
    for cpu, row in zip(simulated.cpus, found["cpus"], strict=True):
        assert parts_of(row, ON_CPU) == cpu.times
        assert sum(row[f"{part}_ticks"] for part in ON_CPU) == length


def test_servers_work_and_clients_wait(simulated):
    found = {(row["pid"], row["method"]): (row["count"], row["worked_ticks"], row["waited_ticks"])
             for row in simulated.tool("breakdown")["servers"]}
    expected = {}
    for pid in PIDS[1:]:
        for method in range(METHODS):
            sums = [sum(getattr(cpu, what)[pid, method] for cpu in simulated.cpus)
                    for what in ("calls", "worked", "waited")]
            if sums[0] != 0:
                expected[pid, method] = tuple(sums)
    assert found == expected and len(found) > METHODS


def test_system_calls_of_a_process(simulated):
    rows = simulated.tool("breakdown")["syscalls"]
    for row in rows:
        key = row["pid"], row["number"]
        assert [row["own_ticks"], row["fault_ticks"]] == [
            sum(cpu.call_times[(*key, does)] for cpu in simulated.cpus)
            for does in ("syscall", "fault")]
    assert sum(row["count"] for row in rows) == \
        sum(simulated.of_process(pid, "counts")["syscalls"] for pid in PIDS)


def test_a_call_takes_from_entry_to_exit(simulated):
    found = {row["number"]: row for row in simulated.tool("syscalls")["syscalls"]}
    expected = collections.defaultdict(list)
    for cpu in simulated.cpus:
        for number, spans in cpu.spans.items():
            expected[number] += spans
    assert set(found) == set(expected)
    for number, spans in expected.items():
        row, times = found[number], [ticks for ticks, _ in spans]
        assert (row["count"], row["errors"], row["min_ticks"], row["max_ticks"],
                row["time_ticks"]) == (len(spans), sum(failed for _, failed in spans), min(times),
                                       max(times), sum(times))
        assert row["cpu_time_ticks"] <= row["time_ticks"]


def test_rows_of_processes_are_all_rows(simulated):
    alone, all_ = (simulated.tool("syscalls", *options)["all"]
                   for options in (("--processes",), ()))
    assert alone == all_
    by_pid = [simulated.tool("syscalls", "--pid", pid)["all"]["time_ticks"] for pid in PIDS]
    assert sum(by_pid) == all_["time_ticks"]


def test_a_histogram_has_them_all(simulated):
    found = simulated.tool("syscalls", "--histogram")
    assert sum(row["count"] for row in found["durations"]) == found["all"]["count"]
    one = simulated.tool("syscalls", "--call", "wait")
    assert [row["call"] for row in one["syscalls"]] == ["wait"]
    assert sum(row["count"] for row in one["durations"]) == one["all"]["count"]


def test_faults(simulated):
    found = simulated.tool("faults")
    made = sum(simulated.of_process(pid, "counts")["faults"] for pid in PIDS)
    assert found["all"]["count"] + found["unfinished"] == made > 100
    assert {(row["access"], row["result"]) for row in found["faults"]} == {("read", "done")}


# ---- what is missing, what is no machine ---------------------------------------------------------

def sums(found):
    """Parts that are not known are in UNKNOWN, so the rest adds up."""
    length = found["to_ticks"] - found["from_ticks"]
    for row in found["cpus"]:
        assert sum(row[f"{part}_ticks"] or 0 for part in ON_CPU) == length
    for row in found["processes"] or []:
        assert sum(row[f"{part}_ticks"] or 0 for part in PARTS) == row["wall_ticks"] \
            <= length * row["threads"]


@pytest.mark.parametrize("seed", range(3))
def test_whatever_the_events_say_times_add_up(kov, tmp_path, seed):
    folder = trace_folder.random_folder(tmp_path / "trace", seed, count=30)
    sums(kov("trace", "breakdown", folder, "--json").json)
    for tool in ("syscalls", "faults"):
        assert kov("trace", tool, folder, "--json").code == 0


def test_where_events_are_missing_times_are_unknown(kov, tmp_path):
    """Times of the CPU and its threads are unknown. Those of the other CPU are as they were."""
    cpus = Simulated(kov, tmp_path / "whole", 1).cpus
    whole = packets(cpus[0], 200)
    folder = trace_folder.write(tmp_path / "trace", {
        (0, 0): whole[:3] + whole[5:], (0, 1): packets(cpus[1])})
    found = kov("trace", "breakdown", folder, "--json").json
    sums(found)
    assert found["lost_packets"] == 2
    first, other = found["cpus"]
    gap = cpus[0].events[1000][0] - cpus[0].events[599][0]
    assert first["unknown_ticks"] >= gap > 0 and other["unknown_ticks"] == 0
    rows = {row["pid"]: row for row in found["processes"]}
    for pid in PIDS:
        assert rows[pid]["unknown_ticks"] >= gap  # of the thread on that CPU


def made(tmp_path, *cpus):
    """Writes a trace of a packet a CPU; its events are (time, name, values…)."""
    streams = {(0, cpu): [packet([(10 * HZ + when, BY_NAME[name], values)
                                  for when, name, *values in events], cpu=cpu)]
               for cpu, events in enumerate(cpus)}
    return trace_folder.write(tmp_path / "trace", streams)


@pytest.mark.parametrize("reason, caller", [(EVENT, 6), (PREEMPTED, 6), (CALL, 5), (0, 5), (0, 6)])
def test_who_calls_right_behind_a_switch(kov, tmp_path, reason, caller):
    """Thread 15 of process 5 leaves at 20 to 16 of process 6, and a call is told at once. Only the
    fast path switches before it tells, and hands the CPU over: else 16 has called."""
    folder = made(tmp_path, [
        (10, "dispatcher_create", 5, 15, 0), (10, "dispatcher_create", 6, 16, 0),
        (11, "switch", 1, 15, 0, 2, 0), (20, "switch", 15, 16, 2, 2, reason),
        (20, "ipc_call", 0x1000, 0x100, 6, 0, int(caller == 5), 3), (40, "ipc_reply", 0x100, 0, 0),
        (50, "test0")])
    shown = kov("trace", "show", folder, "--json").json["events"]
    assert [row["pid"] for row in shown if row["event"] == "IPC:ipc_call"] == [caller]
    found = kov("trace", "breakdown", folder, "--json").json
    assert {row["pid"]: row["calls"] for row in found["processes"] if row["pid"]} == \
        {5: int(caller == 5), 6: int(caller == 6)}
    assert [(row["pid"], row["count"]) for row in found["servers"]] == [(caller, 1)]


def test_a_reply_behind_a_switch_is_in_its_call(kov, tmp_path):
    """16 of process 6 waits for a lock in the call, then replies at 20, and leaves it at 30."""
    folder = made(tmp_path, [
        (10, "dispatcher_create", 5, 15, 0), (10, "dispatcher_create", 6, 16, 0),
        (11, "switch", 15, 16, 2, 2, EVENT), (12, "exc_enter", SYSTEM_CALL, 0x1000, 0),
        (12, "syscall_enter", REPLY, 0), (15, "switch", 16, 15, 2, 2, LOCK),
        (18, "switch", 15, 16, 2, 2, EVENT), (20, "ipc_reply", 0x100, 0, 0),
        (30, "syscall_exit", REPLY, 0), (30, "exc_exit", SYSTEM_CALL), (40, "test0")])
    shown = kov("trace", "show", folder, "--json").json["events"]
    assert [row["pid"] for row in shown if row["event"] == "IPC:ipc_reply"] == [6]
    row, = (row for row in kov("trace", "breakdown", folder, "--json").json["processes"]
            if row["pid"] == 6)
    # 10-12 is not told; 12-15 and 18-30 the call; 15-18 it waits; 30-40 its own code.
    assert parts_of(row) == {"unknown": 2, "syscall": 15, "blocked": 3, "user": 10}


def test_what_the_state_tells_of_threads_that_never_switch(kov, tmp_path):
    """An idle thread and one of process 5 run all the time, on CPU 1 and CPU 0; 17 sleeps on 1."""
    told = [(10, "state_begin", EVERYTHING)]
    folder = made(
        tmp_path,
        [*told, (12, "state_thread", 15, 0x10, 0, 2, ASKS, 0),
         (12, "state_dispatcher", 5, 15, 0, 0), (20, "state_end", 0, 3, 0), (50, "test0")],
        [(10, "test0"), (12, "state_thread", 2, 0x20, 1, 0, RUNS, 1),
         (13, "state_thread", 17, 0x30, 1, 2, PARKED, 1), (50, "test0")])
    idle, kernel, user = ("[idle]", 1), ("kernel", 1), ("process 5", 1)
    for options, expected in (([], {idle, kernel, user}), (["--cpu", "1"], {idle, kernel}),
                              (["--cpu", "0"], {user})):
        rows = kov("trace", "breakdown", folder, "--json", *options).json["processes"]
        assert {(row["process"], row["threads"]) for row in rows} == expected
    threads = kov("trace", "threads", folder, "--json").json["threads"]
    assert {row["thread"] for row in threads} == {15, 17}
    rows = kov("trace", "idle", folder, "--json").json["cpus"]
    assert [(row["idle_ticks"], row["busy_ticks"]) for row in rows] == [(0, 38), (38, 0)]


def test_who_ran_in_the_beginning_is_not_who_runs_if_switches_are_not_recorded(kov, tmp_path):
    folder = made(tmp_path, [
        (10, "state_begin", EVERYTHING & ~(1 << 3)), (12, "state_thread", 15, 0x10, 0, 2, ASKS, 0),
        (20, "state_end", 0, 1, 0), (50, "test0")])
    row, = kov("trace", "idle", folder, "--json").json["cpus"]
    assert row["unknown_ticks"] == 40 and not row["busy_ticks"] and not row["idle_ticks"]


def test_an_object_of_a_fault_and_its_failure(kov, tmp_path):
    events = [(10, "switch", 4, 5, 2, 2), (20, "fault_enter", 0x5000, 2),
              (25, "fault_objects", 0x70, 0x80), (30, "switch", 5, 6, 2, 2),
              (60, "switch", 6, 5, 2, 2), (70, "fault_exit", 0x5000, 1), (80, "fault_exit", 1, 0),
              (90, "fault_enter", 0x6000, 4)]
    logged = [(when, BY_NAME[name], values) for when, name, *values in events]
    folder = trace_folder.write(tmp_path / "trace", {(0, 0): [packet(logged)]})
    found = kov("trace", "faults", folder, "--objects", "--json").json
    row, = found["faults"]
    assert (row["access"], row["result"], row["region"], row["fcm"], row["errors"]) == \
        ("write", "bad address", "0x70", "0x80", 1)
    assert (row["time_ticks"], row["cpu_time_ticks"]) == (50, 20)
    assert (found["alone"], found["unfinished"], row["process"]) == (1, 1, "unknown")


def test_a_loss_makes_what_is_open_unsure(kov, tmp_path):
    before = [(10, BY_NAME["switch"], (4, 5, 2, 2)), (20, BY_NAME["syscall_enter"], (9, 0))]
    behind = [(90, BY_NAME["syscall_exit"], (9, 0))]
    folder = trace_folder.write(tmp_path / "trace", {
        (0, 0): [packet(before), packet(behind, sequence=2)]})
    found = kov("trace", "syscalls", folder, "--json").json
    assert found["syscalls"] == [] and (found["unsure"], found["alone"]) == (1, 1)


@pytest.mark.parametrize("tool", ["syscalls", "faults", "breakdown"])
def test_table_and_csv(kov, tmp_path, tool):
    cpu = Cpu(0, 1, STEPS)
    folder = trace_folder.write(tmp_path / "trace", {(0, 0): packets(cpu)})
    table, as_csv, as_json = (kov("trace", tool, folder, *options)
                              for options in ((), ("--csv",), ("--json",)))
    assert table.code == as_csv.code == 0, table.err
    found = next(value for value in as_json.json.values() if isinstance(value, list))
    rows = list(csv.DictReader(io.StringIO(as_csv.out.split("\n\n")[0])))
    assert len(rows) == len(found) > 0
    assert len(table.out.split("\n\n")[0].splitlines()) >= 1 + len(found)


@pytest.mark.parametrize("arguments, message", [
    (("syscalls", "--call", "nothing"), "no system call 'nothing'"),
    (("faults", "--call", "wait"), "--call"), (("breakdown", "-n", "0"), "--rows 0"),
])
def test_a_wrong_option_is_refused(kov, tmp_path, arguments, message):
    folder = trace_folder.random_folder(tmp_path / "trace", 1)
    result = kov("trace", *arguments, folder)
    assert result.code == 2 and message in result.err and result.out == "", result.err


def test_seconds_are_ticks_by_the_time_base(simulated):
    for row in simulated.tool("breakdown")["cpus"]:
        assert row["user"] == pytest.approx(row["user_ticks"] / HZ, rel=1e-5)


def listed(simulated, *options):
    events = simulated.tool("show", *options)["events"]
    return collections.Counter((event["event"].split(":")[1], event["fields"].get("number"))
                               for event in events)


def test_what_is_counted_for_a_process_is_what_is_listed_of_it(simulated):
    """By the simulation, too. All events together are those of all processes."""
    found = simulated.tool("breakdown")
    rows = {row["pid"]: row for row in found["processes"] if row["process"] != "[idle]"}
    for pid in PIDS:
        events = listed(simulated, "--pid", pid)
        sums = collections.Counter()
        for (event, _), count in events.items():
            sums[event] += count
        told = {"syscalls": sums["syscall_enter"], "faults": sums["fault_enter"],
                "calls": sums["ipc_call"]}
        counts = simulated.of_process(pid, "counts")
        assert told == {name: rows[pid][name] for name in told}
        assert told == {name: counts[name] for name in told}
        assert {row["number"]: row["count"] for row in found["syscalls"] if row["pid"] == pid} == {
            number: count for (event, number), count in events.items() if event == "syscall_enter"}
    everything = simulated.tool("show")["events"]
    by_pid = collections.Counter(event["pid"] for event in everything)
    for pid in PIDS:
        assert sum(listed(simulated, "--pid", pid).values()) == by_pid[pid] > 0
    assert {event["process"] for event in everything} >= {"[idle]", *(f"process {pid}"
                                                                     for pid in PIDS)}


def test_numbers_are_listed_by_name(simulated):
    """JSON has both. What the trace does not name stays a number."""
    for event in simulated.tool("show", "-e", "syscall_enter,switch,exc_enter")["events"]:
        names = event["names"]
        if event["event"] == "SYSCALL:syscall_enter":
            assert f"number={names['number']} " in event["text"] and not names["number"].isdigit()
        elif event["event"] == "EXC:exc_enter":
            assert f"vector={names['vector']} " in event["text"]
        else:
            assert f"reason={names['reason']}" in event["text"]
