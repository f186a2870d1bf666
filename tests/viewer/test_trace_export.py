# SPDX-License-Identifier: MIT
"""kov trace export: what the JSON of Chrome's trace events says, checked by hand and against kov's
own views."""

import collections
import gzip
import json
import os
import pty
import subprocess

import pytest

import trace_folder
from conftest import KOV
from test_trace_activity import (EXTERNAL, FAULT, KERNEL_PC, LOSSY, NORMAL, USER_PC, enter, leave,
                                 logged, switch)
from trace_folder import HEADER, HZ, PACKET_BYTES, packet

CPUS, NO_PROCESS, USER_THREADS = 4000000000, 4000000001, 1000000000


def nanoseconds(ticks):
    return ticks * 10**9 // HZ


class Chrome:
    """The file, as a reader of the format takes it: sorted by time, with the slices of each
    track."""

    def __init__(self, text):
        self.document = json.loads(text, parse_float=lambda text: round(float(text) * 1000))
        self.events = self.document["traceEvents"]
        self.names = {(one["pid"], one["tid"] if one["name"] == "thread_name" else None):
                      one["args"]["name"] for one in self.of("M") if "name" in one["args"]}
        self.slices = collections.defaultdict(list)
        self.many = {}  # (track, begin): the account of slices that were joined
        stacks = collections.defaultdict(list)
        ordered = sorted((one for one in self.events if one["ph"] in "BE"),
                         key=lambda one: one["ts"])
        for one in ordered:
            track = one["pid"], one["tid"]
            if one["ph"] == "B":
                stacks[track].append(one)
                continue
            # The latest of its name, for which speedscope asks: made-up threads run on two CPUs.
            begin = [other for other in stacks[track] if other["name"] == one["name"]][-1]
            stacks[track].remove(begin)
            self.slices[track].append((begin["ts"], one["ts"], begin["name"]))
            if "args" in one:
                self.many[track, begin["ts"]] = one["args"]
        assert not any(stacks.values()), "slices without an end"

    def of(self, phase):
        return [one for one in self.events if one["ph"] == phase]

    def arrows(self):
        """Returns (name, (time, track), (time, track)) of each arrow. Each must have both ends."""
        starts = {one["id"]: one for one in self.of("s")}
        ends = {one["id"]: one for one in self.of("f")}
        assert starts.keys() == ends.keys()
        return [(one["name"], *((end["ts"], (end["pid"], end["tid"])) for end in (one, ends[id_])))
                for id_, one in starts.items()]


def ns(*slices):
    return [(nanoseconds(begin), nanoseconds(end), name) for begin, end, name in slices]


@pytest.fixture
def chrome(kov, tmp_path):
    def run(streams, *options):
        folder = trace_folder.write(tmp_path / "trace", streams)
        result = kov("trace", "export", "-f", "chrome", folder, *options)
        assert result.code == 0, result.err
        return Chrome(result.out)

    return run


PROCESS = [
    (1000, "dispatcher_create", 7, 5, 0), switch(2000, 4, 5), enter(3000, FAULT, USER_PC),
    enter(3500, EXTERNAL, KERNEL_PC), leave(3800, EXTERNAL), leave(4000, FAULT),
    switch(5000, 5, 4), leave(6000, EXTERNAL)]


def test_a_thread_has_a_track_in_its_process_and_its_cpu_one(chrome):
    found = chrome({(0, 0): [packet(logged(PROCESS))]})
    assert found.slices[CPUS, 0] == ns(
        (1000, 2000, "unknown"), (2000, 3000, "unknown"), (3000, 3500, "fault 0x300"),
        (3500, 3800, "interrupt"), (3800, 4000, "fault 0x300"),
        (4000, 5000, "process 7 thread 5"), (5000, 6000, "unknown"))
    assert found.slices[7, 5] == ns(
        (3000, 3500, "fault 0x300"), (3500, 3800, "interrupt"), (3800, 4000, "fault 0x300"),
        (2000, 5000, "CPU 0"))
    assert found.slices[NO_PROCESS, 4] == ns((5000, 6000, "CPU 0"))
    assert found.names == {
        (CPUS, None): "CPUs", (CPUS, 0): "CPU 0", (7, None): "process 7", (7, 5): "thread 5",
        (NO_PROCESS, None): "kernel and processes not known", (NO_PROCESS, 4): "thread 4"}


