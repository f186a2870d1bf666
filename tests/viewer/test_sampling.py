# SPDX-License-Identifier: MIT
"""kov record, kov report, kov top."""

import os
import signal
import subprocess

import dci_pb2 as dci
import pytest

from conftest import KOV
from machine import PATIENCE, add_samples

KERNEL_ATTRIBUTED = dci.SAMPLE_KERNEL | dci.SAMPLE_ATTRIBUTED


@pytest.fixture
def sampling(machine):
    """Makes 100 samples on two CPUs: objects 1:2:4 (70), 2 without object, 3 stale, 25 idle. 5 are
    lost and 2 missed."""
    add_samples(machine, {(0x1010, 0x100): 10, (0x1020, 0x200): 20, (0x1030, 0x300): 40})
    add_samples(machine, {(0, 0x400): 2}, cpu=1, flags=dci.SAMPLE_KERNEL)
    add_samples(machine, {(0, 0x500): 3}, cpu=1, flags=dci.SAMPLE_KERNEL | dci.SAMPLE_STALE)
    add_samples(machine, {(0, 0x600): 25}, cpu=1, lost=5, flags=dci.SAMPLE_KERNEL | dci.SAMPLE_IDLE)
    machine.sampling_stats[1].missed = 2
    return machine


def asked_events(machine):
    return [(event.event, event.mode, event.period, event.randomise)
            for event in machine.asked("sampling_start")[-1].events]


def table(report, sort):
    return next(table["rows"] for table in report["tables"] if table["sort"] == [sort])


def test_record_counts_samples_losses_and_attribution(kov, sampling):
    result = kov("record", "-d", "0.2", machine=sampling)
    assert result.code == 0
    assert "100 samples" in result.out and "lost 5" in result.out
    assert "CPU 1: 30 samples, lost 5" in result.out
    assert "attributed 93.33 %" in result.out


def test_record_asks_for_1000_samples_a_second_by_default(kov, sampling):
    kov("record", "-d", "0.1", machine=sampling)
    request = sampling.asked("sampling_start")[0]
    assert (request.callers, request.cpu_mask, request.precise) == (16, 0, False)
    assert asked_events(sampling) == [(1, dci.COUNT_MODE_ALL, 1000000, 10)]
    assert not sampling.asked("pmu_events")


def test_record_passes_on_what_is_asked_for(kov, sampling):
    kov("record", "-d", "0.1", "-c", "5000", "-g", "3", "--cpus", "0x2", "--randomise", "4",
        machine=sampling)
    request = sampling.asked("sampling_start")[0]
    assert (request.callers, request.cpu_mask) == (3, 2)
    assert asked_events(sampling) == [(1, dci.COUNT_MODE_ALL, 5000, 4)]


@pytest.mark.parametrize("options, callers", [(["-g"], 16), (["-g", "--cpus", "2"], 16),
                                              (["-g4"], 4), (["-gd", "0.1"], 16),
                                              (["--depth=5"], 5), (["--depth"], 16)])
def test_record_takes_call_chains_without_a_number(kov, sampling, options, callers):
    """perf does so, too."""
    result = kov("record", "-d", "0.1", *options, machine=sampling)
    assert result.code == 0, result.err
    assert sampling.asked("sampling_start")[0].callers == callers


def test_record_as_json(kov, sampling):
    summary = kov("record", "-d", "0.1", "--json", machine=sampling).json
    assert summary["samples"] == 100 and summary["lost"] == 5 and summary["missed"] == 2
    assert summary["cpus"][1] == {"cpu": 1, "samples": 30, "taken": 30, "filtered": 0, "lost": 5,
                                  "missed": 2}


def test_samples_that_come_with_the_end_are_taken(kov, sampling):
    sampling.last_samples, sampling.samples = sampling.samples, []
    assert kov("record", "-d", "0.1", "--json", machine=sampling).json["samples"] == 100


def test_a_difference_to_the_machines_own_count_is_told(kov, sampling):
    sampling.sampling_stats[0].taken += 1
    result = kov("record", "-d", "0.1", machine=sampling)
    assert result.code == 1
    assert "CPU 0 took 71 samples of run-cycles, but 70 arrived" in result.err


def test_record_over_a_workload(kov, sampling):
    sampling.workload_duration = 3
    result = kov("record", "--json", "--", "demo", machine=sampling)
    assert result.code == 0
    assert result.json["workload"]["report"]["calls"] == 70


def test_a_workload_is_stopped_after_the_duration(kov, sampling):
    sampling.workload_duration = 10**9
    result = kov("record", "-d", "0.2", "--json", "--", "demo", machine=sampling)
    assert result.code == 0
    assert sampling.workload_stopped


