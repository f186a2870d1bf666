# SPDX-License-Identifier: MIT
"""matmul under the three schedulers of S003 §3, as a monitor shows it, where a nanosecond is an
instruction."""

import re

import pytest

from matmul_figures import POLICIES, run_recorded

pytestmark = [pytest.mark.long, pytest.mark.minutes]

COLLECTED = re.compile(r"matmul: \d+ reads, (\d+) records \((\d+) switches, (\d+) of threads\), "
                       r"(\d+) lost")


class Run:
    """What a monitor of the host and the program's own one say of one run."""

    def __init__(self, machine, folder, policy):
        folder = str(folder / policy)
        said = run_recorded(machine, folder, policy)
        assert "is right" in said, said
        self.ms = int(re.search(r"matmul: (\d+) ms", said)[1])
        self.collected = [int(word) for word in COLLECTED.search(said).groups()]
        self.shown = machine.kov("monitor", "show", "--check", folder)
        self.events = machine.kov("trace", "show", folder)["events"]
        self.threads = {row["name"].split("/")[0].strip(): row for row in self.shown["threads"]}

    def mean_slice(self):
        """Of the multiply threads."""
        rows = [row for name, row in self.threads.items() if name.startswith("mult")]
        assert len(rows) == 6
        return sum(row["run"] for row in rows) / sum(row["runs"] for row in rows)

    def longest_wait(self):
        """Of the collector: a part of the run."""
        return self.threads["collect"]["longest_ready"] * 1000 / self.ms


@pytest.fixture(scope="module", name="runs")
def _runs(pool, tmp_path_factory):
    machine = pool.lend(cpus=1, icount=True)
    folder = tmp_path_factory.mktemp("matmul")
    return {policy: Run(machine, folder, policy) for policy in POLICIES}


def test_growing_slices_are_four_times_as_long(runs):
    assert runs["growing"].mean_slice() >= 4 * runs["fixed"].mean_slice()
    assert runs["fixed"].mean_slice() == pytest.approx(0.01, rel=0.1)


def test_the_collector_starves_by_the_bug_alone(runs):
    assert runs["starving"].longest_wait() > 1 / 2
    assert runs["growing"].longest_wait() < 1 / 4
    assert runs["fixed"].longest_wait() < 1 / 4


def test_both_monitors_have_seen_the_same(runs):
    """The program's own one is resumed later and suspended earlier than the host's, and both lose
    nothing."""
    for run in runs.values():
        assert run.ms >= 8000
        records, switches, threads, lost = run.collected
        assert lost == 0 and records == switches + threads
        seen = [event["event"] for event in run.events]
        assert 0 <= seen.count("MONITOR:thread") - threads <= 60
        assert 0 <= seen.count("MONITOR:switch") - switches <= 200
        assert [sensor["name"] for sensor in run.shown["sensors"]] == ["phase"]
        assert [sensor["count"] for sensor in run.shown["sensors"]] == [3]


def test_one_thread_runs_at_a_time(runs):
    """By the records themselves: no two threads of the library have the CPU, and each comes before
    it leaves."""
    for run in runs.values():
        has = None
        for event in run.events:
            if event["event"] != "MONITOR:thread":
                continue
            word = int(event["fields"]["word0"], 16)
            what, number = word & 0xffffffff, word >> 32
            assert (has is None) if what == 1 else has in (number, None)
            has = None if what == 0 else number


def test_rows_add_up_to_the_dispatcher(runs):
    """A thread runs while its dispatcher does, and only then."""
    for run in runs.values():
        process, = [row for row in run.shown["threads"] if "thread" not in row]
        own = sum(row["run"] for row in run.shown["threads"] if "thread" in row)
        assert own <= process["run"] and own == pytest.approx(process["run"], rel=0.01)