def test_threads_of_a_library_run_when_their_dispatcher_does(chrome):
    user = logged([(2500, "user_switch", 1, 3), (3000, "user_switch", 2, 3), (5500, "test0"),
                   (7500, "user_switch", 0, 0)])
    found = chrome({(7, 0): [packet(user, pid=7)], (0, 0): [packet(logged(
        [(1000, "dispatcher_create", 7, 5, 0), switch(2000, 4, 5), switch(4000, 5, 4),
         switch(6000, 4, 5), switch(8000, 5, 4)]))]})
    assert found.slices[7, USER_THREADS + 1] == ns((2500, 3000, "CPU 0"))
    assert found.slices[7, USER_THREADS + 2] == ns((3000, 4000, "CPU 0"), (6000, 7500, "CPU 0"))
    assert found.names[7, USER_THREADS + 2] == "user thread 2"
    assert [(one["pid"], one["tid"]) for one in found.of("i") if one["name"] == "TEST:test0"] == [
        (7, USER_THREADS + 2)]


def test_arrows_lead_from_wakes_to_runs_and_from_calls_to_replies(chrome):
    """A wake-up of a running thread leads nowhere. A call without its reply leads nowhere, too."""
    found = chrome({(0, 0): [packet(logged([
        switch(1000, 1, 4), (1500, "wake", 6, 1), (1600, "wake", 4, 0),
        (2000, "ipc_call", 0x10, 0xabc, 7, 8, 1, 2), switch(2100, 4, 5),
        (2200, "ipc_call", 0x10, 0xdef, 7, 8, 1, 2), (3000, "ipc_reply", 0xabc, 0, 8),
        (3500, "ipc_reply", 0x123, 0, 8), switch(4000, 5, 4), (5000, "test0")]))],
        (0, 1): [packet(logged([switch(1000, 2, 3), switch(2500, 3, 6), (5000, "test0")]),
                        cpu=1)]})
    four, five, six = ((NO_PROCESS, thread) for thread in (4, 5, 6))
    assert sorted(found.arrows()) == [
        ("call", (nanoseconds(2000), four), (nanoseconds(3000), five)),
        ("wake", (nanoseconds(1500), four), (nanoseconds(2500), six))]


def test_arrows_of_the_fast_path_begin_and_end_with_who_had_left(chrome):
    """It switches, and then tells. Such an arrow's end is the last tick of the run before."""
    call, reply = 4, 5  # trace/reasons.h
    found = chrome({(0, 0): [packet(logged([
        switch(1000, 1, 4), (2000, "switch", 4, 5, 2, 2, call),
        (2005, "ipc_call", 0x10, 0xabc, 7, 8, 1, 2), (3000, "switch", 5, 4, 2, 2, reply),
        (3005, "ipc_reply", 0xabc, 0, 8), (5000, "test0")]))]})
    four, five = ((NO_PROCESS, thread) for thread in (4, 5))
    assert found.arrows() == [("call", (nanoseconds(1999), four), (nanoseconds(2999), five))]


def test_counters_are_series_of_their_cpu_and_event(chrome):
    found = chrome({(0, 0): [packet(logged([
        (1000, "counter", 0, 17, 3), (1000, "counter", 1, 4, 3),
        (2000, "counters", 5, 6, 0, 0, 0, 0), (3000, "counters", 8, 9, 0, 0, 0, 0)]))]})
    assert [(one["name"], one["ts"], one["args"]["count"]) for one in found.of("C")] == [
        (f"CPU 0 event {event}", nanoseconds(when), value)
        for when, event, value in ((2000, 17, 5), (2000, 4, 6), (3000, 17, 8), (3000, 4, 9))]


