# SPDX-License-Identifier: MIT
"""kov trace compare of simulated machines, against the same numbers worked out in Python."""

import collections
import csv
import functools
import io
import math

import pytest

import trace_folder
from trace_folder import BY_NAME, HZ, packet
from trace_simulated import SERVER_PID, Cpu, packets

STEPS = 3000
SOME = 5  # intervals with a call, below which nobody knows how calls differ
NAMES = ("count", "each", "time")


@functools.cache
def quantile(freedom):
    """Returns the 99 % two-sided quantile of Student's distribution, by adding up its density."""
    factor = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) \
        / math.sqrt(freedom * math.pi)
    part, at, step = 0, 0, 1e-4
    while part < 0.495:
        part += step * factor * (1 + (at + step / 2) ** 2 / freedom) ** (-(freedom + 1) / 2)
        at += step
    return at


@pytest.mark.parametrize("freedom, known", [(4, 4.6041), (9, 3.2498), (99, 2.6264)])
def test_quantiles_are_those_of_the_tables(freedom, known):
    assert quantile(freedom) == pytest.approx(known, abs=3e-4)


class Recorded(Cpu):
    """A machine that remembers what began and ended when: (table, key, from, to)."""

    def __init__(self, *arguments):
        self.spent, self.ended, self.faults = [], [], {}
        super().__init__(*arguments)

    def pass_time(self, ticks):
        begin = self.time
        for thread in self.threads:
            part = thread.does() if thread is self.running else thread.off
            self.spent.append((thread.pid, part, begin, begin + ticks))
        super().pass_time(ticks)

    def span_ends(self, since, number, failed=False):
        self.ended.append(("syscalls", self.running.pid, number, since, self.time))
        super().span_ends(since, number, failed)

    def fault(self):
        super().fault()
        self.faults[self.running] = self.time

    def end_fault(self):
        since = self.faults.pop(self.running)
        self.ended.append(("faults", self.running.pid, ("read", "done"), since, self.time))
        super().end_fault()

    def reply(self):
        server = self.server
        self.ended.append(("calls", server.client.pid, (f"process {SERVER_PID}", server.method),
                           server.since, self.time))
        super().reply()


