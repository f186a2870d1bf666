# SPDX-License-Identifier: MIT
"""kov trace breakdown, syscalls and faults: the times of a simulated machine, to the tick."""

import collections
import csv
import io

import pytest

import trace_folder
from trace_folder import BY_NAME, HZ, packet
from trace_simulated import CLIENT_PID, METHODS, SERVER_PID, Cpu, packets

PARTS = ("user", "syscall", "fault", "ipc", "call", "interrupt", "idle", "ready", "blocked",
         "unknown")
ON_CPU = ("user", "syscall", "fault", "ipc", "interrupt", "idle", "unknown")
PIDS = (SERVER_PID, *range(CLIENT_PID, CLIENT_PID + 3))
STEPS = 3000


class Simulated:
    """Two CPUs that end at the same tick, and what kov says of their trace."""

    def __init__(self, kov, folder, seed):
        self.cpus = [Cpu(number, 10 * seed + number, STEPS) for number in (0, 1)]
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
    return Simulated(kov, tmp_path / "trace", request.param)


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
def test_a_wrong_wish_is_refused(kov, tmp_path, arguments, message):
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
