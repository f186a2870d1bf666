# SPDX-License-Identifier: MIT
"""Sampling by hardware events: kov record -e, report -e, top -e. Also thresholds that change
meanwhile."""

import math
import os
import pty
import select
import subprocess
import time

import dci_pb2 as dci
import pytest

from conftest import KOV
from machine import E_BUSY, E_LIMIT, E_NOENT, PATIENCE, add_samples, counted, sampling_stat

LARX = 16 + 12  # of machine.pmu_events
QUANTILE_99 = 2.576
UNSEEN = 7  # of 77 overflows of larx; they may have been anybody's


def asked(machine):
    """Returns the events of the last start: [(event, mode, period, randomise)]."""
    return [(event.event, event.mode, event.period, event.randomise)
            for event in machine.asked("sampling_start")[-1].events]


@pytest.fixture
def sampling(machine):
    """Makes samples: larx in user mode every 5000, objects 1:2:4; of instructions 10, and 2
    idle."""
    add_samples(machine, {(0x1010, 0x100): 10, (0x1020, 0x200): 20, (0x1030, 0x300): 40}, lost=3)
    add_samples(machine, {(0x1010, 0x100): 10}, cpu=1, index=1)
    add_samples(machine, {(0, 0x100): 2}, cpu=1, index=1, flags=dci.SAMPLE_KERNEL | dci.SAMPLE_IDLE)
    sampling_stat(machine, 0).missed = 4
    sampling_stat(machine, 0).overflows = 77
    return machine


def record(kov, machine, *options):
    return kov("record", "-e", "larx:u@5000,instructions@10000000", "-d", "0.1", *options,
               machine=machine)


def table(report, event, key):
    return next(table["rows"] for table in report["tables"]
                if (table["event"], table["sort"]) == (event, [key]))


# ---- how far off


def test_what_has_no_sample_may_be_of_any_row(kov, sampling):
    """Of 77 overflows of larx 7 have no sample: 35,000 events, which may all be missing in a row.
    instructions have all of theirs."""
    made = record(kov, sampling, "--json").json
    found = kov("report", "--json", "--idle").json
    for event, count, unseen in (("larx", 70, UNSEEN * 5000), ("instructions", 12, 0)):
        period = next(one["period"] for one in made["events"] if one["event"] == event)
        rows = {row["object"].split()[-1]: row for row in table(found, event, "object")}
        for row, samples in ((made["events"], count), (found["events"], count),
                             *(([one], one["samples"]) for one in rows.values())):
            one = next(one for one in row if one.get("event", event) == event)
            assert one["events"] == samples * period, one
            chance = QUANTILE_99 * math.sqrt(samples) * period
            assert one["events_error"] == pytest.approx(chance + unseen, rel=1e-4), one
    assert f"{100 * (QUANTILE_99 * math.sqrt(70) + UNSEEN) / 70:.2f} %" in kov("report").out


# ---- what is asked for


def test_events_have_modes_thresholds_and_defaults(kov, machine):
    record(kov, machine, "-e", "larx:k,run-cycles,cycles,mispredicted")
    assert asked(machine) == [
        (LARX, dci.COUNT_MODE_USER, 5000, 10), (16 + 10, dci.COUNT_MODE_ALL, 10000000, 10),
        (LARX, dci.COUNT_MODE_KERNEL, 1000, 9), (1, dci.COUNT_MODE_ALL, 1000000, 10),
        (16 + 11, dci.COUNT_MODE_ALL, 100000, 10), (16 + 16, dci.COUNT_MODE_ALL, 10000, 10)]


def test_c_is_the_threshold_of_those_without_one_and_f_the_rate(kov, machine):
    kov("record", "-e", "larx:u@5000,instructions", "-d", "0.1", "-c", "2000", "--randomise", "3",
        machine=machine)
    assert asked(machine) == [(LARX, dci.COUNT_MODE_USER, 5000, 3),
                              (26, dci.COUNT_MODE_ALL, 2000, 3)]
    machine.count_of = lambda cpu, item, reading: counted(
        [(100, 12000000 * (cpu + 1))], 100)
    kov("record", "-e", "run-cycles,larx", "-F", "200", "-d", "0.1", machine=machine)
    assert [event[2] for event in asked(machine)] == [5000000, 60000]


