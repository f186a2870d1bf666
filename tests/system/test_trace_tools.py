# SPDX-License-Identifier: MIT
"""Tools that answer from a trace, on a real recording: what they say is what a count by hand of
`kov trace show` says."""

import glob
import struct
import subprocess
from collections import Counter, defaultdict

import pytest

from servers import interrupt, wait_owner

pytestmark = pytest.mark.long

PACKET = struct.Struct(">I16sI4QQIIQII")  # the header of a packet (trace/layout.h)
END, BITS, PID, CPU = 4, 6, 8, 12


class Recording:
    """A folder with what happened while four CPUs contended for locks, and its events as kov shows
    them."""

    def __init__(self, machine, folder, majors, options=("seconds=2",)):
        self.machine, self.folder = machine, str(folder)
        machine.kov("trace", "record", "-o", self.folder, "-e", majors, "--", "contention",
                    *options)
        shown = self.tool("show")
        self.hz = shown["hz"]
        self.events = [event for event in shown["events"] if event["event"] != "lost"]
        self.losses = [event for event in shown["events"] if event["event"] == "lost"]

    def ends(self):
        """{CPU: until when the kernel's stream tells what it did}, by its last packet."""
        found = {}
        for path in glob.glob(f"{self.folder}/stream_*"):
            with open(path, "rb") as file:
                data = file.read()
            at = 0
            while at < len(data):
                packet = PACKET.unpack_from(data, at)
                if packet[PID] == 0:
                    found[packet[CPU]] = max(found.get(packet[CPU], 0), packet[END])
                at += packet[BITS] // 8
        return found

    def tool(self, name, *options):
        """kov trace NAME OPTIONS… FOLDER."""
        return self.machine.kov("trace", name, *options, self.folder)

    def named(self, name):
        return [event for event in self.events if event["event"] == name]


@pytest.fixture(scope="module", name="recording")
def record_contention(pool, tmp_path_factory):
    return Recording(pool.lend(cpus=4, pmu="model"), tmp_path_factory.mktemp("tools") / "trace",
                     "SCHED,LOCK,EXC,IRQ,TIMER,USER")


def test_waits_for_locks_are_those_of_the_events(recording):
    waits = recording.named("LOCK:lock_contended")
    found = recording.tool("locks")
    assert len(waits) == found["all"]["count"] > 0
    expected = defaultdict(list)
    for wait in waits:
        fields = wait["fields"]
        chain = [fields[f"caller{i}"] for i in range(3) if fields[f"caller{i}"] != "0x0"]
        expected[fields["lock"], tuple(chain)].append((fields["ticks"], fields["spins"]))
    sums = defaultdict(lambda: [0, 0, 0, 0])
    for row in found["locks"]:
        own = sums[row["lock"], tuple(row["callers"])]
        own[0] += row["count"]
        own[1] += row["time_ticks"]
        own[2] += row["spins"]
        own[3] = max(own[3], row["longest_ticks"])
    assert {key: [len(all_), sum(ticks for ticks, _ in all_), sum(spins for _, spins in all_),
                  max(ticks for ticks, _ in all_)]
            for key, all_ in expected.items()} == dict(sums)
    times = [row["time_ticks"] for row in found["locks"]]
    assert times == sorted(times, reverse=True)
    assert any("contend" in row["chain"] for row in found["locks"]), found["locks"][:3]
    one = recording.tool("locks", "--cpu", "1")
    assert one["all"]["count"] == sum(wait["cpu"] == 1 for wait in waits)


@pytest.fixture(scope="module", name="held")
def record_holds(pool, tmp_path_factory):
    """Four objects whose locks are held for 5 ms each time."""
    return Recording(pool.lend(cpus=4, pmu="model"), tmp_path_factory.mktemp("held") / "trace",
                     "SCHED,LOCKHOLD", ("hold=5000", "seconds=1"))


