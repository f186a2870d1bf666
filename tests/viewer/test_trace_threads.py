# SPDX-License-Identifier: MIT
"""kov trace threads draws what threads did, cell by cell."""

import pytest

import trace_folder
from trace_folder import BY_NAME, HZ, packet

MS = HZ // 1000
PREEMPTED, EVENT, TIME, START = 1, 7, 11, 13  # trace/include/trace/reasons.h
IDLE, OTHER, OURS = 1, 6, 5
BEGIN = 10 * HZ


def switch(ms, left, comes, reason):
    return ms, "switch", left, comes, 0 if left == IDLE else 2, 0 if comes == IDLE else 2, reason


TURNS = [
    (0, "thread_create", OURS, 0x1000, 0, 2), (1, "wake", OURS, 0, 0, START),
    switch(2, IDLE, OURS, EVENT), switch(4, OURS, IDLE, TIME), (6, "wake", OURS, 0, 0, TIME),
    switch(7, IDLE, OURS, EVENT), switch(9, OURS, OTHER, PREEMPTED), (10, "test0"),
]


def written(folder, events, **more):
    logged = [(BEGIN + int(ms * MS), BY_NAME[name], values) for ms, name, *values in events]
    return trace_folder.write(folder, {(0, 0): [packet(logged, **more)]})


@pytest.fixture
def folder(tmp_path):
    return written(tmp_path / "trace", TURNS)


def strips(kov, folder, *options):
    done = kov("trace", "threads", folder, "--json", *options)
    assert done.code == 0 and done.err == "", done.err
    return {row["thread"]: row["strip"] for row in done.json["threads"]}, done.json


def test_each_cell_is_what_the_thread_did(kov, folder):
    assert strips(kov, folder, "-w", "10")[0][OURS] == "b░██tt░██░"
    assert strips(kov, folder, "-w", "10", "--ascii")[0][OURS] == "b-##tt-##-"
    assert strips(kov, folder, "-w", "5")[0][OURS] == "░█t██"  # of two, it runs rather than waits
    assert IDLE not in strips(kov, folder)[0]


def test_a_part_of_the_time(kov, folder):
    found, document = strips(kov, folder, "-w", "4", "--from", "+0.004", "--to", "+0.008")
    assert found[OURS][1:] == "t░█" and document["cells"] == 4
    assert abs(document["cell_ticks"] - MS) <= 1


def test_many_changes_are_a_wave(kov, tmp_path):
    turns = [(0, "thread_create", OURS, 0x1000, 0, 2), (0, "wake", OURS, 0, 0, START)]
    for turn in range(10):
        turns += [switch(1 + 0.1 * turn, IDLE, OURS, EVENT),
                  switch(1.05 + 0.1 * turn, OURS, IDLE, EVENT)]
    folder = written(tmp_path / "trace", [*turns, (4, "test0")])
    assert strips(kov, folder, "-w", "4")[0][OURS][1:] == "≈ee"


def test_missing_events_are_not_guessed(kov, tmp_path):
    first = [(BEGIN + ms * MS, BY_NAME[name], values) for ms, name, *values in TURNS[:4]]
    late = [(BEGIN + 8 * MS, BY_NAME["switch"], [IDLE, OTHER, 0, 2, EVENT]),
            (BEGIN + 10 * MS, BY_NAME["test0"], [])]
    folder = trace_folder.write(tmp_path / "trace", {
        (0, 0): [packet(first), packet(late, sequence=2)]})
    assert strips(kov, folder, "-w", "10")[0][OURS] == "b░██??????"


def test_two_lines_of_a_meter(kov, folder):
    shown = kov("trace", "threads", folder, "-w", "10", "--meter", "+0.002,+0.0075")
    mark, apart = (line for line in shown.out.splitlines() if "A" in line and "B" in line)
    picture = next(line for line in shown.out.splitlines() if line.startswith(f"{OURS:6}"))
    assert picture[mark.index("A")] == "█" and picture[mark.index("B") - 5] == "█"
    assert mark.index("B") - mark.index("A") == 5 and apart.strip() == "A to B: 5.500 ms"


def test_the_summary_is_of_the_same_times(kov, folder):
    shown = kov("trace", "threads", folder, "--summary", "--json")
    row = next(row for row in shown.json["threads"] if row["thread"] == OURS)
    assert row["runs"] == 2 and row["run_ticks"] == 4 * MS == 2 * row["longest_slice_ticks"]
    assert row["mean_slice_ticks"] == row["longest_slice_ticks"]
    assert row["ready_ticks"] == 3 * MS and row["longest_ready_ticks"] == MS
    assert row["blocked_ticks"] == 3 * MS and row["unknown_ticks"] == 0
    assert "MEAN SLICE" in kov("trace", "threads", folder, "--summary").out


@pytest.mark.parametrize("options, message", [
    (["--meter", "1"], "must be A,B, two times"), (["--meter", "1,x"], "must be SECONDS"),
    (["-w", "0"], "-w"), (["-w", "301"], "-w"),
])
def test_what_cannot_be_is_refused(kov, folder, options, message):
    refused = kov("trace", "threads", folder, *options)
    assert refused.code == 2 and message in refused.err, refused.err
