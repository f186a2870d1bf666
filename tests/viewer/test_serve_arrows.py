# SPDX-License-Identifier: MIT
"""The arrows of a slice in `kov serve` are those that `kov trace export` draws, to the nanosecond.
Python finds them in the export's JSON."""

import math
import random
import sys

import pytest

from conftest import ROOT

sys.path.insert(1, str(ROOT / "tests/system"))

import trace_folder  # noqa: E402
from arrows import (CPUS, NO_PROCESS, USER_THREADS, arrow_of, drawn, of_cpu,  # noqa: E402
                    of_thread)
from said import SAID, check_fields  # noqa: E402
from serve_folder import _served, in_ns, simulated_folder  # noqa: E402
from test_trace_activity import logged, switch  # noqa: E402
from trace_folder import HZ, packet  # noqa: E402

assert _served  # a fixture


def floor_ns(ticks):
    return math.floor(in_ns(ticks))


class Arrows:
    """Asks for the arrows of a folder."""

    def __init__(self, show):
        self.browser, self.last = show.browser, 5000
        show.slices(width=10)  # the trace is read

    def ask(self, of, begin, end, **more):
        self.last += 1
        return self.browser.do(type="ask", id=self.last, machine="t", what="arrows", of=of,
                               **{"from": begin, "to": end}, **more)

    def of(self, of, begin, end):
        """Returns the arrows, each as the export has it, and the answer."""
        answer = self.ask(of, begin, end)
        assert answer["type"] == "answer", answer
        check_fields(SAID["arrows"], answer["data"], "arrows")
        return [arrow_of(one) for one in answer["data"]["arrows"]], answer["data"]


