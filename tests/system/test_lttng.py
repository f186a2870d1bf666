# SPDX-License-Identifier: MIT
"""kov trace live: babeltrace2 attaches to the running machine and sees what kov itself wrote."""

import array
import collections
import os
import re
import signal
import subprocess
import time

import pytest

from machine import Machine
from waiting import PATIENCE, wait_for

pytestmark = pytest.mark.long

SECONDS = int(os.environ.get("ORRERY_LIVE_SECONDS", "60"))
PAUSE = 2  # seconds between two storms
LINE = re.compile(r"^\[(\d+)\] (.*)$")
STREAM = re.compile(r"(?:pid = (\d+), )?"
                    r"events_overwritten = \d+, event_count = \d+, cpu_id = (\d+)")
LATE = re.compile(r"(\d+) packets given to them, (\d+) came too late, (\d+) were not taken")


class Live:
    """A running `kov trace live` that also writes a folder."""

    def __init__(self, machine, folder, *options):
        self.folder = str(folder)
        self.process = subprocess.Popen(
            machine.kov_command("trace", "live", "--lttng", "0", "-o", self.folder, *options),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().split()[-1]

    def end(self):
        """The account: packets given, late, not taken."""
        self.process.send_signal(signal.SIGINT)
        said, complaints = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, said + complaints
        return [int(number) for number in LATE.search(said).groups()], complaints


class Viewer:
    """babeltrace2 attached to it, until the trace ends."""

    def __init__(self, live, folder, name):
        self.path = folder / name
        self.output = self.path.open("w", encoding="utf-8")
        self.process = subprocess.Popen(
            ["babeltrace2", "--clock-cycles", "--no-delta", "-i", "lttng-live", live.url,
             "--params", 'session-not-found-action="end"'],
            stdout=self.output, stderr=subprocess.PIPE, text=True)

    def wait_for_events(self):
        wait_for(lambda: self.path.stat().st_size > 0, "events of babeltrace2")

    def end(self):
        _, complaints = self.process.communicate(timeout=PATIENCE)
        self.output.close()
        assert self.process.returncode == 0, complaints
        return self.path.read_text(encoding="utf-8").splitlines(), complaints


def by_stream(lines):
    """Events of each (pid, CPU), in order, and the whole's times."""
    streams, times = collections.defaultdict(list), []
    for line in lines:
        time, text = LINE.match(line).groups()
        pid, cpu = STREAM.search(text).groups()
        streams[int(pid or 0), int(cpu)].append(line)
        times.append(int(time))
    return streams, times


def recorded(folder):
    done = subprocess.run(["babeltrace2", "--clock-cycles", "--no-delta", folder], check=True,
                          capture_output=True, text=True, timeout=PATIENCE)
    return by_stream(done.stdout.splitlines())[0]


def check(lines, expected):
    """What a viewer saw: in order, and of each stream everything from where it came in."""
    streams, times = by_stream(lines)
    assert times == sorted(times)
    assert streams.keys() <= expected.keys()
    for stream, events in streams.items():
        assert events == expected[stream][-len(events):], stream
    return streams


@pytest.fixture(scope="module", name="machine")
def boot(tmp_path_factory):
    with Machine(str(tmp_path_factory.mktemp("live")), "live", cpus=2) as machine:
        yield machine.wait_ready()


def storm(machine, events=20000):
    return machine.kov("workload", "run", "trace-storm", f"events={events}")


def test_babeltrace2_sees_the_kernel_under_load(machine, tmp_path):
    live = Live(machine, tmp_path / "trace", "--pid", "0", "-e", "SCHED,TEST,IRQ")
    viewer = Viewer(live, tmp_path, "seen")
    viewer.wait_for_events()
    storm(machine)
    (given, late, left), said = live.end()
    lines, complaints = viewer.end()
    assert (late, left, said, complaints) == (0, 0, "", "") and given > 0
    streams = check(lines, recorded(live.folder))
    assert streams.keys() == {(0, 0), (0, 1)}
    assert sum(": test" in line or " test" in line for line in lines) > 20000


def test_two_viewers_see_processes_too(machine, tmp_path):
    """What came too late for one, which is counted, is all that it lacks; babeltrace2 says so,
    too."""
    live = Live(machine, tmp_path / "trace", "-e", "SCHED,USER,IPC")
    viewers = [Viewer(live, tmp_path, name) for name in ("one", "other")]
    for viewer in viewers:
        viewer.wait_for_events()
    machine.kov("ps")
    (_, late, left), _ = live.end()
    expected = recorded(live.folder)
    assert left == 0
    for viewer in viewers:
        lines, complaints = viewer.end()
        streams = by_stream(lines)[0]
        assert any(pid != 0 for pid, _ in streams)
        if late == 0:
            check(lines, expected)
            assert complaints == ""


# ---- for a long time -----------------------------------------------------------------------------


class Seen:
    """The lines of a viewer, as numbers by stream: there are many."""

    def __init__(self, path, cut=False):
        """cut: the viewer was killed, so that its last line may be a part of one."""
        self.streams, self.last, self.count = {}, 0, 0
        held = None
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                if held is not None:
                    self.take(held)
                held = line
        if held is not None and not cut:
            self.take(held)

    def take(self, line):
        when, text = LINE.match(line).groups()
        pid, cpu = STREAM.search(text).groups()
        assert int(when) >= self.last, line
        self.last, self.count = int(when), self.count + 1
        self.streams.setdefault((int(pid or 0), int(cpu)), array.array("q")).append(hash(line))

    def part_of(self, whole, until_the_end):
        """Of each stream, all events from the first one on, and up to the last one of all."""
        for stream, events in self.streams.items():
            expected = whole.streams[stream]
            begin = len(expected) - len(events) if until_the_end else expected.index(events[0])
            assert expected[begin:begin + len(events)] == events, stream
            assert until_the_end or begin + len(events) < len(expected), stream


def see_recorded(folder, path):
    with path.open("w", encoding="utf-8") as output:
        subprocess.run(["babeltrace2", "--clock-cycles", "--no-delta", folder], check=True,
                       stdout=output, timeout=PATIENCE)
    return Seen(path)


@pytest.mark.minutes
@pytest.mark.parametrize("options", [["--pid", "0", "-e", "SCHED,TEST,IRQ"], ["-e", "SCHED,USER"]],
                         ids=["kernel", "processes"])
def test_viewers_come_and_go_for_minutes(machine, tmp_path, options):
    """ORRERY_LIVE_SECONDS: for so long. One viewer stays, one is killed in the middle, another
    comes then. What they see equals the recording of the same time."""
    live, begin = Live(machine, tmp_path / "trace", *options), time.monotonic()
    stays, killed = (Viewer(live, tmp_path, name) for name in ("stays", "killed"))
    for viewer in (stays, killed):
        viewer.wait_for_events()
    comes = None
    while time.monotonic() < begin + SECONDS or comes is None:
        storm(machine, 2000)
        assert live.process.poll() is None
        if comes is None and time.monotonic() >= begin + SECONDS / 2:
            killed.process.kill()
            killed.process.communicate()
            comes = Viewer(live, tmp_path, "comes")
        time.sleep(PAUSE)
    comes.wait_for_events()
    (given, late, _), said = live.end()
    for viewer in (stays, comes):
        _, complaints = viewer.process.communicate(timeout=PATIENCE)
        assert viewer.process.returncode == 0 and (late > 0 or complaints == ""), complaints
    assert said == "" and given > 0
    whole = see_recorded(live.folder, tmp_path / "recorded")
    seen = {"stays": Seen(stays.path), "killed": Seen(killed.path, cut=True),
            "comes": Seen(comes.path)}
    print(f"{SECONDS} s: {whole.count} events, {late} packets late; seen:",
          {name: one.count for name, one in seen.items()})
    assert seen["stays"].streams.keys() <= whole.streams.keys()
    assert 0 < seen["killed"].count < seen["stays"].count > seen["comes"].count > 0
    if "--pid" in options:
        assert late == 0 and all(one.streams.keys() == {(0, 0), (0, 1)} for one in seen.values())
    for name, one in seen.items() if late == 0 else ():
        one.part_of(whole, until_the_end=name != "killed")
