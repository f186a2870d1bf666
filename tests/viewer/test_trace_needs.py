# SPDX-License-Identifier: MIT
"""Every subset of majors x every tool: what a tool says is what it says of the full recording, or
it says that it does not know, and which major to add."""

import collections
import itertools
import json
import re

import pytest

import trace_folder
from test_trace_export import CPUS
from trace_folder import BY_NAME, packet
from trace_simulated import Cpu

MAJORS = {major.name: major.number for major in trace_folder.MAJORS}
# Of each tool: the majors of which all subsets are tried, and what names a row of each table.
TOOLS = {
    "breakdown": (("SCHED", "EXC", "IRQ", "SYSCALL", "FAULT", "IPC"),
                  {"processes": ("process",), "cpus": ("cpu",),
                   "servers": ("server", "endpoint", "method", "pid"),
                   "syscalls": ("pid", "number")}),
    "sched": (("SCHED", "EXC", "IRQ", "SYSCALL", "IPC"),
              {"threads": ("thread",), "waits": ("thread", "reason"),
               "wakers": ("thread", "reason", "by"), "all": (), "count": ()}),
    "threads": (("SCHED", "EXC", "IPC"), {"threads": ("thread",)}),
    "idle": (("SCHED", "EXC", "IRQ", "SYSCALL"), {"cpus": ("cpu",), "lengths": ("from_ticks",)}),
    "syscalls": (("SCHED", "EXC", "SYSCALL", "IPC"),
                 {"syscalls": ("number",), "all": ()}),
    "faults": (("SCHED", "EXC", "FAULT"), {"faults": ("access", "result", "process"), "all": ()}),
    "locks": (("SCHED", "LOCK", "LOCKHOLD"), {"locks": ("lock", "process"), "holds": ("lock",),
                                              "all": ()}),
    "profile": (("SCHED", "EXC", "PMU"), {"functions": ("address",), "processes": ("process",),
                                          "samples": (), "samples_lost": ()}),
}
# What is not known of a time goes to UNKNOWN, which is then more than in the full recording.
MORE = ("unknown", "unknown_ticks")


def logged(cpu):
    """Returns the events of a CPU with locks and samples between."""
    for number, (when, event, values) in enumerate(cpu.events):
        yield when, event, values
        if event.name == "syscall_enter" and number % 2:
            yield when, BY_NAME["lock_take"], (0x5000, 0, 1, 2, 3)
            yield when, BY_NAME["lock_contended"], (0x5000, 3, 10, 1, 2, 3)
            yield when, BY_NAME["sample"], (0, 0x1234, cpu.number, 1)
            yield when, BY_NAME["lock_release"], (0x5000, 0)


@pytest.fixture(name="machine", scope="module")
def _machine():
    cpus = [Cpu(number, number, 300, reasons=True) for number in (0, 1)]
    for cpu in cpus:
        cpu.pass_time(max(other.time for other in cpus) - cpu.time)
        cpu.log("test0")
    return {cpu.number: list(logged(cpu)) for cpu in cpus}


def record(folder, machine, majors):
    """Writes the folder that a recording of these majors gives. TEST ends it, TRACE tells."""
    numbers = {MAJORS[name] for name in (*majors, "TEST", "TRACE")}
    mask = sum(1 << number for number in numbers)
    return trace_folder.write(folder, {
        (0, cpu): [packet([(events[0][0], BY_NAME["start"], (mask,)),
                           *(event for event in events if event[1].major.number in numbers)],
                          cpu=cpu)] for cpu, events in machine.items()})


def ask(kov, tool, folder):
    result = kov("trace", tool, folder, "--json")
    assert result.code == 0, result.err
    return result.json


def rows_of(document, part, names):
    found = document[part]
    if not isinstance(found, list):  # one object, or one number
        found = [found if isinstance(found, dict) else {"number": found}]
    return {tuple(row[name] for name in names): row for row in found}


def counts(rows):
    """Returns the sum of counts by the first part of the key."""
    sums = collections.Counter()
    for key, row in rows.items():
        sums[key[0]] += row["count"]
    return sums


def compare(found, full, parts):
    for part, names in parts.items():
        if found[part] is None:
            assert found["not_recorded"], part
            continue
        rows, expected = (rows_of(document, part, names) for document in (found, full))
        if "SCHED" in found["not_recorded"] and "process" in names:
            assert counts(rows) == counts(expected), part  # by what is known: not the process
            assert {row["process"] for row in rows.values()} == {None}, part
            continue
        assert set(rows) == set(expected), part
        for key, row in rows.items():
            assert row.keys() == expected[key].keys(), part
            for name, value in row.items():
                if name in MORE:
                    assert value >= expected[key][name], (part, key, name)
                elif value is not None:
                    assert value == expected[key][name], (part, key, name)


