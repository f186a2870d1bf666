# SPDX-License-Identifier: MIT
"""Tools that answer from a trace, on a real recording: what they say is what a count by hand of `kov trace show` says."""

from collections import defaultdict

import pytest

pytestmark = pytest.mark.long


class Recording:
    """A folder with what happened while four CPUs contended for locks, and its events as kov shows them."""

    def __init__(self, machine, folder):
        self.machine, self.folder = machine, str(folder)
        machine.kov("trace", "record", "-o", self.folder, "-e", "SCHED,LOCK,EXC,IRQ,TIMER,USER",
                    "--", "contention", "seconds=2")
        shown = self.tool("show")
        self.hz = shown["hz"]
        self.events = [event for event in shown["events"] if event["event"] != "lost"]
        self.losses = [event for event in shown["events"] if event["event"] == "lost"]

    def tool(self, name, *options):
        return self.machine.kov("trace", name, self.folder, *options)

    def named(self, name):
        return [event for event in self.events if event["event"] == name]


@pytest.fixture(scope="module", name="recording")
def record_contention(pool, tmp_path_factory):
    return Recording(pool.lend(cpus=4, pmu="model"), tmp_path_factory.mktemp("tools") / "trace")


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
