# SPDX-License-Identifier: MIT
"""Hardware counters behind the events of a trace, read with babeltrace2."""

import re
import subprocess

from waiting import PATIENCE

TICK_NS = 1000 / 512
# instructions: between an event's time and the reading of its counters, which differ by path
SLACK = 200
INSTRUCTIONS, LOADS, STORES = 0, 13, 14  # enum model_event of include/orrery/pmu_model.h
EVENT = re.compile(r"^\[(\d+)\] (\w+): .*?cpu_id = (\d+) \}, \{(.*)\}$")


def record(machine, folder, *options):
    recorded = machine.kov("trace", "record", "-o", str(folder), "-e", "switch", "--pid", "0",
                           *options)
    assert all(cpu["discarded"] == 0 for cpu in recorded["cpus"])
    return recorded


def events_by_cpu(folder):
    """{CPU: [(time in ticks, name, {field: value})]}, by babeltrace2."""
    done = subprocess.run(["babeltrace2", "--clock-cycles", "--no-delta", str(folder)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True,
                          timeout=PATIENCE)
    assert done.stderr == ""
    cpus = {}
    for line in done.stdout.splitlines():
        time, name, cpu, fields = EVENT.match(line).groups()
        values = {key: int(value, 0) for key, value in re.findall(r"(\w+) = (\w+)", fields)}
        cpus.setdefault(int(cpu), []).append((int(time), name, values))
    return cpus


def pairs(events):
    """Each switch with the counters behind it, while they were on."""
    on = [number for number, (_, name, _) in enumerate(events) if name == "counters"]
    for number, (time, name, _) in enumerate(events):
        if name == "switch" and on[0] - 1 <= number < on[-1]:
            assert events[number + 1][1] == "counters", events[number + 1]
            yield time, events[number + 1][2]


def test_every_switch_has_its_counters(modelled, tmp_path):
    recorded = record(modelled, tmp_path / "trace", "--counters", "instructions,loads:u,stores:k",
                      "--", "demo", "seconds=1")
    assert recorded["counters"] == ["instructions", "loads:u", "stores:k"]
    cpus = events_by_cpu(tmp_path / "trace")
    assert set(cpus) == {0, 1}
    names = [values for events in cpus.values() for _, name, values in events if name == "counter"]
    assert [(value["index"], value["event"], value["filter"]) for value in names] == [
        (0, INSTRUCTIONS, 3), (1, LOADS, 2), (2, STORES, 1)]
    for events in cpus.values():
        rows = [values for _, values in pairs(events)]
        assert len(rows) > 1  # nothing but the workload and kov makes a CPU switch
        for before, after in zip(rows, rows[1:]):
            assert before["c0"] < after["c0"] and before["c1"] <= after["c1"] \
                and before["c2"] < after["c2"]
            assert after["c3"] == after["c4"] == after["c5"] == 0


def test_instructions_between_switches_are_the_time_between_them(exact, tmp_path):
    record(exact, tmp_path / "trace", "--counters", "instructions", "--", "demo", "seconds=1")
    rows = list(pairs(events_by_cpu(tmp_path / "trace")[0]))
    assert len(rows) > 100
    differences = [(after["c0"] - before["c0"]) - (later - time) * TICK_NS
                   for (time, before), (later, after) in zip(rows, rows[1:])]
    assert max(differences) < SLACK, \
        "time passes with each instruction, and while the CPU sleeps without any"
    busy = sum(abs(difference) < SLACK for difference in differences)
    assert busy > 0.8 * len(differences), (busy, len(differences))


def test_what_the_trace_cannot_take_is_refused(modelled, tmp_path):
    many = "instructions,cycles,loads,stores,branches,taken,larx"
    done = modelled.kov_run("trace", "record", "-o", str(tmp_path / "many"), "--counters", many,
                            "-d", "1", check=False)
    assert done.returncode == 2 and "at most 6" in done.stderr
    done = modelled.kov_run("trace", "record", "-o", str(tmp_path / "turns"), "--counters",
                            "larx:u,larx:k", "-d", "1", check=False)
    assert done.returncode == 1 and "at once" in done.stderr
    record(modelled, tmp_path / "after", "--counters", "instructions", "-d", "0.2")
