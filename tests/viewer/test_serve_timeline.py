# SPDX-License-Identifier: MIT
"""A trace folder in `kov serve`: the slices of its CPUs are what `kov trace show --activity` and
`kov trace sched` tell, to the nanosecond, for any interval and width."""

import collections
import os
import random
import shutil

import pytest

import trace_folder
from said import SAID, check_fields
from serve_folder import (EVERYTHING, LOST, NAMES, NOBODY, UNKNOWN, _served, expect_equal, in_ns,
                          in_ticks, intervals_of, simulated_folder)
from trace_folder import BY_NAME, HZ, packet

assert _served  # a fixture

def test_sums_are_those_of_activity_at_any_interval_and_width(kov, served, tmp_path):
    folder = tmp_path / "trace"
    simulated_folder(folder)
    intervals, chance = intervals_of(kov, folder), random.Random(3)
    begin, end = intervals[0]["from_ticks"], max(one["to_ticks"] for one in intervals)
    show, joined = served(folder), 0
    for _ in range(60):
        middle, half = chance.randrange(begin, end), (end - begin) >> chance.randrange(1, 16)
        answer = show.slices(**{"from": in_ns(middle - half), "to": in_ns(middle + half),
                                "width": chance.choice([1, 10, 300, 1000, 4096])})
        assert [round(time * HZ / 1e9) for time in answer["interval"]] == \
            [max(middle - half, begin), min(middle + half, end)]
        expect_equal(answer["rows"], intervals)
        joined += sum(row["count"] > 1 for row in answer["rows"])
    assert joined > 100  # both kinds were there


def test_a_whole_trace_is_what_the_simulated_machine_did(served, tmp_path):
    """The machine itself is the witness: all is known from its first tick."""
    folder = tmp_path / "trace"
    machine = simulated_folder(folder)
    rows = served(folder).slices(width=50)["rows"]
    for cpu in machine:
        times = collections.Counter()
        for row in rows:
            if row["cpu"] == cpu.number and row["activity"] != UNKNOWN:
                times[NAMES[row["activity"]].replace("run", "user")] += row["time"]
        assert times == +cpu.times


def test_windows_side_by_side_have_each_threads_time_of_sched(kov, served, tmp_path):
    folder = tmp_path / "trace"
    simulated_folder(folder, cpus=2)
    intervals = intervals_of(kov, folder)
    begin, end = intervals[0]["from_ticks"], max(one["to_ticks"] for one in intervals)
    show, run, edges = served(folder), collections.Counter(), range(begin, end, 20000)
    for at in edges:
        rows = show.slices(**{"from": in_ns(at), "to": in_ns(min(at + edges.step, end)),
                              "width": 4096})["rows"]
        expect_equal(rows, intervals)
        for row in rows:
            assert row["count"] == 1 or row["to"] - row["from"] < 20
            run[row["thread"]] += row["time"] if row["count"] == 1 else 0
    sched = kov("trace", "sched", folder, "--json").json["threads"]
    singles = {row["thread"]: row["run_ticks"] for row in sched if row["run_ticks"] > 0}
    # What is shorter than five ticks may have been joined to a group.
    assert {thread: ticks for thread, ticks in run.items() if thread != NOBODY}.keys() == \
        singles.keys()
    for thread, ticks in singles.items():
        assert abs(run[thread] - ticks) <= 0.01 * ticks


def test_several_folders_and_what_they_have(served, tmp_path):
    simulated_folder(tmp_path / "trace", steps=100)
    show = served(tmp_path / "trace", "-m", f"other={tmp_path / 'trace'}")
    browser = show.browser
    assert show.slices(width=10)["rows"]
    for name in ("t", "other"):
        browser.until(lambda name=name: browser.states.get(name, {}).get("cpus") == 3)
        state = browser.states[name]
        assert state["state"] == "played" and state["trace"], state
    browser.say(type="watch", id=900, machine="t", kind="objects")
    assert "Timeline" in browser.until(lambda: browser.stopped.get(900))
    browser.say(type="watch", id=901, machine="t", kind="status")
    browser.until(lambda: browser.topics.get(901, {}).get("trace_events"))
    answer = browser.do(type="act", id=902, machine="t", do="kill", number=3)
    assert "nothing can be done" in answer["message"]


