# SPDX-License-Identifier: MIT
"""The threads of a trace folder in `kov serve`: what they did is what `kov trace sched` tells, to
the nanosecond, for all of a trace and for views that begin in its midst."""

import collections
import random

import pytest

import trace_folder
from serve_folder import (EVERYTHING, NOBODY, _served, expect_equal, in_ns, intervals_of,
                          simulated_folder, simulated_machine)
from trace_folder import BY_NAME, packet

UNKNOWN, USER, KERNEL, RUN, READY, BLOCKED, _, LEFT_OUT = range(8)
KEYS = {UNKNOWN: "unknown", USER: "run", KERNEL: "run", RUN: "run", READY: "ready",
        BLOCKED: "blocked"}
assert _served  # a fixture


def sched_of(kov, folder):
    """Returns {(thread, state): ticks}, where there are any."""
    result = kov("trace", "sched", folder, "--json")
    assert result.code == 0, result.err
    return {(row["thread"], key): row[f"{key}_ticks"] for row in result.json["threads"]
            for key in set(KEYS.values()) if row[f"{key}_ticks"] > 0}


def sums_of(rows):
    sums = collections.Counter()
    for row in rows:
        sums[row["thread"], KEYS[row["state"]]] += row["time"]
    return +sums


def span(kov, folder):
    intervals = intervals_of(kov, folder)
    return intervals[0]["from_ticks"], max(one["to_ticks"] for one in intervals)


def lossy_folder(path, seed, reasons=True):
    """Three simulated CPUs, with packets missing here and there. Without reasons, as older traces
    are, only what comes later tells what a thread did."""
    chance, machine = random.Random(seed), simulated_machine(reasons=reasons)
    streams = {}
    for cpu in machine:
        events = cpu.events
        made = [packet(events[at:at + 200], 0, cpu.number, number, size=16384)
                for number, at in enumerate(range(0, len(events), 200))]
        kept = [one for number, one in enumerate(made) if number == 0 or chance.random() > 0.15]
        streams[0, cpu.number] = kept
    trace_folder.write(path, streams)


@pytest.mark.parametrize("kind", ["reasons", "no reasons", "losses", "losses, no reasons"])
def test_each_threads_times_are_those_of_sched(kov, served, tmp_path, kind):
    folder = tmp_path / "trace"
    if "losses" in kind:
        lossy_folder(folder, 11, "no reasons" not in kind)
    else:
        simulated_folder(folder, reasons=kind == "reasons")
    expected, show = sched_of(kov, folder), served(folder)
    assert {state for _, state in expected} >= {"run", "ready", "blocked"}
    for width in (1, 300, 4096):
        assert sums_of(show.threads(width=width)["rows"]) == expected, width