class Recording:
    def __init__(self, folder, seed, steps=STEPS, hz=HZ):
        self.cpus = [Recorded(number, 10 * seed + number, steps) for number in (0, 1)]
        self.begin, self.hz, self.folder = 1000, hz, folder
        self.end = max(cpu.time for cpu in self.cpus)
        for cpu in self.cpus:
            cpu.pass_time(self.end - cpu.time)
            cpu.log("test0")
        trace_folder.write(folder, {(0, cpu.number): packets(cpu) for cpu in self.cpus})
        metadata = folder / "metadata"
        metadata.write_text(metadata.read_text().replace(f"freq = {HZ}", f"freq = {hz}"))
        assert f"freq = {hz}" in metadata.read_text()

    def interval(self, when, count):
        return min((when - self.begin) * count // (self.end - self.begin), count - 1)

    def rows(self, count, pid=None):
        """Returns, by table and key, ticks and counts of each interval."""
        found = collections.defaultdict(lambda: ([0] * count, [0] * count))
        length = self.end - self.begin
        for cpu in self.cpus:
            for process, part, begin, end in cpu.spent:
                if process is None or pid not in (None, process):
                    continue
                ticks, _ = found["processes", (f"process {process}", part)]
                for i in range(self.interval(begin, count), self.interval(end, count) + 1):
                    low, high = (self.begin + -(-length * at // count) for at in (i, i + 1))
                    ticks[i] += max(0, min(end, high) - max(begin, low))
            for table, process, key, begin, end in cpu.ended:
                if pid not in (None, process):
                    continue
                ticks, counts = found[table, key]
                ticks[self.interval(end, count)] += end - begin
                counts[self.interval(end, count)] += 1
        return {key: values for key, values in found.items() if any(values[0]) or any(values[1])}

    def estimates(self, values, total):
        ticks, counts = values
        n = len(ticks)
        seconds = (self.end - self.begin) / n / self.hz
        scale = n if total else 1 / seconds

        def mean(numbers):
            average = sum(numbers) / n
            deviation = math.sqrt(sum((x - average) ** 2 for x in numbers) / (n - 1))
            return scale * average, scale * quantile(n - 1) * deviation / math.sqrt(n)

        found = {"count": mean(counts), "time": mean([x / self.hz for x in ticks])}
        if sum(counts) > 0:
            each, error = sum(ticks) / sum(counts), math.inf
            told = sum(c != 0 for c in counts)
            if told >= SOME:
                rest = sum((x - each * c) ** 2 for x, c in zip(ticks, counts)) / (told - 1)
                error = quantile(told - 1) * math.sqrt(rest * told) / sum(counts)
            found["each"] = each / self.hz, error / self.hz
        return found


KEYS = {
    "processes": lambda row: (row["process"], row["part"]),
    "syscalls": lambda row: row["number"],
    "faults": lambda row: (row["access"], row["result"]),
    "calls": lambda row: (row["server"], row["method"]),
}


def check(found, recordings, count, total=False, pid=None):
    """Compares all rows of all tables. Returns how many of them are sure."""
    sides = [recording.rows(count, pid) for recording in recordings]
    keys = {(table, key(row)): row for table, key in KEYS.items() for row in found[table]}
    assert set(keys) == set(sides[0]) | set(sides[1])
    sure = 0
    nothing = [0] * count, [0] * count
    for (table, key), row in keys.items():
        before, after = (recording.estimates(side.get((table, key), nothing), total)
                         for recording, side in zip(recordings, sides))
        for name in NAMES if table != "processes" else ("time",):
            if name not in before or name not in after:
                assert row[f"{name}_change"] is None and not row[f"{name}_sure"]
                continue
            (old, off), (new, new_off) = before[name], after[name]
            expected = (old, off, new, new_off, new - old, math.hypot(off, new_off))
            told = [row[f"{name}_{what}"] for what in (
                "before", "before_error", "after", "after_error", "change", "change_error")]
            assert [math.inf if value is None else value for value in told] == \
                [pytest.approx(value, rel=3e-3, abs=1e-4 * max(old, new))
                 for value in expected], (table, key, name)
            if not math.isclose(abs(new - old), math.hypot(off, new_off), rel_tol=0.02):
                assert row[f"{name}_sure"] == (abs(new - old) > math.hypot(off, new_off))
            sure += row[f"{name}_sure"]
    return sure


def compare(kov, *recordings, options=()):
    result = kov("trace", "compare", *(recording.folder for recording in recordings), "--json",
                 *options)
    assert result.code == 0, result.err
    return result.json


@pytest.mark.long
@pytest.mark.parametrize("seed, count", [(0, 5), (1, 10), (2, 20), (3, 100)])
def test_every_number_is_that_of_the_intervals(kov, tmp_path, seed, count):
    """The recordings have different lengths and time bases."""
    recordings = [Recording(tmp_path / "before", seed),
                  Recording(tmp_path / "after", seed + 100, 2 * STEPS, HZ // 2)]
    found = compare(kov, *recordings, options=("--intervals", count))
    assert check(found, recordings, count) > 0  # the slower time base
    assert found["not_compared"] == [] and found["intervals"] == count
    assert [found[side]["hz"] for side in ("before", "after")] == [HZ, HZ // 2]


def test_totals(kov, tmp_path):
    recordings = [Recording(tmp_path / "before", 5), Recording(tmp_path / "after", 6, 2 * STEPS)]
    check(compare(kov, *recordings, options=("--total",)), recordings, 10, total=True)


def test_one_process(kov, tmp_path):
    recordings = [Recording(tmp_path / "before", 7), Recording(tmp_path / "after", 8)]
    found = compare(kov, *recordings, options=("--process", "process 8"))
    check(found, recordings, 10, pid=8)
    assert {row["process"] for row in found["processes"]} == {"process 8"}


def test_a_recording_is_as_itself(kov, tmp_path):
    recording = Recording(tmp_path / "trace", 9)
    found = compare(kov, recording, recording)
    assert check(found, [recording, recording], 10) == 0
    table = kov("trace", "compare", recording.folder, recording.folder).out
    assert " ~" in table and "%" not in table.replace("(99 %)", "") and " new" not in table


# ---- planted changes -----------------------------------------------------------------------------

INTERVALS, EVENTS = 10, 20
STEP = 10000


def planted(folder, kick=100, timer=100, wait=50, hold=80, more=()):
    """Plants in each interval equally many calls, waits and holds, equally long but for a few
    ticks."""
    events, when = [(0, "switch", 4, 5, 2, 2)], 0
    for turn in range(INTERVALS * EVENTS):
        when, off = turn * STEP, turn * 7 % 5
        for number, ticks in ((9, kick), (10, timer), *((number, 100) for number in more)):
            events += [(when + 10, "syscall_enter", number, 0),
                       (when + 10 + ticks + off, "syscall_exit", number, 0)]
            when += 1000
        events += [(when + 500, "lock_contended", 0x9000 + 16 * turn, 3, wait + off, 0xaaa),
                   (when + 510, "lock_take", 0x9000, 0, 0xbbb),
                   (when + 510 + hold + off, "lock_release", 0x9000, 0)]
    events.append((INTERVALS * EVENTS * STEP, "test0"))
    logged = [(time + 1000, BY_NAME[name], values) for time, name, *values in events]
    return trace_folder.write(folder, {(0, 0): [packet(logged[i:i + 500], sequence=i // 500)
                                                for i in range(0, len(logged), 500)]})


def row_of(found, table, **wanted):
    row, = (row for row in found[table]
            if all(row[name] == value for name, value in wanted.items()))
    return row


def test_what_became_slower_is_first(kov, tmp_path):
    """A half more is a change. What did not change is chance, and so is one tick in a hundred where
    lengths vary by more."""
    before = planted(tmp_path / "before")
    after = planted(tmp_path / "after", kick=150, wait=75, hold=160)
    found = kov("trace", "compare", before, after, "--json").json
    assert [(row["number"], row["each_sure"], row["time_sure"]) for row in found["syscalls"]] == \
        [(9, True, True), (10, False, False)]
    for table, wanted, low, high in (("syscalls", {"number": 9}, 102, 152),
                                     ("waits", {"chain": "0xaaa"}, 52, 77),
                                     ("holds", {"chain": "0xbbb", "kind": "spin"}, 82, 162)):
        row = row_of(found, table, **wanted)
        assert [row["each_before"], row["each_after"], row["each_percent"]] == [
            pytest.approx(low / HZ, rel=1e-4), pytest.approx(high / HZ, rel=1e-4),
            pytest.approx(100 * (high - low) / low, rel=1e-4)]
        assert row["each_sure"] and not row["count_sure"]
    table = kov("trace", "compare", before, after).out
    assert "+49.0 % ± " in table


def test_what_came_and_what_went(kov, tmp_path):
    before, after = planted(tmp_path / "before"), planted(tmp_path / "after", more=(11,))
    found = kov("trace", "compare", before, after, "--json").json
    row = row_of(found, "syscalls", number=11)
    assert row["count_sure"] and row["count_percent"] is None and row["each_before"] is None
    assert " new" in kov("trace", "compare", before, after).out
    back = kov("trace", "compare", after, before, "--json").json
    assert row_of(back, "syscalls", number=11)["count_percent"] == -100


def test_what_one_does_not_tell_is_not_compared(kov, tmp_path):
    recording, lone = Recording(tmp_path / "before", 1), planted(tmp_path / "after")
    found = kov("trace", "compare", recording.folder, lone, "--json").json
    assert {(row["table"], row["nothing"]) for row in found["not_compared"]} == {
        ("waits", "before"), ("holds", "before"), ("faults", "after"), ("calls", "after")}
    assert all(found[table] is None for table in ("waits", "holds", "faults", "calls"))
    assert set(found["not_recorded"]) >= {"LOCK", "LOCKHOLD", "FAULT", "IPC"}
    assert found["syscalls"] != []
    assert "faults: not compared, the second recording tells of none" in \
        kov("trace", "compare", recording.folder, lone).out


# ---- what is shown, what is refused --------------------------------------------------------------

def test_table_and_csv(kov, tmp_path):
    before, after = planted(tmp_path / "before"), planted(tmp_path / "after", kick=150)
    found = kov("trace", "compare", before, after, "--json").json
    sheets = kov("trace", "compare", before, after, "--csv").out.split("\n\n")
    for name, sheet in zip(("processes", "syscalls", "faults", "calls", "waits", "holds"), sheets,
                           strict=True):
        rows = list(csv.DictReader(io.StringIO(sheet)))
        assert len(rows) == len(found[name] or [])
        for as_csv, as_json in zip(rows, found[name] or []):
            assert float(as_csv["time_change"]) == as_json["time_change"]
    one = kov("trace", "compare", before, after, "-n", "1", "--json").json
    assert one["syscalls"] == found["syscalls"][:1]


def test_a_time_within(kov, tmp_path):
    """Both halves of a recording are compared, each from its own beginning."""
    folder = planted(tmp_path / "trace")
    half = INTERVALS * EVENTS * STEP / HZ / 2
    found = kov("trace", "compare", folder, folder, "--from", f"+{half:.9f}", "--json").json
    assert found["before"]["seconds"] == pytest.approx(half, rel=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_whatever_the_events_say_it_ends_well(kov, tmp_path, seed):
    folders = [trace_folder.random_folder(tmp_path / name, seed + more, count=20)
               for name, more in (("before", 0), ("after", 100))]
    result = kov("trace", "compare", *folders, "--json")
    assert result.code == 0, result.err
    assert result.json["lost_packets"] > 0


@pytest.mark.parametrize("arguments, message", [
    ((), "name two recordings"), (("trace",), "name two recordings"),
    (("trace", "nowhere"), "nowhere"), (("trace", "trace", "--intervals", "4"), "--intervals 4"),
    (("trace", "trace", "--from", "x"), "--from x"), (("trace", "one"), "too short"),
])
def test_a_wrong_option_is_refused(kov, tmp_path, arguments, message):
    trace_folder.random_folder(tmp_path / "trace", 1)
    trace_folder.write(tmp_path / "one", {(0, 0): [packet([(5, BY_NAME["test0"], ())])]})
    result = kov("trace", "compare", *arguments)
    assert result.code != 0 and message in result.err and result.out == "", result.err