def test_losses_and_what_is_unknown_have_a_reason(served, tmp_path):
    events = [(1000, BY_NAME["start"], (EVERYTHING,)),
              (2000, BY_NAME["switch"], (4, 5, 2, 2)), (2500, BY_NAME["test0"], ())]
    later = [(9000, BY_NAME["switch"], (5, 6, 2, 2)), (9500, BY_NAME["test0"], ())]
    trace_folder.write(tmp_path / "trace", {(0, 0): [
        packet(events), packet(later, sequence=3, discarded=40)]})
    rows = served(tmp_path / "trace").slices(width=1000)["rows"]
    lost, = (row for row in rows if row["activity"] == LOST)
    assert (lost["from"], lost["to"], lost["thread"], lost["count"]) == (2500, 9000, 2, 40)
    assert [(row["from"], row["to"], row["what"]) for row in rows if row is not lost] == [
        (1000, 2000, "no event has told yet which thread runs"),
        (2000, 2500, "no event has told yet what the thread is in"),
        (2500, 9000, "events were lost"),
        (9000, 9500, "no event has told yet what the thread is in")]


def spoil(folder, kind, chance):
    streams = sorted(folder.glob("stream_*"))
    if kind == "no stream":
        streams[1].unlink()
    elif kind == "cut":
        os.truncate(streams[0], streams[0].stat().st_size * 2 // 3 + 99)
    elif kind == "random":
        for path in streams:
            path.write_bytes(chance.randbytes(200000))
    elif kind == "flipped":
        for path in streams:
            data = bytearray(path.read_bytes())
            for _ in range(40):
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            path.write_bytes(data)
    elif kind == "other metadata":
        (folder / "metadata").write_bytes(chance.randbytes(2000))
    else:
        (folder / "metadata").unlink()
        os.mkfifo(folder / "metadata")


@pytest.mark.parametrize("kind, refused", [
    ("no stream", False), ("cut", False), ("flipped", False), ("random", True),
    ("other metadata", True), ("pipe", True)])
def test_a_hostile_folder_is_shown_or_refused_with_a_reason(served, tmp_path, kind, refused):
    folder, good = tmp_path / "trace", tmp_path / "good"
    simulated_folder(folder, steps=2000)
    shutil.copytree(folder, good)
    spoil(folder, kind, random.Random(5))
    show = served(folder, "-m", f"good={good}")
    browser = show.browser
    browser.say(type="watch", id=1000, machine="t", kind="slices", width=500)
    browser.say(type="watch", id=1001, machine="good", kind="slices", width=500)
    browser.until(lambda: 1001 in browser.topics)
    browser.until(lambda: 1000 in browser.topics or browser.stopped.get(1000))
    assert (1000 in browser.stopped) == refused, browser.states
    why = browser.stopped.get(1000) or browser.states["t"]["message"]
    assert str(folder) in why, why


@pytest.mark.long
def test_an_answer_has_at_most_as_many_rows_as_fit(kov, served, tmp_path):
    folder = tmp_path / "trace"
    simulated_folder(folder, steps=20000, cpus=8)
    rows = served(folder).slices(width=4096)["rows"]
    assert 2000 < len(rows) < 24000
    expect_equal(rows, intervals_of(kov, folder))


@pytest.mark.long
def test_little_memory_makes_answers_coarser_but_not_wrong(kov, served, tmp_path):
    folder = tmp_path / "trace"
    simulated_folder(folder, steps=20000)
    show = served(folder, "--history", "4")
    intervals = intervals_of(kov, folder)
    end = max(one["to_ticks"] for one in intervals)
    for low, high in ((0, end), (end // 3, end // 2), (end // 2, end // 2 + 5000)):
        expect_equal(show.slices(**{"from": in_ns(low), "to": in_ns(high), "width": 1000})["rows"],
                     intervals)


class Events:
    """Asks for the events of a folder."""

    def __init__(self, show):
        self.browser, self.last = show.browser, 2000

    def ask(self, **parameters):
        self.last += 1
        return self.browser.do(type="ask", id=self.last, machine="t", what="events", **parameters)

    def rows(self, **parameters):
        answer = self.ask(**parameters)
        assert answer["type"] == "answer", answer
        check_fields(SAID["events"], answer["data"], "events")
        return answer["data"]["events"], answer["data"]["more"]


def shown_rows(kov, folder, *options):
    """What `kov trace show` tells, as the gateway has it."""
    rows = kov("trace", "show", folder, "--json", *options).json["events"]
    return [(row["ticks"], row["cpu"], row["pid"], row["thread"], row["process"], row["event"],
             row["text"]) for row in rows if row["event"] != "lost"]


def told_rows(rows):
    return [(in_ticks(row["time"]), row["cpu"], row["pid"], row["thread"], row["process"],
             row["event"], row["text"]) for row in rows if row["event"] != "lost"]


def test_events_are_those_of_show(kov, served, tmp_path):
    folder = tmp_path / "trace"
    simulated_folder(folder)
    events, chance = Events(served(folder)), random.Random(7)
    everything = shown_rows(kov, folder)
    assert len(everything) > 5000
    for _ in range(10):
        begin = chance.choice(everything)[0]
        end = begin + chance.choice([1, 300, 10000])
        rows, more = events.rows(**{"from": in_ns(begin), "to": in_ns(end)})
        inside = [row for row in everything if begin <= row[0] <= end]
        assert [row[:2] + row[5:6] for row in told_rows(rows)] == \
            [row[:2] + row[5:6] for row in inside[:200]]
        assert more == (len(inside) > 200)
    begin = f"{everything[3000][0] / HZ:.9f}"
    for parameters, options in (
            ({}, []), ({"of": "c:1"}, ["--cpu", "1"]), ({"only": "switch"}, ["-e", "switch"]),
            ({"only": "SCHED", "where": "to > 2"}, ["-e", "SCHED", "--where", "to > 2"]),
            ({"of": "p:7"}, ["--pid", "7"])):
        expected = shown_rows(kov, folder, "--from", begin, *options)
        rows, _ = events.rows(**{"from": in_ns(everything[3000][0])}, **parameters)
        assert told_rows(rows) == expected[:len(rows)] and len(rows) == min(200, len(expected))
        assert rows or "of" in parameters  # of a process that there is not


def test_losses_are_among_the_events(served, tmp_path):
    trace_folder.write(tmp_path / "trace", {(0, 0): [
        packet([(1000, BY_NAME["test0"], ())]),
        packet([(9000, BY_NAME["test0"], ())], sequence=3, discarded=40)]})
    rows, more = Events(served(tmp_path / "trace")).rows()
    assert [row["event"].split(":")[-1] for row in rows] == ["test0", "lost", "test0"] and not more
    assert "2 packets missing, 40 events discarded" in rows[1]["text"]


@pytest.mark.parametrize("parameters, why", [
    ({"only": "nothing_such"}, "nothing_such"), ({"where": "to ~ 2"}, "to ~ 2"),
    ({"where": "no_such_field > 2"}, "no_such_field"), ({"of": "o:1:2"}, "c:CPU or p:PID"),
    ({"of": "c:99999"}, "c:CPU or p:PID")])
def test_events_that_cannot_be_chosen_say_why(served, tmp_path, parameters, why):
    simulated_folder(tmp_path / "trace", steps=100)
    events = Events(served(tmp_path / "trace"))
    answer = events.ask(**parameters)
    assert answer["type"] == "error" and why in answer["message"], answer
    assert events.rows()[0]