def test_precise_thresholds_may_be_short(kov, machine):
    result = kov("record", "-e", "larx", "-c", "16", "--precise", "-d", "0.1", "--json",
                 machine=machine)
    assert result.code == 0 and result.json["precise"]
    assert machine.asked("sampling_start")[0].precise
    assert asked(machine) == [(LARX, dci.COUNT_MODE_ALL, 16, 3)], "random bits as far as they fit"


@pytest.mark.parametrize("options, word", [
    (("-e", "nonsense"), " events`"), (("-e", "larx:x"), "u (user) or k (kernel)"),
    (("-e", "larx,larx"), "twice"),
    (("-e", "larx@5"), "threshold"), (("-e", "larx", "-c", "999"), "less than 1000"),
    (("-e", "larx@5000", "-F", "10"), "of its own"),
    (("--precise",), "interrupts only"),
    (("-e", "larx,run-cycles", "--precise"), "interrupts only"),
    (("-e", "run-cycles:u"), "user and kernel at once"),
    (("-e", "larx", "-c", "1000", "--randomise", "10"), "less than"),
    (("-e", "larx", "-c", "5000", "-F", "10"), "either"),
    (("-e", ",".join(f"{name}:{mode}" for mode in "uk" for name in (
        "instructions", "cycles", "larx", "stcx", "stcx-failed", "branches", "mispredicted",
        "itlb-miss", "dtlb-miss"))), "at most 16")])
def test_what_cannot_be_sampled_is_told_and_starts_nothing(kov, machine, tmp_path, options, word):
    result = kov("record", "-d", "0.1", *options, machine=machine)
    assert result.code == 2 and word in result.err, result.err
    assert not machine.asked("sampling_start") and not list(tmp_path.iterdir())


def test_a_machine_without_the_unit_has_run_cycles(kov, machine):
    machine.pmu_events = []
    result = kov("record", "-e", "larx", "-d", "0.1", machine=machine)
    assert result.code == 2 and "without the model unit" in result.err
    assert kov("record", "-e", "run-cycles", "-d", "0.1", machine=machine).code == 0


@pytest.mark.parametrize("error, message", [
    (E_LIMIT, "larx, stcx: 2 events, only counter 5"),
    (E_BUSY, "another program of the machine samples")])
def test_the_machines_refusals_are_told_in_its_words(kov, machine, error, message):
    machine.errors["sampling_start"] = (error, message)
    result = kov("record", "-e", "larx,stcx", machine=machine)
    assert result.code == 1 and message in result.err


# ---- what came


def test_each_event_has_its_counts(kov, sampling):
    result = record(kov, sampling, "--json").json
    assert (result["samples"], result["lost"], result["missed"]) == (82, 3, 4)
    larx, instructions = result["events"]
    assert (larx["event"], larx["mode"], larx["period"]) == ("larx", "user", 5000)
    assert (larx["samples"], larx["taken"], larx["lost"], larx["missed"],
            larx["overflows"]) == (70, 70, 3, 4, 77)
    assert larx["events"] == 70 * 5000
    assert larx["events_error"] == pytest.approx((QUANTILE_99 * math.sqrt(70) + UNSEEN) * 5000,
                                                 rel=1e-4)
    assert (instructions["samples"], instructions["idle"], instructions["lost"]) == (12, 2, 0)
    assert [cpu["samples"] for cpu in larx["cpus"]] == [70, 0]
    assert [cpu["samples"] for cpu in instructions["cpus"]] == [0, 12]