@pytest.mark.parametrize("tool", TOOLS)
def test_what_was_not_recorded_is_not_known(kov, tmp_path, machine, tool):
    majors, parts = TOOLS[tool]
    full = ask(kov, tool, record(tmp_path / "full", machine, MAJORS))
    assert full["not_recorded"] == []
    assert all(full[part] or full[part] == 0 for part in parts), full
    for count in range(len(majors) + 1):
        for some in itertools.combinations(majors, count):
            folder = record(tmp_path / "-".join(("some", *some)), machine, some)
            found = ask(kov, tool, folder)
            try:
                compare(found, full, parts)
            except AssertionError as error:
                raise AssertionError(f"recorded {some}: {error}") from error
            assert found["recorded_told"] and not set(found["not_recorded"]) & set(some)
            assert some or found["not_recorded"]


def test_a_table_that_is_not_known_is_no_empty_table(kov, tmp_path, machine):
    folder = record(tmp_path / "trace", machine, ("SCHED", "LOCKHOLD"))
    people, as_csv, as_json = (kov("trace", "locks", folder, *options)
                               for options in ((), ("--csv",), ("--json",)))
    assert "all 0 rows" not in people.out and "LOCK: not recorded" in people.out
    assert "LOCK: not recorded" in as_csv.err and as_json.json["locks"] is None
    assert as_json.json["holds"] and as_json.json["not_recorded"] == ["LOCK"]
    assert "not recorded" not in kov("trace", "sched", folder).out


def test_a_trace_that_does_not_tell_has_what_it_has_events_of(kov, tmp_path, machine):
    events = [event for event in machine[0] if event[1].major.name in ("SCHED", "TEST")]
    folder = trace_folder.write(tmp_path / "trace", {(0, 0): [packet(events)]})
    document = ask(kov, "locks", folder)
    assert document["not_recorded"] == ["LOCK", "LOCKHOLD"] and not document["recorded_told"]
    assert "or without events" in kov("trace", "locks", folder).out


@pytest.mark.parametrize("pair, missing", [("wake..switch", ["SCHED"]),
                                           ("lock_take..syscall_exit", ["SYSCALL"])])
def test_pairs_of_events_that_were_not_recorded(kov, tmp_path, machine, pair, missing):
    folder = record(tmp_path / "trace", machine, ("LOCKHOLD",))
    document = kov("trace", "count", pair, folder, "--json").json
    assert document["pairs"] is None and document["all"] is None
    assert [name for name in document["not_recorded"] if name != "LOCKHOLD"] == missing
    full = record(tmp_path / "full", machine, MAJORS)
    assert kov("trace", "count", pair, full, "--json").json["pairs"]


# ---- who waits for whom ------------------------------------------------------------------------

WAITS = ("SCHED", "IPC", "LOCKHOLD", "STATE")


@pytest.fixture(name="stuck", scope="module")
def _stuck(machine):
    """In the end each CPU's thread waits: in a call, and for a lock that the other CPU's has."""
    stuck = {}
    for number, events in machine.items():
        when = events[-1][0]
        stuck[number] = [*events, (when, BY_NAME["lock_take"], (0x6000 + number, 1, 1, 2, 3)),
                         (when, BY_NAME["ipc_call"], (0xabc, 0x9000 + number, 3, 8, 0, 1)),
                         (when, BY_NAME["lock_wait"], (0x6001 - number, 1, 0))]
    when = max(events[-1][0] for events in stuck.values())
    # Of the simulated CPU's clients, of process 7 and the next ones.
    caller = [values[1] for _, event, values in machine[0] if event.name == "switch"][-1]
    stuck[0] += [(when, BY_NAME["state_waits"], (1, 1, 0)),
                 (when, BY_NAME["state_call"], (0x9000, caller, 3)),
                 (when, BY_NAME["state_user_thread"], (caller - 95, 1, 0, 0x9000, 0, 0)),
                 (when, BY_NAME["state_user_thread"], (caller - 95, 2, 0, 0, 0x500, 1))]
    for events in stuck.values():
        events.append((when, BY_NAME["test0"], ()))
    return stuck


