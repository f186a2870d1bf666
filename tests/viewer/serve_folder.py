# SPDX-License-Identifier: MIT
"""A trace folder in `kov serve`, for tests: folders, and what is told of them."""

import collections

import pytest

import trace_folder
from browser import Browser, Gateway
from trace_folder import BY_NAME, HZ
from trace_simulated import Cpu, packets

UNKNOWN, IDLE, RUN, SYSCALL, IPC, FAULT, INTERRUPT, LOST = range(8)
NAMES = ["unknown", "idle", "run", "syscall", "ipc", "fault", "interrupt"]
EVERYTHING = (1 << 64) - 1
NOBODY = (1 << 32) - 1


def in_ns(ticks):
    return ticks * 1e9 / HZ


def in_ticks(time):
    ticks = time * HZ / 1e9
    assert abs(ticks - round(ticks)) < 1e-3
    return round(ticks)


class Served:
    """A browser of a gateway that shows one folder."""

    def __init__(self, browser):
        self.browser, self.last = browser, 0

    def threads(self, **parameters):
        return self.slices("threads", **parameters)

    def slices(self, kind="slices", **parameters):
        self.last += 1
        self.browser.say(type="watch", id=self.last, machine="t", kind=kind, **parameters)
        self.browser.until(lambda: self.last in self.browser.topics
                           or self.last in self.browser.stopped)
        assert self.last not in self.browser.stopped, self.browser.stopped[self.last]
        self.browser.say(type="unwatch", id=self.last)
        answer = self.browser.topics.pop(self.last)
        for row in answer["rows"]:
            row["from"], row["to"], row["time"] = (in_ticks(row[key])
                                                   for key in ("from", "to", "time"))
        return answer


@pytest.fixture(name="served")
def _served():
    opened = []

    def serve(folder, *more):
        gateway = Gateway("-m", f"t={folder}", *more)
        opened.append(gateway.__enter__())
        opened.append(Browser(gateway).__enter__())
        return Served(opened[-1])

    yield serve
    for one in reversed(opened):
        one.__exit__(None, None, None)


def simulated_machine(steps=4000, cpus=3, reasons=True):
    """Returns the CPUs of a simulated machine, which tells what it records."""
    machine = [Cpu(number, 7 + number, steps, reasons) for number in range(cpus)]
    for cpu in machine:
        cpu.events.insert(0, (cpu.events[0][0], BY_NAME["start"], (EVERYTHING,)))
        cpu.log("test0")  # tells what was until then
    return machine


def simulated_folder(path, steps=4000, cpus=3, reasons=True):
    """Writes the trace of such a machine. Returns its CPUs."""
    machine = simulated_machine(steps, cpus, reasons)
    trace_folder.write(path, {(0, cpu.number): packets(cpu) for cpu in machine})
    return machine


def intervals_of(kov, folder):
    result = kov("trace", "show", folder, "--activity", "--json")
    assert result.code == 0, result.err
    return result.json["intervals"]


def expect_equal(rows, intervals):
    """Expects each CPU's sums and numbers by activity over what its rows cover."""
    rows = [row for row in rows if row["activity"] != LOST]
    for cpu in {row["cpu"] for row in rows}:
        own = [row for row in rows if row["cpu"] == cpu]
        begin, end = min(row["from"] for row in own), max(row["to"] for row in own)
        times, counts = collections.Counter(), collections.Counter()
        for one in intervals:
            ticks = min(one["to_ticks"], end) - max(one["from_ticks"], begin)
            if one["cpu"] == cpu and ticks > 0:
                times[one["activity"]] += ticks
                counts[one["activity"]] += 1
        found, number = collections.Counter(), collections.Counter()
        for row in own:
            found[NAMES[row["activity"]]] += row["time"]
            number[NAMES[row["activity"]]] += row["count"]
        assert found == times and number == counts