def test_what_was_sampled_in_turns_is_scaled(kov, sampling):
    """70 samples stand for 5000 each, of a quarter of the time. The other event was sampled all the
    time."""
    sampling_stat(sampling, 0).turns.CopyFrom(dci.SamplingTurns(measured=250, total=1000, turns=10))
    result = record(kov, sampling, "--json").json
    larx, instructions = result["events"]
    assert (larx["time_percent"], larx["turns"], larx["events"]) == (25, 10, 4 * 70 * 5000)
    assert (instructions["time_percent"], instructions["turns"]) == (100, 0)
    # All of them in one turn of ten: the turns differ as much as they can.
    turns = (70 ** 2 - 70 ** 2 / 10) * 10 / 9
    assert larx["events_error"] == pytest.approx(
        4 * 5000 * (QUANTILE_99 * math.sqrt(70 + turns) + UNSEEN), rel=1e-4)
    rows = table(kov("report", "--json").json, "larx", "object")
    assert [row["events"] for row in rows] == [4 * 5000 * count for count in (40, 20, 10)]
    text = record(kov, sampling).out
    assert "25.00 %" in text and "100.00 %" in text


def test_a_difference_in_one_event_is_told(kov, sampling):
    sampling_stat(sampling, 1, 1).taken += 1
    result = record(kov, sampling)
    assert result.code == 1
    assert "CPU 1 took 13 samples of instructions, but 12 arrived" in result.err


def test_a_report_has_tables_for_each_event(kov, sampling):
    record(kov, sampling)
    report = kov("report", "--json").json
    rows = table(report, "larx", "object")
    assert [(row["samples"], row["events"])
            for row in rows] == [(40, 200000), (20, 100000), (10, 50000)]
    assert rows[0]["percent"] == pytest.approx(100 * 40 / 70)
    assert rows[0]["events_error"] == pytest.approx((QUANTILE_99 * math.sqrt(40) + UNSEEN) * 5000,
                                                     rel=1e-4)
    assert [row["events"] for row in table(report, "instructions", "object")] == [100000000]
    lines = [line.split() for line in kov("report", "--sort", "object").out.splitlines()]
    assert ["larx:u", "70", "3", "4", "5000", "100.00", "%", "350000", "40.79", "%"] in lines
    assert lines.index(["----", "larx:u"]) < lines.index(["----", "instructions"])
    assert ["57.14", "%", "40", "0", "200000", "58.23", "%", "Thread(ThreadShared)",
            "0x1030"] in lines


@pytest.mark.parametrize("wanted, found",
                         [("larx", ["larx"]), ("larx:u", ["larx"]), ("instructions,larx", [
    "larx", "instructions"])])
def test_a_report_of_some_events(kov, sampling, wanted, found):
    record(kov, sampling)
    report = kov("report", "--json", "-e", wanted, "--sort", "object").json
    assert [table["event"] for table in report["tables"]] == found


@pytest.mark.parametrize("wrong", ["stcx", "larx:k", "larx,", ""])
def test_events_that_were_not_sampled_are_told(kov, sampling, wrong):
    record(kov, sampling)
    result = kov("report", "-e", wrong)
    assert result.code == 2 and "no samples of" in result.err


def test_a_recording_of_an_older_kov_is_told(kov, tmp_path):
    start = dci.Request(id=1, sampling_start=dci.SamplingStartRequest(callers=3)).SerializeToString(
        )
    (tmp_path / "samples.kov").write_bytes(b"KOVREC1\n" + len(start).to_bytes(4, "big") + start)
    result = kov("report")
    assert result.code == 1 and "older kov" in result.err


# ---- thresholds that change