def holds_by_hand(events):
    """By lock and chain: how long each hold lasted. Who releases a spin lock has taken it last."""
    taken, holds = {}, defaultdict(list)
    for event in events:
        fields = event["fields"]
        lock = fields.get("lock"), fields.get("sleeping")
        if event["event"] == "LOCKHOLD:lock_take":
            chain = [fields[f"caller{i}"] for i in range(3) if fields[f"caller{i}"] != "0x0"]
            taken[lock] = event["ticks"], tuple(chain)
        elif event["event"] == "LOCKHOLD:lock_release" and lock in taken:
            since, chain = taken.pop(lock)
            holds[fields["lock"], fields["sleeping"], chain].append(event["ticks"] - since)
    return holds


def test_a_lock_that_is_held_long_stands_first_with_its_chain(held):
    assert not [loss for loss in held.losses if loss["pid"] == 0]
    found = held.tool("locks")["holds"]
    expected = holds_by_hand(held.events)
    assert {(row["lock"], {"spin": 0, "sleep": 1}[row["kind"]], tuple(row["callers"])):
            (row["count"], row["time_ticks"], row["max_ticks"]) for row in found} \
        == {key: (len(all_), sum(all_), max(all_)) for key, all_ in expected.items()}
    first = found[0]
    assert first["kind"] == "spin" and first["chain"].startswith("contended_hold < "), first
    assert first["min_ticks"] >= held.hz * 5 // 1000
    assert first["others_ticks"] > 0 and first["others_count"] > 0


@pytest.fixture(scope="module", name="sampled")
def record_samples(pool, tmp_path_factory):
    """A recording of a sampling session, of four CPUs that contend."""
    machine = pool.lend(cpus=4, pmu="model")
    folder = tmp_path_factory.mktemp("sampled")
    command = machine.kov_command("record", "-o", str(folder / "samples"), "-F", "2000", "-d",
                                  "600")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as sampling:
        wait_owner(machine, "sampling")
        recording = Recording(machine, folder / "trace", "PMU,SCHED,USER")
        interrupt(sampling)
    return recording


def test_samples_of_processes_are_those_of_the_events(sampled):
    samples = sampled.named("PMU:sample")
    found = sampled.tool("profile")
    assert len(samples) == found["samples"] == sum(row["samples"] for row in found["processes"]) \
        == sum(row["samples"] for row in found["functions"]) > 0
    assert found["samples_lost"] == sum(event["fields"]["count"]
                                        for event in sampled.named("PMU:sample_lost"))
    flags = Counter(int(event["fields"]["flags"]) & 5 for event in samples)
    idle = sum(row["samples"] for row in found["processes"] if row["process"] == "[idle]")
    kernel = sum(row["samples"] for row in found["functions"] if row["code"] == "kernel")
    assert idle == flags[4] + flags[5] and kernel == flags[1] + flags[5]
    threads, dispatchers = (
        {event["fields"]["thread"] for name in names for event in sampled.named(name)}
        for names in (("SCHED:thread_create", "STATE:state_thread"),
                      ("SCHED:dispatcher_create", "STATE:state_dispatcher")))
    threads -= dispatchers
    own = sum(event["fields"]["thread"] in threads for event in samples
              if int(event["fields"]["flags"]) & 4 == 0)
    of_kernel = [row for row in found["processes"] if row["process"] == "kernel"]
    assert sum(row["samples"] for row in of_kernel) == own > 0
    hottest = next(row for row in found["functions"] if row["process"] == "kernel")
    assert not hottest["function"].startswith("0x"), hottest
    assert sampled.tool("profile", "--pid", "0")["samples"] == own