@pytest.mark.parametrize("kind", ["reasons", "no reasons", "losses", "losses, no reasons"])
def test_views_side_by_side_add_up_to_sched(kov, served, tmp_path, kind):
    """Each view but the first begins in the midst, and each but the last ends there: what a thread
    did at its end may be told only long after it."""
    folder = tmp_path / "trace"
    if "losses" in kind:
        lossy_folder(folder, 5, "no reasons" not in kind)
    else:
        simulated_folder(folder, reasons=kind == "reasons")
    expected, show, sums = sched_of(kov, folder), served(folder), collections.Counter()
    begin, end = span(kov, folder)
    chance = random.Random(9)
    edges = sorted({begin, end, *(chance.randrange(begin, end) for _ in range(40)),
                    *range(begin, end, (end - begin) // 50)})
    for low, high in zip(edges, edges[1:]):
        rows = show.threads(**{"from": in_ns(low), "to": in_ns(high), "width": 4096})["rows"]
        assert all(low <= row["from"] <= row["to"] <= high for row in rows)
        sums.update(sums_of(rows))
    assert +sums == expected


def test_a_thread_does_one_thing_at_a_time(kov, served, tmp_path):
    """Slices of a thread follow each other without a gap, as far as groups let it be seen."""
    folder = tmp_path / "trace"
    simulated_folder(folder, steps=1000)
    begin, end = span(kov, folder)
    rows = served(folder).threads(**{"from": in_ns(begin), "to": in_ns(begin + 4000),
                                     "width": 4096})["rows"]
    assert end > begin + 4000 and all(row["count"] == 1 for row in rows)
    by_thread = collections.defaultdict(list)
    for row in rows:
        by_thread[row["thread"]].append(row)
    for own in by_thread.values():
        assert all(one["to"] == other["from"] for one, other in zip(own, own[1:]))
    runs = [row for row in rows if KEYS[row["state"]] == "run"]
    cpus = served(folder).slices(**{"from": in_ns(begin), "to": in_ns(begin + 4000),
                                    "width": 4096})["rows"]
    known = {(row["thread"], row["from"], row["to"], row["cpu"]) for row in cpus}
    told = [row for row in runs if row["state"] != RUN]
    assert told and all((row["thread"], row["from"], row["to"], row["cpu"]) in known
                        for row in told)


def test_folded_processes_have_one_group_a_thread(kov, served, tmp_path):
    folder = tmp_path / "trace"
    simulated_folder(folder)
    expected, show = sched_of(kov, folder), served(folder)
    rows = show.threads(width=4096)["rows"]
    processes = sorted({row["process"] for row in rows if row["process"]})
    assert processes
    some = show.threads(width=4096, of=processes[0])["rows"]
    assert sums_of(some) == expected
    for row in some:
        if row["process"] != processes[0]:
            same = [one for one in some if one["thread"] == row["thread"]]
            assert len({one["state"] for one in same}) == len(same)
    own = [row for row in rows if row["process"] == processes[0]]
    assert [row for row in some if row["process"] == processes[0]] == own


@pytest.mark.parametrize("of", ["c:1", "nothing", "p:1 o:2:3", "p:99999999999"])
def test_what_is_no_list_of_processes_is_refused(served, tmp_path, of):
    simulated_folder(tmp_path / "trace", steps=100)
    browser = served(tmp_path / "trace").browser
    browser.say(type="watch", id=900, machine="t", kind="threads", width=10, of=of)
    assert "p:4 p:7" in browser.until(lambda: browser.stopped.get(900))


def test_states_have_reasons_and_who_woke_a_thread(served, tmp_path):
    """A small trace whose states are known by hand."""
    message, preempted, time = 8, 1, 11
    events = [(1000, BY_NAME["start"], (EVERYTHING,)),
              (2000, BY_NAME["switch"], (4, 5, 2, 2, message)),
              (3000, BY_NAME["wake"], (4, 0, 5, message)),
              (3500, BY_NAME["switch"], (5, 4, 2, 2, preempted)),
              (4000, BY_NAME["switch"], (4, 5, 2, 2, time)),
              (5000, BY_NAME["test0"], ())]
    trace_folder.write(tmp_path / "trace", {(0, 0): [packet(events)]})
    show = served(tmp_path / "trace")

    def told(thread, rows):
        return [(row["from"], row["to"], row["state"], row["what"], row["by"]) for row in rows
                if row["thread"] == thread and row["state"] in (UNKNOWN, READY, BLOCKED)]

    rows = show.threads(width=4096)["rows"]
    assert told(4, rows) == [
        (1000, 2000, UNKNOWN, "no event has told yet what the thread does", NOBODY),
        (2000, 3000, BLOCKED, "waits for a message", NOBODY),
        (3000, 3500, READY, "woken by a message", 5),
        (4000, 5000, BLOCKED, "waits for a time", NOBODY)]
    assert told(5, rows)[1:] == [(3500, 4000, READY, "preempted", NOBODY)]
    rows = show.threads(**{"from": in_ns(2500), "to": in_ns(2600), "width": 100})["rows"]
    assert told(4, rows) == [(2500, 2600, BLOCKED, "waits for a message", NOBODY)]
    rows = show.threads(**{"from": in_ns(1200), "to": in_ns(1300), "width": 100})["rows"]
    assert told(4, rows) == [
        (1200, 1300, UNKNOWN, "no event has told yet what the thread does", NOBODY)]


def test_little_memory_makes_threads_coarser_but_not_wrong(kov, served, tmp_path):
    folder = tmp_path / "trace"
    simulated_folder(folder, steps=20000)
    show = served(folder, "--history", "4")
    assert sums_of(show.threads(width=4096)["rows"]) == sched_of(kov, folder)
    expect_equal(show.slices(width=1000)["rows"], intervals_of(kov, folder))


def test_more_threads_than_fit_are_counted(served, tmp_path):
    switches = [(1000 + 10 * number, BY_NAME["switch"],
                 (100 + number, 101 + number, 2, 2, 7)) for number in range(2500)]
    trace_folder.write(tmp_path / "trace", {(0, 0): [
        packet(switches[at:at + 200], 0, 0, number, size=16384)
        for number, at in enumerate(range(0, len(switches), 200))]})
    rows = served(tmp_path / "trace").threads(width=4096)["rows"]
    left, = (row for row in rows if row["state"] == LEFT_OUT)
    told = {row["thread"] for row in rows if row is not left}
    assert len(told) == 2000 and left["count"] == 501 and left["thread"] == NOBODY