def test_points_are_what_is_not_shown_otherwise_or_what_is_chosen(chrome, kov, tmp_path):
    found = chrome({(0, 0): [packet(logged([
        *PROCESS, (6500, "page_alloc", 1 << 60, 3), (6600, "dci_response", 1, 2, -3)]))]})
    points = {one["name"]: (one["ts"], one["pid"], one["tid"], one["args"])
              for one in found.of("i")}
    assert points.pop("TRACE:start")
    assert points == {
        "SCHED:dispatcher_create": (nanoseconds(1000), CPUS, 0,
                                    {"CPU": 0, "pid": 7, "thread": 5, "cpu": 0}),
        "MEM:page_alloc": (nanoseconds(6500), NO_PROCESS, 4,
                           {"CPU": 0, "address": hex(1 << 60), "order": 3}),
        "DCI:dci_response": (nanoseconds(6600), NO_PROCESS, 4,
                             {"CPU": 0, "client": 1, "bytes": 2, "error": -3})}
    for options, expected in ((("-e", "switch"), 2), (("--where", "order = 3"), 1)):
        chosen = kov("trace", "export", "-f", "chrome", tmp_path / "trace", *options)
        assert len(Chrome(chosen.out).of("i")) == expected


def test_where_events_are_missing_nothing_is_claimed(chrome):
    found = chrome({(0, 0): list(LOSSY)})
    assert [(begin, end, name) for begin, end, name in found.slices[CPUS, 0]] == ns(
        (10, 20, "unknown"), (20, 30, "thread 5"), (30, 110, "unknown"), (110, 120, "unknown"),
        (120, 140, "unknown"))
    assert found.slices[NO_PROCESS, 5] == ns((20, 30, "CPU 0"), (120, 140, "CPU 0"))
    lost = [one for one in found.of("i") if one["name"] == "lost"]
    assert [(one["ts"], one["args"]) for one in lost] == [
        (nanoseconds(30), {"pid": 0, "packets": 3, "discarded": 0})]
    assert found.document["otherData"] == {"hz": HZ, "lost_packets": 3, "discarded": 0}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("options", [(), ("--from", "+100", "--to", "+1000")])
def test_slices_of_a_cpu_are_its_activity_end_to_end(kov, tmp_path, seed, options):
    """Whatever the events say, no two slices overlap, and together they are the whole time."""
    folder = trace_folder.random_folder(tmp_path / "trace", seed, count=30)
    rows = kov("trace", "show", folder, "--activity", "--json", *options).json["intervals"]
    result = kov("trace", "export", "-f", "chrome", folder, *options)
    assert result.code == 0, result.err
    found = Chrome(result.out)
    for cpu in (0, 1):
        slices = found.slices[CPUS, cpu]
        own = [row for row in rows if row["cpu"] == cpu]
        assert [(begin, end) for begin, end, _ in slices] == [
            (nanoseconds(row["from_ticks"]), nanoseconds(row["to_ticks"])) for row in own]
        assert [end for _, end, _ in slices[:-1]] == [begin for begin, _, _ in slices[1:]]
        assert sum(end - begin for begin, end, _ in slices) == slices[-1][1] - slices[0][0]
    found.arrows()


# ---- less --------------------------------------------------------------------------------------