def percentile(values, percent):
    return sorted(values)[-(-len(values) * percent // 100) - 1]


def tells_who_runs(event):
    """At the beginning, for each CPU: it runs 0, or asks 4."""
    return event["event"] == "STATE:state_thread" and event["fields"]["state"] in (0, 4)


def runs_by_hand(recording):
    """By thread: its runs, as ticks, from the switch to it until the one from it; and how long each
    of its wake-ups took to make it run, while it was away. Both by switches and wake-ups alone."""
    runs, latencies = defaultdict(list), defaultdict(list)
    begun, woken, ran_on, ends = {}, {}, {}, recording.ends()
    for event in recording.events:
        fields = event["fields"]
        if event["event"] == "SCHED:switch":
            left, runs_now = fields["from"], fields["to"]
            if left in begun:
                runs[left].append(event["ticks"] - begun.pop(left))
            if runs_now in woken:
                latencies[runs_now].append(event["ticks"] - woken.pop(runs_now))
            begun[runs_now], ran_on[runs_now] = event["ticks"], event["cpu"]
        elif event["event"] == "SCHED:wake" and fields["thread"] not in begun:
            woken.setdefault(fields["thread"], event["ticks"])
        elif tells_who_runs(event):
            begun.setdefault(fields["thread"], event["ticks"])
            ran_on.setdefault(fields["thread"], fields["cpu"])
    for thread, since in begun.items():
        runs[thread].append(ends[ran_on[thread]] - since)
    return runs, latencies


def test_runs_and_wake_ups_of_threads_are_those_of_the_events(recording):
    found = recording.tool("sched")
    assert not [loss for loss in recording.losses if loss["pid"] == 0]
    runs, latencies = runs_by_hand(recording)
    threads = {row["thread"]: row for row in found["threads"]}
    assert set(runs) <= set(threads) and sum(map(len, latencies.values())) > 0
    assert found["all"]["wakes"] == sum(map(len, latencies.values()))
    for thread, row in threads.items():
        # A run that the trace begins in is not known to be one.
        assert row["run_ticks"] == sum(runs[thread]), (row, runs[thread])
        assert row["runs"] == sum(run > 0 for run in runs[thread])
        own = latencies[thread]
        assert row["wakes"] == len(own)
        if own:
            assert row["max_ticks"] == max(own) and row["min_ticks"] == min(own)
            for percent in (50, 99):
                exact = percentile(own, percent)
                assert abs(row[f"p{percent}_ticks"] - exact) <= 0.03 * exact
        assert row["ready_ticks"] >= sum(own)
    whole = found["to_ticks"] - found["from_ticks"]
    part_of_it = {event["fields"]["thread"] for name in ("create", "exit")
                  for event in recording.named(f"SCHED:thread_{name}")}
    for thread, row in threads.items():
        parts = sum(row[f"{part}_ticks"] for part in ("run", "ready", "blocked", "unknown"))
        assert parts == whole or thread in part_of_it and parts < whole, row


HANDED = {4, 5}  # reasons of a switch that gives the CPU to a server, and back to a client


def test_who_woke_whom_is_told_by_the_events(recording):
    found = recording.tool("sched")
    assert {row["reason"] for row in found["waits"]} >= {"preempted", "time", "event"}
    assert "untold" not in {row["reason"] for row in found["waits"] + found["wakers"]}
    away, expected = {}, Counter()
    begun = set()
    for event in recording.events:
        fields = event["fields"]
        if event["event"] == "SCHED:switch":
            if fields["to"] in away:
                expected[fields["to"], away.pop(fields["to"])] += 1
            elif fields["reason"] in HANDED:
                expected[fields["to"], fields["from"]] += 1
            begun.discard(fields["from"])
            begun.add(fields["to"])
        elif tells_who_runs(event):
            begun.add(fields["thread"])
        elif event["event"] == "SCHED:wake" and fields["thread"] not in begun:
            away.setdefault(fields["thread"], fields["by"])
    told = Counter()
    for row in found["wakers"]:
        told[row["thread"], row["by"]] += row["count"]
    assert told == expected and len(told) > 0
    assert any(by == 0 for _, by in told) and any(by != 0 for _, by in told)


def idle_intervals(events, end):
    """Of the events of one CPU: between two next to each other, of which the first one lets the
    idle thread wait, as it is in no exception then. One in which it was when others ran it leaves
    when it runs again."""
    idle, depth = None, 0  # None: who runs is not known yet
    events = [event for event in events
              if event["event"].split(":")[0] != "STATE" or tells_who_runs(event)]
    for before, after in zip(events, [*events[1:], {"ticks": end, "event": "end"}]):
        if before["event"] == "SCHED:switch":
            if idle is None and before["fields"]["from_priority"] != 0:
                depth = 0
            idle = before["fields"]["to_priority"] == 0
        elif tells_who_runs(before):
            idle = before["fields"]["priority"] == 0 if idle is None else idle
        elif idle is not False:
            depth += before["event"] == "EXC:exc_enter"
            depth -= before["event"] == "EXC:exc_exit" and depth > 0
        waits = idle and depth == 0 and before["event"] in ("SCHED:switch", "EXC:exc_exit")
        if waits and after["event"] != "EXC:exc_exit" and after["ticks"] > before["ticks"]:
            yield after["ticks"] - before["ticks"], after


def end_of(event):
    if event["event"] == "EXC:exc_enter":
        return {"0x500": "interrupt", "0x900": "timer"}.get(event["fields"]["vector"], "other")
    return {"IRQ": "interrupt", "TIMER": "timer", "SCHED": "wake",
            "end": "cut"}.get(event["event"].split(":")[0], "other")


def test_idle_intervals_are_those_between_the_events(recording):
    found = recording.tool("idle")
    rows = {row["cpu"]: row for row in found["cpus"]}
    assert set(rows) == {0, 1, 2, 3}
    runs = {row["cpu"]: row["run_ticks"] for row in recording.tool("sched")["threads"]
            if row["process"] == "[idle]"}
    whole = found["to_ticks"] - found["from_ticks"]
    for cpu, row in rows.items():
        events = [event for event in recording.events
                  if event["cpu"] == cpu and event["stream_pid"] == 0
                  and event["event"].split(":")[0] not in ("TRACE", "PMU")]
        intervals = list(idle_intervals(events, recording.ends()[cpu]))
        lengths = [length for length, _ in intervals]
        assert (row["count"], row["idle_ticks"]) == (len(lengths), sum(lengths)), row
        if lengths:
            assert (row["min_ticks"], row["max_ticks"]) == (min(lengths), max(lengths))
        ends = Counter(end_of(event) for _, event in intervals)
        assert ends == Counter({end: row[end] for end in ("interrupt", "timer", "wake", "other",
                                                          "cut") if row[end] > 0})
        assert row["idle_ticks"] + row["handling_ticks"] == runs[cpu]
        assert whole == sum(row[f"{part}_ticks"]
                            for part in ("idle", "handling", "busy", "unknown"))
    assert sum(row["count"] for row in found["lengths"]) == sum(row["count"]
                                                               for row in rows.values()) > 0


def test_pairs_are_those_of_the_events(recording):
    found = recording.tool("count", "wake..switch", "--by", "thread=to")
    last, expected = {}, defaultdict(list)
    for event in recording.events:
        fields = event["fields"]
        if event["event"] == "SCHED:wake":
            last[fields["thread"]] = event["ticks"]
        elif event["event"] == "SCHED:switch" and fields["to"] in last:
            expected[fields["to"]].append(event["ticks"] - last.pop(fields["to"]))
    assert {row["key"]: (row["count"], row["min_ticks"], row["max_ticks"])
            for row in found["pairs"]} == {thread: (len(all_), min(all_), max(all_))
                                           for thread, all_ in expected.items()}
    every = [latency for all_ in expected.values() for latency in all_]
    assert found["all"]["count"] == len(every) > 0
    assert found["all"]["mean_ticks"] == pytest.approx(sum(every) / len(every), abs=1)
    for percent in (50, 99):
        exact = percentile(every, percent)
        assert abs(found["all"][f"p{percent}_ticks"] - exact) <= 0.03 * exact
    assert found["unsure"] == 0 and found["first_alone"] + found["all"]["count"] \
        == len(recording.named("SCHED:wake"))