def test_arrows_of_any_slice_are_those_of_the_export(kov, served, tmp_path):
    folder = tmp_path / "trace"
    simulated_folder(folder, steps=30000)  # more than are between two checkpoints
    every = drawn(kov("trace", "export", "-f", "chrome", folder).out)
    assert len(every) > 1000 and {name for name, _, _ in every} == {"wake", "call"}
    show = served(folder)
    arrows, chance, found = Arrows(show), random.Random(11), 0
    for _ in range(150):
        name, begin, end = chance.choice(every)
        time, track = chance.choice([begin, end])
        at = math.ceil(time * HZ / 1e9)  # the tick whose nanoseconds the export has
        edges = at - chance.choice([0, 50, 2500, 25000]), at + chance.choice([1, 50, 2500, 25000])
        low, high = map(floor_ns, edges)
        said, data = arrows.of(f"t:{track[1]}", *map(in_ns, edges))
        assert sorted(said) == of_thread(every, track, low, high), (name, track, low, high)
        cpu = track[1] // 100 - 1  # of the simulated machine: its threads stay
        said_of_cpu, _ = arrows.of(f"c:{cpu}", *map(in_ns, edges))
        assert sorted(said_of_cpu) == of_cpu(every, cpu, low, high, lambda one: one[1] // 100 - 1)
        assert data["forgotten"] == 0
        found += len(said)
    assert found > 150


def test_what_wakes_and_calls_and_what_stays_open(served, tmp_path):
    folder = trace_folder.write(tmp_path / "trace", {(0, 0): [packet(logged([
        switch(1000, 1, 4), (1500, "wake", 6, 1, 4, 0), (1550, "wake", 8, 1, 0, 0),
        (2000, "ipc_call", 0x10, 0xabc, 7, 8, 1, 2), switch(2100, 4, 5),
        (3000, "ipc_reply", 0xabc, 0, 8), (3100, "ipc_call", 0x10, 0xdef, 7, 8, 1, 2),
        switch(4000, 5, 4), (9000, "test0")]))],
        (0, 1): [packet(logged([switch(1000, 2, 3), switch(2500, 3, 6), switch(2700, 6, 3),
                                (9000, "test0")]), cpu=1)]})
    arrows = Arrows(served(folder))
    four, five, six = ((NO_PROCESS, thread) for thread in (4, 5, 6))
    wake = ("wake", (floor_ns(1500), four), (floor_ns(2500), six))
    call = ("call", (floor_ns(2000), four), (floor_ns(3000), five))

    def ask(of, begin, end):
        said, data = arrows.of(of, in_ns(begin), in_ns(end))
        return said, data["open"]

    assert ask("t:4", 1000, 2100) == ([wake, call], 1)  # who was woken second never ran
    assert ask("t:6", 2500, 2700) == ([wake], 0)   # its run
    assert ask("t:6", 1500, 2500) == ([wake], 0)   # while it was ready
    assert ask("t:6", 1000, 1500) == ([wake], 0)   # while it was blocked
    assert ask("t:6", 2700, 9000) == ([], 0)
    assert ask("t:4", 2100, 4000) == ([call], 0)   # while it waited for the answer
    assert ask("t:5", 2100, 4000) == ([call], 1)   # its own call is not answered
    assert ask("t:8", 1000, 2000) == ([], 1)       # woken, and does not run
    assert ask("c:1", 2500, 2600) == ([wake], 0)
    flags = [one["interrupt"] for one in arrows.of("t:4", in_ns(1000), in_ns(1600))[1]["arrows"]]
    assert flags == [False]


def test_an_interrupt_that_woke_a_thread_is_told(served, tmp_path):
    folder = trace_folder.write(tmp_path / "trace", {(0, 0): [packet(logged([
        switch(1000, 1, 4), (1500, "wake", 6, 0, 0, 7), switch(2500, 4, 6), (9000, "test0")]))]})
    (arrow,) = Arrows(served(folder)).of("t:6", in_ns(2500), in_ns(3000))[1]["arrows"]
    assert arrow["interrupt"] and arrow["begin"]["thread"] == 4


@pytest.mark.parametrize("of, begin, end, why", [
    ("t:", 0, 1e9, "of: c:CPU"), ("o:1:2", 0, 1e9, "of: c:CPU"), ("c:99", 0, 1e9, "of: c:CPU"),
    ("t:4294967295", 0, 1e9, "of: c:CPU"), ("t:4x", 0, 1e9, "of: c:CPU"),
    ("t:-4", 0, 1e9, "of: c:CPU"), ("t:4", 9e9, 1e9, "no slice"),
    ("t:4", 1e300, 1e301, "no slice")])
def test_slices_that_there_are_not_are_refused(served, tmp_path, of, begin, end, why):
    simulated_folder(tmp_path / "trace", steps=100)
    answer = Arrows(served(tmp_path / "trace")).ask(of, begin, end)
    assert answer["type"] == "error" and why in answer["message"], answer


def test_calls_without_answers_are_forgotten_and_told(served, tmp_path):
    """A call of which an earlier one has no answer costs no more than those before it."""
    calls = [(2000 + i, "ipc_call", 0x10, 100000 - i, 7, 8, 1, 2) for i in range(9000)]
    events = logged([switch(1000, 1, 4), *calls, (20000, "ipc_reply", 100000, 0, 8),
                     (20001, "ipc_reply", 91001, 0, 8), (20500, "test0")])
    packets = [packet(events[i:i + 1000], sequence=i // 1000) for i in range(0, len(events), 1000)]
    arrows = Arrows(served(trace_folder.write(tmp_path / "trace", {(0, 0): packets})))
    said, data = arrows.of("t:4", in_ns(20000), in_ns(20500))
    track = (NO_PROCESS, 4)
    assert said == [("call", (floor_ns(10999), track), (floor_ns(20001), track))]
    assert data["forgotten"] == 9000 - 8192
    said, data = arrows.of("t:4", in_ns(2000), in_ns(3000))
    assert data["open"] == 1000 - (9000 - 8192) and not said  # the others are forgotten


@pytest.mark.parametrize("seed", range(4))
def test_traces_of_anything_have_the_arrows_of_the_export(kov, served, tmp_path, seed):
    folder = trace_folder.random_folder(tmp_path / "trace", seed, count=60)
    every = drawn(kov("trace", "export", "-f", "chrome", folder).out)
    arrows = Arrows(served(folder))
    assert every
    for arrow in every:
        for time, (pid, number) in arrow[1:]:
            if pid != CPUS and number < USER_THREADS:
                said, _ = arrows.of(f"t:{number}", time - 1e9 / HZ, time + 2e9 / HZ)
                assert arrow in said