def test_a_wait_that_was_not_recorded_is_not_there_and_told(kov, tmp_path, stuck):
    def waits(some):
        document = ask(kov, "waits", record(tmp_path / "-".join(("waits", *some)), stuck, some))
        return document, {(row["what"], row["object"], row["thread"], row["user_thread"]): row
                          for row in document["waits"]}

    full, expected = waits(WAITS)
    needs = {"call": {"IPC", "STATE"}, "lock": {"LOCKHOLD"}, "mutex": {"STATE"}}
    assert {key[0] for key in expected} == set(needs) and full["not_recorded"] == []
    by_object = {(key[0], key[1]): row for key, row in expected.items()}
    for count in range(len(WAITS)):
        for some in itertools.combinations(WAITS, count):
            document, found = waits(some)
            for (what, where, *_), row in found.items():
                assert needs[what] & set(some), (some, row)
                truth = by_object[what, where]
                for name, value in row.items():
                    if name not in ("chain", "unsure", "waited", "waited_ticks"):
                        assert value in (None, truth[name]), (some, name, row, truth)
            missing = {what for what, _ in by_object} - {key[0] for key in found}
            assert all(needs[what] & {*document["not_recorded"], "STATE"} for what in missing)
            assert set(document["not_recorded"]) == {"SCHED", "IPC", "LOCKHOLD"} - set(some)
            assert len(document["deadlocks"]) <= len(full["deadlocks"]), some


# ---- what each CPU does ------------------------------------------------------------------------

EVERY = [some for count in range(6) for some in
         itertools.combinations(("SCHED", "EXC", "IRQ", "SYSCALL", "IPC"), count)]


def ticks_of(intervals):
    """Returns what each CPU does in each tick."""
    found = collections.defaultdict(dict)
    for row in intervals:
        for tick in range(row["from_ticks"], row["to_ticks"]):
            found[row["cpu"]][tick] = row
    return found


def is_no_guess(found, full):
    """What is said of a tick was so; the rest is unknown."""
    assert {cpu: set(ticks) for cpu, ticks in found.items()} == \
        {cpu: set(ticks) for cpu, ticks in full.items()}
    for cpu, ticks in found.items():
        for tick, row in ticks.items():
            truth = full[cpu][tick]
            for key in ("thread", "pid"):
                assert row[key] in (None, truth[key]), (cpu, tick, row, truth)
            assert row["activity"] == "unknown" or (row["activity"], row.get("vector")) == \
                (truth["activity"], truth.get("vector")), (cpu, tick, row, truth)


def activity(kov, folder):
    result = kov("trace", "show", "--activity", folder, "--json")
    assert result.code == 0, result.err
    return result.json


@pytest.fixture(name="short", scope="module")
def _short():
    """A machine of few ticks, since each is compared."""
    cpu = Cpu(0, 5, 120, reasons=True)
    cpu.log("test0")
    return {0: list(logged(cpu))}


@pytest.mark.parametrize("some", EVERY, ids="-".join)
def test_what_a_cpu_did_is_no_guess(kov, tmp_path, short, some):
    full = activity(kov, record(tmp_path / "full", short, MAJORS))
    folder = record(tmp_path / "trace", short, some)
    found = activity(kov, folder)
    is_no_guess(ticks_of(found["intervals"]), ticks_of(full["intervals"]))
    assert full["not_recorded"] == []
    assert set(found["not_recorded"]) == {"SCHED", "EXC", "SYSCALL"} - set(some)
    if "SCHED" in some and "EXC" in some:
        assert {"interrupt", "fault", "idle"} <= {row["activity"] for row in found["intervals"]}
    parts = ask(kov, "breakdown", folder)
    for row in parts["cpus"] + (parts["processes"] or []):
        parts_of = [row[f"{part}_ticks"] or 0 for part in (
            "user", "syscall", "fault", "ipc", "interrupt", "idle", "call", "ready", "blocked",
            "unknown") if f"{part}_ticks" in row]
        assert sum(parts_of) == row.get("wall_ticks", parts["to_ticks"] - parts["from_ticks"])


def test_an_export_does_not_guess(kov, tmp_path, machine):
    folder = record(tmp_path / "trace", machine, ("SCHED",))
    told = kov("trace", "export", "-f", "chrome", folder, "-o", tmp_path / "out", "--json")
    assert set(told.json["not_recorded"]) == {"EXC", "SYSCALL", "IPC"}
    events = json.loads((tmp_path / "out").read_text())["traceEvents"]
    assert {one["name"] for one in events if one["ph"] == "B" and one["pid"] == CPUS} == \
        {"unknown"}
    assert "EXC,IPC,SYSCALL: not recorded" in kov("trace", "export", "-f", "chrome", folder).err