def test_samples_stand_for_the_threshold_of_their_time(kov, sampling, tmp_path):
    """Another client changes the threshold. Samples from before may arrive after the news."""
    sampling.sampling_change_time = 1000
    late = dci.Samples(samples=[dci.Sample(time=999, coid=0x1010, flags=dci.SAMPLE_KERNEL
                                           | dci.SAMPLE_ATTRIBUTED),
                                dci.Sample(time=1000, coid=0x1010, flags=dci.SAMPLE_KERNEL
                                           | dci.SAMPLE_ATTRIBUTED)])
    sampling.samples_after_change = [late]
    sampling_stat(sampling, 0).taken += 2
    command = [KOV, "--port", str(sampling.port), "--json", "record", "-e",
               "larx:u@5000,instructions@10000000", "-d", "20"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE) as recorder:
        sampling.wait_for("sampling_start")
        shown = kov("threshold", "--json", machine=sampling).json["events"]
        assert [(one["event"], one["mode"], one["period"]) for one in shown] == [
            ("larx", "user", 5000), ("instructions", "all", 10000000)]
        assert kov("threshold", "larx", "8000", machine=sampling).code == 0
        change = sampling.asked("sampling_change")[0]
        assert (change.index, change.period, change.randomise) == (0, 8000, 10)
        recorder.terminate()
        recorder.wait(PATIENCE)
    report = kov("report", "--json").json
    assert report["events"][0]["changes"] == 1
    assert report["events"][0]["events"] == 71 * 5000 + 8000
    assert "changed 1 times" in kov("report").out


def test_wrong_changes_are_told(kov, machine):
    assert "nobody samples" in kov("threshold", machine=machine).err
    machine.sampler, machine.sampled = object(), [dci.SampledEvent(event=LARX, period=5000)]
    assert kov("threshold", "stcx", "5000", machine=machine).code == 2
    for wrong in (["larx"], ["larx", "15"], ["larx", "x"], ["larx", "2147483648"]):
        assert kov("threshold", *wrong, machine=machine).code == 2, wrong
    machine.errors["sampling_change"] = (E_NOENT, "it has just ended")
    result = kov("threshold", "larx", "5000", machine=machine)
    assert result.code == 1 and "it has just ended" in result.err


def test_top_has_a_table_for_each_event(kov, sampling):
    command = ("top", "-e", "larx:u@5000,instructions@10000000", "-n", "1", "-d", "1")
    tables = kov(*command, "--json", machine=sampling).json["refreshes"][0]["tables"]
    assert [(table["event"], table["rows"][0]["events"]) for table in tables] == [
        ("larx", 200000), ("instructions", 100000000)]
    text = kov(*command, machine=sampling).out
    assert text.count("OVERHEAD") == 2 and "larx:u: 70 samples, one every 5000" in text


def read_until(terminal, word, seconds=PATIENCE):
    """Returns what kov writes on its terminal until a word comes."""
    text, end = "", time.monotonic() + seconds
    while word not in text:
        ready, _, _ = select.select([terminal], [], [], max(end - time.monotonic(), 0))
        assert ready, f"no {word!r} in {text!r}"
        text += os.read(terminal, 4096).decode()
    return text


def test_keys_of_top_change_thresholds_and_choose_events(sampling, tmp_path):
    ours, theirs = pty.openpty()
    command = [KOV, "--port", str(sampling.port), "top", "-e",
               "larx:u@1500,instructions@10000000", "-d", "0.3"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=theirs, stdout=theirs, stderr=theirs) as top:
        os.close(theirs)
        text = read_until(ours, "q quit")
        assert "larx:u: 70 samples, one every 1500" in text and "instructions:" not in text
        os.write(ours, b"+")
        read_until(ours, "one every 3000")
        os.write(ours, b"--")
        read_until(ours, "one every 1000")  # the least
        os.write(ours, b"-")
        read_until(ours, "must be 1000 to 2147483647")
        os.write(ours, b"2")
        read_until(ours, "instructions: ")
        os.write(ours, b"+\t")
        read_until(ours, "larx:u: ")
        os.write(ours, b"q")
        end = time.monotonic() + PATIENCE
        while top.poll() is None and time.monotonic() < end:
            if select.select([ours], [], [], 0.1)[0]:
                try:
                    os.read(ours, 4096)
                except OSError:
                    break
        assert top.wait(5) == 0
    os.close(ours)
    assert [(one.index, one.period) for one in sampling.asked("sampling_change")] == [
        (0, 3000), (0, 1500), (0, 1000), (1, 20000000)]
    assert len(sampling.asked("sampling_stop")) == 1
