# SPDX-License-Identifier: MIT
"""More events than there are counters in one recording: they take turns, and what samples stand for
is scaled. Against hand counts, a workload's own account, and what each event alone gives."""

import json
import math

import pytest

from chance import certainly
from servers import interrupt, started, wait_owner

NINE = {"instructions": 200000, "cycles": 1000000, "larx": 1000, "stcx": 1000, "stcx-failed": 1000,
        "branches": 50000, "mispredicted": 1000, "itlb-miss": 1000, "dtlb-miss": 1000}
ENOUGH = 25  # samples, or times that something has happened


def thresholds(names, mode=""):
    return ",".join(f"{name}{mode}@{NINE[name]}" for name in names)


def record(machine, folder, names, *command):
    """(what record said, {event: rows by object})"""
    path = str(folder / "samples")
    recorded = machine.kov("record", "-o", path, "-e", thresholds(names), *command)
    for event in recorded["events"]:
        assert event["overflows"] == event["taken"] + event["lost"] + event["missed"], event
    tables = machine.kov("report", "-i", path, "--sort", "object", "--idle")["tables"]
    return recorded, {table["event"]: {row.get("coid"): row for row in table["rows"]}
                      for table in tables}


def account(recorded, key):
    """{object: number} of the workload."""
    return {name.split(".")[1]: int(value) for name, value in recorded["workload"]["report"].items()
            if name.startswith(f"{key}.")}


def check_turns(recorded):
    """Each event was sampled for a part of the time, or all of it; the part is no more than two
    groups have."""
    parts = {event["event"]: event["time_percent"] for event in recorded["events"]}
    assert set(parts) == set(NINE) and all(0 < part <= 100 for part in parts.values()), parts
    assert min(parts.values()) < 99 and all(event["turns"] > ENOUGH for event in recorded["events"])


@pytest.mark.parametrize("mode", [("--precise",), ()], ids=["precise", "interrupts"])
def test_nine_events_of_a_program_that_is_known(modelled, tmp_path, mode):
    """By hand: what a turn has (tests/guest/user/test-pmu/tests.h). Overflows that a busy host let
    pass may have been the program's."""
    turns, path = 8000000, str(tmp_path / "samples")
    with started(modelled, "--json", "record", "-o", path, "-e", thresholds(NINE, ":u"), *mode,
                 "-d", "86400") as recording:
        wait_owner(modelled, "sampling")
        modelled.kov_run("run", "test-pmu", "burn", f"{turns:08}")
        recorded = json.loads(interrupt(recording)[0])
    check_turns(recorded)
    tables = {table["event"]: table["rows"]
              for table in modelled.kov("report", "-i", path, "--sort", "process")["tables"]}
    pid = max(tables["larx"], key=lambda row: row["samples"])["pid"]  # nothing else has so many
    for name, each in (("instructions", 9), ("branches", 1), ("larx", 1), ("stcx", 1)):
        (row,) = [row for row in tables[name] if row["pid"] == pid]
        (sampled,) = [event for event in recorded["events"] if event["event"] == name]
        unseen = (sampled["lost"] + sampled["missed"]) * NINE[name] * 100 / sampled["time_percent"]
        error = certainly(row["events_error"])
        assert each * turns - error - unseen <= row["events"] <= 1.01 * each * turns + error, row


def rates(recorded, rows):
    """{(event, object): (samples, events an iteration of the demo, how far they may be off)}"""
    found = {}
    for coid, iterations in account(recorded, "iterations").items():
        for event, objects in rows.items():
            row = objects.get(coid)
            if row is not None:
                found[event, coid] = (row["samples"], row["events"] / iterations,
                                      certainly(row["events_error"]) / iterations)
    return found


def by_work(recorded, found):
    """The same, with an object's part of the work in place of its COID, which each run has its own
    of."""
    work = account(recorded, "work")
    return {(event, work[coid]): value for (event, coid), value in found.items()}


def record_workload(machine, folder, names, workload, is_enough=lambda recorded, rows: True):
    """As record, of a workload that runs for longer the less a busy host gives it: until each event
    has had its turns."""
    seconds = min(len(names), 2)
    while True:
        recorded, rows = record(machine, folder, names, "--precise", "--", *workload,
                                f"seconds={seconds}")
        had_turns = all(event["turns"] == 0 or event["turns"] > ENOUGH
                        for event in recorded["events"])
        if had_turns and is_enough(recorded, rows):
            return recorded, rows
        seconds *= 2


def demo_rates(machine, folder, names):
    """(what record said, rates of the demo's objects): with enough samples of what each of the
    three does much of."""
    much = {"instructions", "cycles", "branches"} & set(names)

    def is_enough(recorded, rows):
        found = by_work(recorded, rates(recorded, rows))
        enough = [event for (event, _), (samples, _, _) in found.items() if samples >= ENOUGH]
        return all(enough.count(event) == 3 for event in much)

    recorded, rows = record_workload(machine, folder, names, ["demo"], is_enough)
    return recorded, by_work(recorded, rates(recorded, rows))


def test_objects_have_what_each_event_alone_gives(modelled, tmp_path):
    recorded, together = demo_rates(modelled, tmp_path, NINE)
    check_turns(recorded)
    compared = 0
    for name in NINE:
        alone, found = demo_rates(modelled, tmp_path, [name])
        assert alone["events"][0]["time_percent"] == 100 and alone["events"][0]["turns"] == 0
        for place, (samples, rate, error) in found.items():
            few, other, other_error = together.get(place, (0, 0, 0))
            if min(samples, few) < ENOUGH:  # an error is that of a normal distribution
                continue
            assert abs(rate - other) <= math.hypot(error, other_error), (place, rate, error, other,
                                                                         other_error)
            compared += 1
    assert compared >= 3 * 3, "instructions, cycles and branches of three objects"


def test_contention_is_that_of_the_workloads_account(modelled, tmp_path):
    """It knows its larx from trace events: each acquisition is one, each turn of waiting another.
    What is rare may have been in turns that were not sampled."""
    recorded, rows = record_workload(modelled, tmp_path, NINE, ["contention", "hold=300"])
    check_turns(recorded)
    acquisitions, spins = account(recorded, "acquisitions"), account(recorded, "spins")
    for coid, times in account(recorded, "contended").items():
        if times < 4 * ENOUGH:
            continue
        own, row = acquisitions[coid] + spins[coid], rows["larx"][coid]
        assert abs(row["events"] - own) <= certainly(row["events_error"]), (own, row)