def test_only_what_both_recorded_is_compared(kov, tmp_path, machine):
    full = record(tmp_path / "full", machine, MAJORS)
    less = record(tmp_path / "less", machine, ("SCHED", "SYSCALL", "IPC"))
    for one, other in ((full, less), (less, full)):
        found = kov("trace", "compare", one, other, "--json").json
        assert set(found["not_recorded"]) == {"EXC", "FAULT", "LOCK", "LOCKHOLD"}
        assert found["faults"] is None and found["waits"] is None and found["calls"]
        assert {row["part"] for row in found["processes"]} <= {"ready", "unknown"}
    same = kov("trace", "compare", full, full, "--json").json
    assert same["not_recorded"] == [] and all(row["time_change"] == 0
                                              for row in same["processes"])


# ---- a mask that changes -----------------------------------------------------------------------

def test_a_mask_that_changes_is_followed(kov, tmp_path, short):
    """EXC and SYSCALL are off in the middle third: that is unknown, the rest is as it was."""
    events = short[0]
    full = activity(kov, record(tmp_path / "full", short, MAJORS))
    off, on = (events[len(events) * third // 3][0] for third in (1, 2))
    everything, less = (1 << 20) - 1, (1 << 20) - 1 & ~(1 << MAJORS["EXC"] | 1 << MAJORS["SYSCALL"])
    start = BY_NAME["start"]
    changed = [(events[0][0], start, (everything,))]
    for event in events:
        if event[0] >= off and len(changed) and all(one[2] != (less,) for one in changed):
            changed.append((off, start, (less,)))
        if event[0] >= on and sum(one[1] is start for one in changed) == 2:
            changed.append((on, start, (everything,)))
        if not off <= event[0] < on or less >> event[1].major.number & 1:
            changed.append(event)
    folder = trace_folder.write(tmp_path / "trace", {(0, 0): [packet(changed)]})
    found = activity(kov, folder)
    assert found["not_recorded"] == [] and set(found["partly_recorded"]) == {"EXC", "SYSCALL"}
    ticks, truth = ticks_of(found["intervals"]), ticks_of(full["intervals"])
    is_no_guess(ticks, truth)
    assert {ticks[0][tick]["activity"] for tick in range(off, on)} == {"unknown"}
    assert all(ticks[0][tick]["activity"] == truth[0][tick]["activity"]
               for tick in range(events[0][0], off))
    assert {ticks[0][tick]["activity"] for tick in range(on, events[-1][0])} > {"unknown"}
    assert "recorded all the time" in kov("trace", "breakdown", folder).out
    late = f"{(on + 2) / trace_folder.HZ:.9f}"
    document = kov("trace", "show", "--activity", folder, "--json", "--from", late).json
    assert document["partly_recorded"] == document["not_recorded"] == []
    middle = kov("trace", "show", "--activity", folder, "--json", "--from",
                 f"{(off + 1) / trace_folder.HZ:.9f}", "--to", late).json
    assert set(middle["not_recorded"] + middle["partly_recorded"]) == {"EXC", "SYSCALL"}


# ---- older builds ------------------------------------------------------------------------------

def older(folder, change):
    text = (folder / "metadata").read_text()
    assert change(text) != text
    (folder / "metadata").write_text(change(text))
    return folder


def test_a_build_without_an_event_does_not_tell_what_needs_it(kov, tmp_path, machine):
    folder = older(record(tmp_path / "trace", machine, MAJORS),
                   lambda text: text.replace('"exc_exit"', '"exc_gone"'))
    document = ask(kov, "breakdown", folder)
    assert document["not_described"] == ["EXC"] and document["not_recorded"] == []
    assert all(row["user"] is None for row in document["cpus"])
    assert "older build" in kov("trace", "breakdown", folder).out
    assert {row["activity"] for row in activity(kov, folder)["intervals"]} == {"unknown"}


def test_a_build_without_reasons_does_not_tell_for_what_threads_wait(kov, tmp_path, machine):
    folder = older(record(tmp_path / "trace", machine, MAJORS),
                   lambda text: re.sub(r"(name = \"switch\".*?)_reason", r"\1_rest", text,
                                       flags=re.S))
    document = ask(kov, "sched", folder)
    assert document["waits"] is None and document["wakers"] is None and document["threads"]
    assert document["not_described"] == ["reasons of SCHED:switch"]
    calls = ask(kov, "syscalls", folder)
    full = ask(kov, "syscalls", record(tmp_path / "full", machine, MAJORS))
    assert calls["syscalls"] == full["syscalls"]  # EXC tells who is preempted
    lone = older(record(tmp_path / "lone", machine, ("SCHED", "SYSCALL")),
                 lambda text: re.sub(r"(name = \"switch\".*?)_reason", r"\1_rest", text,
                                     flags=re.S))
    calls = ask(kov, "syscalls", lone)
    assert calls["unsure"] > 0 and "EXC" in calls["not_recorded"]
    assert all(row["number"] != 0x100 for row in calls["syscalls"])
