# SPDX-License-Identifier: MIT
"""Tools that answer from a trace, as commands: tables, CSV, and what they refuse."""

import csv
import io

import pytest

import trace_folder
from trace_folder import BY_NAME, HZ, packet

TOOLS = {"locks": (), "profile": (), "sched": (), "idle": (), "count": ("wake..switch",),
         "waits": ()}
EVENTS = [
    ("thread_create", 5, 0x1000, 0, 2), ("switch", 4, 5, 2, 2),
    ("lock_contended", 0x2000, 7, 512, 0x10, 0x20, 0), ("sample", 0x30, 0x40, 5, 1),
    ("switch", 5, 1, 2, 0), ("exc_enter", 0x500, 0, 0), ("wake", 5, 0), ("exc_exit", 0x500),
    ("switch", 1, 5, 0, 2), ("ipc_call", 0x1000, 0x77, 9, 0, 0, 3),
]


@pytest.fixture
def folder(tmp_path):
    """Writes a trace of one CPU with an event each microsecond, then one more with a loss before
    it."""
    logged = [(10 * HZ + 512 * i, BY_NAME[name], values)
              for i, (name, *values) in enumerate(EVENTS)]
    late = (11 * HZ, BY_NAME["test0"], [])
    return trace_folder.write(tmp_path / "trace", {
        (0, 0): [packet(logged), packet([late], sequence=2, discarded=3)]})


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("tool", TOOLS)
def test_table_csv_and_json_are_of_the_same_rows(kov, folder, tool):
    table, as_csv, as_json = (kov("trace", tool, *TOOLS[tool], folder, *options)
                              for options in ((), ("--csv",), ("--json",)))
    assert table.code == as_csv.code == as_json.code == 0, table.err
    found = next(value for value in as_json.json.values() if isinstance(value, list))
    first = rows(as_csv.out.split("\n\n")[0])
    assert len(found) == len(first) >= 1
    assert len(table.out.split("\n\n")[0].splitlines()) >= 1 + len(found)
    assert "missing in this trace: 1 packets, 3 events" in table.out
    assert (as_json.json["lost_packets"], as_json.json["discarded"]) == (1, 3)


@pytest.mark.parametrize("tool, key, expected", [
    ("locks", "time", "1e-6"), ("profile", "process", "kernel"), ("sched", "run", "4e-6"),
    ("idle", "idle", "2e-6"), ("count", "p50", "2e-6"),
    ("waits", "chain", "kernel thread 5 → call 0x77 method 3 of process 9"),
])
def test_an_answer(kov, folder, tool, key, expected):
    assert rows(kov("trace", tool, *TOOLS[tool], folder, "--csv").out)[0][key] == expected


@pytest.mark.parametrize("tool", TOOLS)
def test_none_of_it_when_nothing_is_in_that_time(kov, folder, tool):
    result = kov("trace", tool, *TOOLS[tool], folder, "--from", "20", "--json")
    assert result.code == 0 and result.json["lost_packets"] == 0


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("options, message", [
    (("nowhere",), "nowhere"), ((), "name the folder"), (("--dump", "nowhere"), "nowhere"),
    (("somewhere", "--dump", "nowhere"), "either"), (("somewhere", "--from", "soon"), "--from"),
])
def test_what_is_no_trace_is_refused(kov, tool, options, message):
    result = kov("trace", tool, *TOOLS[tool], *options)
    assert result.code in (1, 2) and message in result.err and result.out == "", result.err


@pytest.mark.parametrize("tool", [
    *((name, *options) for name, options in TOOLS.items()), ("breakdown",), ("faults",),
    ("syscalls",), ("threads",), ("show",), ("show", "--activity"), ("export", "-f", "chrome"),
    ("compare", "trace")])
@pytest.mark.parametrize("since, until", [("5", "1"), ("+2", "+1"), ("+0.5", "3"), ("20", "+1")])
def test_a_time_that_ends_before_it_begins_is_refused(kov, folder, tool, since, until):
    """The trace begins at 10 s."""
    result = kov("trace", *tool, folder, "--from", since, "--to", until)
    assert result.code == 2 and result.out == "", result.err
    assert f"--from {since} is behind --to {until}" in result.err


@pytest.mark.parametrize("arguments, message", [
    (("locks", "--sort", "name"), "--sort name"), (("idle", "--pid", "7"), "--pid"),
    (("profile", "--program", "7"), "--program '7'"), (("count", "wake"), "A..B"),
    (("count", "wake..nothing"), "'nothing'"),
    (("count", "wake..switch", "--by", "thread"), "no field 'thread'"),
    (("waits", "--at", "10", "--to", "10"), "give one"), (("waits", "--at", "soon"), "--to"),
])
def test_a_wrong_option_is_refused(kov, folder, arguments, message):
    result = kov("trace", *arguments, folder)
    assert result.code == 2 and message in result.err and result.out == "", result.err


@pytest.mark.parametrize("lost, kernel, expected", [
    (0, 1, ["kernel", "kernel"]), (1, 1, ["kernel", "thread 7"]), (0, 0, ["kernel", "thread 7"])])
def test_who_is_the_kernels_is_not_guessed(kov, tmp_path, lost, kernel, expected):
    """The state tells a thread, and no dispatcher. It is the kernel's, unless the missing events
    may tell its dispatcher, or it is a program's, whose dispatcher has ended."""
    state = [(0, "state_begin", 1 << 3), (1, "state_thread", 7, 0x10, 0, 2, 1, kernel)]
    rest = [(3, "state_end", 0, 1, 0), (4, "thread_create", 8, 0x20, 0, 2),
            (5, "switch", 1, 8, 0, 2, 0), (6, "switch", 8, 7, 2, 2, 0), (7, "test0")]
    parts = [[(10 * HZ + when, BY_NAME[name], values) for when, name, *values in part]
             for part in (state, rest)]
    folder = trace_folder.write(tmp_path / "trace", {
        (0, 0): [packet(parts[0]), packet(parts[1], sequence=1 + lost)]})
    rows = kov("trace", "sched", folder, "--json").json["threads"]
    found = {row["thread"]: row["process"] for row in rows}
    assert found[7] == expected[1]
    assert lost or found[8] == expected[0]


@pytest.mark.parametrize("left_out", [0, 3])
def test_waits_tells_what_the_state_left_out(kov, tmp_path, left_out):
    """Only the last state counts."""
    events = [(10 * HZ + when, BY_NAME["state_waits"], (1, 1, number))
              for when, number in enumerate((7, left_out))]
    folder = trace_folder.write(tmp_path / "trace", {(0, 0): [packet(events)]})
    assert kov("trace", "waits", folder, "--json").json["untold"] == left_out
    said = kov("trace", "waits", folder).out
    assert ("too many: 3 calls and threads" in said) == (left_out != 0), said