def test_short_slices_of_a_track_become_one(chrome):
    """The second run is long, so its fault is shown; the faults in it that are short are one."""
    us = HZ // 10**6
    found = chrome({(0, 0): [packet(logged([
        (1 * us, "dispatcher_create", 7, 5, 0), switch(10 * us, 4, 5), switch(13 * us, 5, 4),
        switch(14 * us, 4, 5), switch(16 * us, 5, 4), switch(100 * us, 4, 5),
        enter(110 * us, FAULT, USER_PC), leave(111 * us, FAULT),
        enter(115 * us, FAULT, USER_PC), leave(118 * us, FAULT),
        enter(130 * us, FAULT, USER_PC), leave(150 * us, FAULT),
        switch(200 * us, 5, 4), leave(300 * us, EXTERNAL)]))]}, "--min", "10")
    whole = [(begin // 1000, end // 1000, name) for begin, end, name in found.slices[7, 5]]
    assert whole == [(10, 16, "many"), (110, 118, "many"), (130, 150, "fault 0x300"),
                     (100, 200, "CPU 0")]
    assert found.many[(7, 5), 10000] == {"slices": 2, "ns": 5000}
    assert found.many[(7, 5), 110000] == {"slices": 2, "ns": 4000}


def test_a_long_wait_for_a_short_run_is_an_arrow_and_a_short_one_is_not(chrome, kov, tmp_path):
    us = HZ // 10**6
    streams = {(0, 0): [packet(logged([
        switch(1 * us, 1, 4), (2 * us, "wake", 6, 1), (60 * us, "wake", 8, 1),
        (99 * us, "test0")]))],
        (0, 1): [packet(logged([
            switch(1 * us, 2, 3), switch(50 * us, 3, 6), switch(51 * us, 6, 3),
            switch(61 * us, 3, 8), switch(62 * us, 8, 3), (99 * us, "test0")]), cpu=1)]}
    four, six = (NO_PROCESS, 4), (NO_PROCESS, 6)
    assert chrome(streams, "--min", "10").arrows() == [("wake", (2000, four), (50000, six))]
    told = kov("trace", "export", "-f", "chrome", tmp_path / "trace", "--min", "10", "--json",
               "-o", tmp_path / "out").json
    assert told["arrows"] == 1 and told["left_out"] == 1


def joined(slices, shortest):
    """Returns (begin, end, name, slices, sum) as a reader joins them, who has all of them."""
    rows, waiting = [], []
    for begin, end, name in [*slices, (None, None, None)]:
        if begin is not None and end - begin < shortest:
            waiting.append((begin, end, name))
            continue
        if waiting:
            rows.append((waiting[0][0], waiting[-1][1],
                         waiting[0][2] if len(waiting) == 1 else "many", len(waiting),
                         sum(last - first for first, last, _ in waiting)))
            waiting = []
        if begin is not None:
            rows.append((begin, end, name, 1, end - begin))
    return rows


@pytest.mark.parametrize("seed", [0, 1, 3, 4, 5])
def test_joined_slices_of_a_cpu_are_as_long_as_all(kov, tmp_path, seed):
    """Python joins the slices of an export that has all of them."""
    folder = trace_folder.random_folder(tmp_path / "trace", seed, count=60)
    runs = [kov("trace", "export", "-f", "chrome", folder, *options)
            for options in ((), ("--min", "200000"))]
    every, fewer = (Chrome(run.out) for run in runs)
    assert len(runs[1].out) < len(runs[0].out)
    for cpu in (0, 1):
        track = (CPUS, cpu)
        expected = joined(every.slices[track], 200000 * 1000)
        assert any(name == "many" for _, _, name, _, _ in expected)
        assert fewer.slices[track] == [row[:3] for row in expected]
        for begin, end, name, count, total in expected:
            if name == "many":
                account = fewer.many[track, begin]
                assert account["slices"] == count
                assert abs(account["ns"] - total) <= count
    fewer.arrows()


def test_a_compressed_file_has_the_same_inside(kov, tmp_path):
    folder = trace_folder.random_folder(tmp_path / "trace", 3)
    plain = kov("trace", "export", "-f", "chrome", folder).out
    told = kov("trace", "export", "-f", "chrome", folder, "-z", "-o", tmp_path / "out.gz")
    assert told.code == 0, told.err
    assert gzip.decompress((tmp_path / "out.gz").read_bytes()).decode() == plain
    assert (tmp_path / "out.gz").stat().st_size < len(plain) / 4
    piped = subprocess.run([KOV, "trace", "export", "-zf", "chrome", folder], capture_output=True,
                           check=True)
    assert gzip.decompress(piped.stdout).decode() == plain


def test_a_compressed_file_is_not_for_a_terminal(tmp_path):
    folder = trace_folder.random_folder(tmp_path / "trace", 1)
    ours, theirs = pty.openpty()
    done = subprocess.run([KOV, "trace", "export", "-zf", "chrome", folder], stdout=theirs,
                          stderr=subprocess.PIPE, text=True, check=False)
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 2 and "--gzip is not for terminals" in done.stderr


def much(folder, count):
    """Writes a folder with `count` packets of 2,000 switches, each a turn of the low 32 bits of
    the time base behind the last one."""
    first = packet(logged([switch(1000 * when, 4 + when % 2, 5 - when % 2)
                           for when in range(1, 2001)]))
    packets = []
    for number in range(count):
        fields = list(HEADER.unpack_from(first))
        fields[3], fields[4] = fields[3] + (number << 32), fields[4] + (number << 32)
        fields[9] = number
        packets.append(HEADER.pack(*fields) + first[HEADER.size:PACKET_BYTES])
    return trace_folder.write(folder, {(0, 0): packets})


@pytest.mark.long
def test_much_is_told_before_it_is_written(kov, tmp_path):
    folder = much(tmp_path / "trace", 600)
    export = "trace", "export", "-f", "chrome", folder, "-o", "/dev/null"
    told = kov(*export)
    assert told.code == 0 and "more than 256 MB" in told.err
    assert all(help in told.err for help in ("-z", "--min", "--from", "--events"))
    assert "-z" not in kov(*export, "-z").err
    for less in (("--min", "10"), ("--to", "+10")):
        assert "256" not in kov(*export, *less).err


def test_the_file_is_told_of(kov, tmp_path):
    folder = trace_folder.random_folder(tmp_path / "trace", 1)
    told = kov("trace", "export", "-f", "chrome", folder, "-o", tmp_path / "out", "--json")
    found = Chrome((tmp_path / "out").read_text())
    assert told.json["format"] == "chrome" and told.json["file"] == str(tmp_path / "out")
    assert told.json["slices"] == len(found.of("B"))
    assert told.json["arrows"] == len(found.of("s"))
    assert told.json["lost_packets"] == found.document["otherData"]["lost_packets"] > 0
    text = kov("trace", "export", "-f", "chrome", folder, "-o", tmp_path / "out")
    assert text.out.startswith(f"{told.json['slices']} slices, ")
    assert "packets" in kov("trace", "export", "-f", "chrome", folder).err


def peak_kilobytes(folder, output):
    """Returns the most memory that an export takes."""
    child = os.spawnv(os.P_NOWAIT, KOV, ["kov", "trace", "export", "-f", "chrome", str(folder),
                                         "-o", str(output)])
    _, status, usage = os.wait4(child, 0)
    assert status == 0
    return usage.ru_maxrss


@pytest.mark.long
def test_memory_does_not_grow_with_the_events(tmp_path):
    folders = [trace_folder.write(tmp_path / f"trace{count}", {(0, 0): [
        packet(logged([switch(10**6 * number + when, 4 + when % 2, 5 - when % 2)
                       for when in range(0, 2000)]), sequence=number)
        for number in range(count)]}) for count in (10, 200)]
    few, many = (peak_kilobytes(folder, tmp_path / "out") for folder in folders)
    assert (tmp_path / "out").stat().st_size > 20 << 20
    assert many - few < 1 << 10


@pytest.mark.parametrize("arguments, message", [
    (("trace",), "give --format: chrome"), (("-f", "crome", "trace"), "must be chrome"),
    (("-f", "chrome"), "either the folder"), (("-f", "chrome", "trace", "--dump", "x"), "either"),
    (("-f", "chrome", "trace", "--json"), "--output"),
    (("-f", "chrome", "trace", "--min", "0"), "--min 0"),
    (("-f", "chrome", "trace", "--to", "late"), "--to late"),
    (("-f", "chrome", "trace", "-e", "nothing"), "nothing"),
])
def test_what_cannot_be_is_refused(kov, tmp_path, arguments, message):
    trace_folder.random_folder(tmp_path / "trace", 1)
    result = kov("trace", "export", *arguments)
    assert result.code == 2 and message in result.err and result.out == ""


def test_a_full_disk_is_told(kov, tmp_path):
    folder = trace_folder.random_folder(tmp_path / "trace", 1)
    result = kov("trace", "export", "-f", "chrome", folder, "-o", "/dev/full")
    assert result.code == 1 and "cannot write all of /dev/full" in result.err
    packed = kov("trace", "export", "-zf", "chrome", folder, "-o", "/dev/full")
    assert packed.code == 1 and "cannot write all of /dev/full" in packed.err