def test_an_interrupt_ends_the_recording_and_keeps_it(kov, sampling, tmp_path):
    command = [KOV, "--port", str(sampling.port), "record", "-d", "60"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    sampling.wait_for("sampling_start")
    os.kill(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "100 samples" in out
    assert kov("report", "--json").json["samples"] == 100


def test_sampling_that_is_in_use_is_told(kov, machine):
    machine.errors["sampling_start"] = (-5, "another client samples")
    result = kov("record", machine=machine)
    assert result.code == 1
    assert "another client samples (in use)" in result.err


def test_report_by_object_class_and_function(kov, sampling):
    kov("record", "-d", "0.1", machine=sampling)
    report = kov("report", "--json").json
    assert (report["samples"], report["lost"], report["idle"], report["attributed"]) == (100, 5, 25,
                                                                                         70)
    assert (report["unattributed"], report["stale"]) == (2, 3)
    objects = [(row["object"], row["samples"]) for row in table(report, "object")]
    assert objects == [("Thread(ThreadShared) 0x1030", 40), ("Thread(ThreadShared) 0x1020", 20),
                       ("PageAllocator(PageAllocatorDist) 0x1010", 10), ("[stale]", 3),
                       ("[none]", 2)]
    unseen = (5 + 2) * 1e6  # lost and missed: all of them may have been of any row
    assert table(report, "class")[0] == {"class": "Thread(ThreadShared)", "samples": 60,
                                         "soft_masked": 0, "percent": 80, "events": 60000000,
                                         "events_error": pytest.approx(
                                             2.576 * 60**.5 * 1e6 + unseen)}
    assert table(report, "function")[0]["function"] == "0x300"


def test_report_counts_idle_samples_when_asked(kov, sampling):
    kov("record", "-d", "0.1", machine=sampling)
    rows = table(kov("report", "--json", "--idle", "--sort", "object").json, "object")
    assert [(row["samples"], row["percent"]) for row in rows
            if row["object"] == "[idle]"] == [(25, 25)]


def test_report_by_several_keys(kov, sampling):
    kov("record", "-d", "0.1", machine=sampling)
    rows = kov("report", "--json", "--sort", "class,cpu,thread").json["tables"][0]["rows"]
    assert rows[0]["class"] == "Thread(ThreadShared)" and rows[0]["cpu"] == "0"
    assert rows[0]["thread"] == "pid 0 thread 3"


def test_report_as_text(kov, sampling):
    kov("record", "-d", "0.1", machine=sampling)
    result = kov("report", "-n", "1")
    assert result.code == 0
    assert "not idle 75: attributed 70 (93.33 %), unattributed 2, stale 3; soft-masked 0" \
        in result.out
    error = 100 * (2.576 * 40**.5 + 5 + 2) / 40  # by chance, and what was lost and missed
    assert f" 53.33 %        40         0       40000000    {error:.2f} %  " \
        "Thread(ThreadShared) 0x1030" in result.out
    assert "4 rows more" in result.out


def test_objects_that_no_scan_saw_are_said_to_be_gone(kov, machine):
    add_samples(machine, {(0x7770, 0x100): 1})
    kov("record", "-d", "0.1", machine=machine)
    report = kov("report", "--json").json
    assert table(report, "object")[0]["object"] == "[gone] 0x7770"
    assert table(report, "class")[0]["class"] == "[gone]"


def test_soft_masked_samples_are_counted(kov, machine):
    add_samples(machine, {(0x1010, 0x100): 4}, flags=KERNEL_ATTRIBUTED | dci.SAMPLE_SOFT_MASKED)
    kov("record", "-d", "0.1", machine=machine)
    report = kov("report", "--json").json
    assert report["soft_masked"] == 4
    assert table(report, "object")[0]["soft_masked"] == 4


def test_a_recording_cut_short_is_still_of_use(kov, sampling, tmp_path):
    kov("record", "-d", "0.1", machine=sampling)
    data = (tmp_path / "samples.kov").read_bytes()
    (tmp_path / "samples.kov").write_bytes(data[:-20])
    result = kov("report", "--json")
    assert result.code == 0
    assert "ends early" in result.err
    assert not result.json["complete"]


@pytest.mark.parametrize("content", [b"", b"nonsense", b"KOVREC1\n\xff\xff\xff\xff",
                                     b"KOVREC1\n\0\0\0\2\xff\xff"])
def test_a_file_that_is_no_recording_is_told(kov, tmp_path, content):
    (tmp_path / "samples.kov").write_bytes(content)
    result = kov("report")
    assert result.code == 1
    assert "samples.kov" in result.err


def test_a_missing_recording_is_told(kov):
    result = kov("report")
    assert result.code == 1
    assert "kov record" in result.err


def test_a_recording_that_cannot_be_written_is_told(kov, machine):
    result = kov("record", "-o", "no/such/folder", machine=machine)
    assert result.code == 1
    assert "no/such/folder" in result.err
    assert not machine.asked("sampling_start")


def test_top_prints_tables_that_follow_each_other(kov, sampling):
    result = kov("top", "-n", "2", "-d", "0.2", machine=sampling)
    assert result.code == 0
    assert result.out.count("OVERHEAD") == 2
    assert "40         0       40000000    40.73 %  Thread(ThreadShared) 0x1030" in result.out
    assert "\033" not in result.out


def test_top_as_json(kov, sampling):
    refreshes = kov("top", "-n", "2", "-d", "0.2", "--json", "--sort", "class",
                    machine=sampling).json["refreshes"]
    assert len(refreshes) == 2
    assert refreshes[0]["samples"] == 100 and refreshes[0]["lost"] == 5
    assert refreshes[0]["tables"][0]["rows"][0]["class"] == "Thread(ThreadShared)"
    assert refreshes[1]["samples"] == 0 and refreshes[1]["lost"] == 0
