# SPDX-License-Identifier: MIT
"""kov stat -e --per-object: counts by object, estimated from samples."""

import math
import signal
import subprocess

import dci_pb2 as dci
import pytest

from conftest import KOV
from machine import E_LIMIT, PATIENCE, add_samples, sampling_stat

QUANTILE_99 = 2.576
USER = {"flags": dci.SAMPLE_ATTRIBUTED, "pid": 7}
LARX, INSTRUCTIONS = 0, 1
COMMAND = ("stat", "-e", "larx@5000,instructions@200000", "--per-object", "-d", "0.1")


@pytest.fixture(name="sampled")
def sampled_machine(machine):
    """Makes samples. larx: 40 and 10 of kernel objects, 20 of an object of shell, 8 of none.
    Instructions: 50 and 50."""
    machine.add_processes()
    add_samples(machine, {(0x1010, 0x100): 10, (0x1030, 0x200): 40}, index=LARX, lost=3)
    add_samples(machine, {(0x1010, 0x100): 20}, cpu=1, index=LARX, **USER)
    add_samples(machine, {(0, 0x100): 8}, index=LARX, flags=dci.SAMPLE_KERNEL)
    add_samples(machine, {(0x1030, 0x300): 50}, index=INSTRUCTIONS)
    add_samples(machine, {(0x1010, 0x100): 50}, cpu=1, index=INSTRUCTIONS, **USER)
    sampling_stat(machine, 0).missed = 4
    sampling_stat(machine, 0).lost = 3
    return machine


def objects(result):
    return {(one["pid"], one["coid"]): one for one in result.json["objects"]}


def test_a_sample_stands_for_the_threshold(kov, sampled):
    result = kov(*COMMAND, "--json", machine=sampled)
    assert result.code == 0, result.err
    start = sampled.asked("sampling_start")[0]
    assert [(one.event, one.period) for one in start.events] == [(16 + 12, 5000), (16 + 10, 200000)]
    assert start.callers == 0 and not start.precise and not sampled.asked("count_start")
    found = objects(result)
    counts = {key: [event["count"] for event in one["events"]] for key, one in found.items()}
    assert counts == {(0, "0x1030"): [200000, 10000000], (7, "0x1010"): [100000, 10000000],
                      (0, "0x1010"): [50000, 0], (0, None): [40000, 0]}
    assert list(counts) == sorted(counts, key=counts.get,
                                  reverse=True), "the most of the first event first"
    larx, instructions = found[0, "0x1030"]["events"]
    assert larx["error"] == pytest.approx(QUANTILE_99 * math.sqrt(40) * 5000, rel=1e-4)
    assert larx["share"] == pytest.approx(100 * 40 / 78) \
        and instructions["share"] == pytest.approx(50)
    assert found[0, "0x1010"]["events"][INSTRUCTIONS]["error"] is None, \
        "without samples nothing is known"
    assert result.json["estimated"] and (result.json["lost"], result.json["missed"]) == (3, 4)


def test_objects_have_names(kov, sampled):
    found = objects(kov(*COMMAND, "--json", machine=sampled))
    assert [found[0, "0x1030"][key]
            for key in ("class", "process", "missing")] == ["Thread(ThreadShared)", "kernel", None]
    assert [found[7, "0x1010"][key]
            for key in ("class", "process")] == ["Job(JobShared)", "shell:7"]
    assert [found[0, None][key] for key in ("class", "missing")] == [None, "[none]"]


def test_metrics_of_each_object_follow(kov, sampled):
    found = objects(kov(*COMMAND, "--json", machine=sampled))
    (metric,) = found[0, "0x1030"]["metrics"]
    assert metric["metric"] == "spin contention" \
        and metric["value"] == pytest.approx(100 * 4 * 200000 / 10000000)
    assert metric["error"] == pytest.approx(metric["value"] * QUANTILE_99 * math.hypot(
        40 ** -0.5, 50 ** -0.5), rel=1e-3)
    assert found[0, "0x1010"]["metrics"] == [], "no sample of its instructions"
    alone = kov("stat", "-e", "larx", "--per-object", "-d", "0.1", "--json", machine=sampled)
    assert all(one["metrics"] == [] for one in alone.json["objects"])


def test_the_table_says_that_it_is_an_estimate(kov, sampled):
    out = kov(*COMMAND, machine=sampled).out
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["larx", "SHARE", "instructions", "SHARE", "OBJECT", "CLASS", "PROCESS"]
    assert lines[1] == ["200000", "±", "40.73", "%", "51.28", "%", "10000000", "±", "36.43", "%",
                        "50.00", "%", "0x1030", "Thread(ThreadShared)", "kernel"]
    assert lines[2][-3:] == ["0x1010", "Job(JobShared)", "shell:7"]
    assert lines[4] == ["40000", "±", "91.08", "%", "10.26", "%", "–", "–", "[none]", "–", "kernel"]
    assert lines[6] == ["spin", "contention", "OBJECT", "CLASS", "PROCESS"]
    assert lines[7][:4] == ["8.0000", "±", "4.3716", "%"]
    assert ["larx", "78", "3", "4", "5000", "100.00", "%", "390000", "38.14", "%"] in lines
    assert "Estimates: samples x threshold" in out


def test_top_leaves_only_the_first(kov, sampled):
    result = kov(*COMMAND, "--top", "2", "--json", machine=sampled)
    assert [one["coid"] for one in result.json["objects"]] == ["0x1030", "0x1010"]
    assert result.json["objects"][0]["events"][0]["share"] == pytest.approx(100 * 40 / 78), \
        "of all samples"
    text = kov(*COMMAND, "--top", "2", machine=sampled).out
    assert "2 objects more" in text and "[none]" not in text


def test_thresholds_follow_a_count_and_precise_ones_may_be_short(kov, machine):
    kov("stat", "-e", "larx:u,instructions,cycles@777777", "--per-object", "-d", "0.1",
        machine=machine)
    assert [(one.mode, one.period) for one in machine.asked("sampling_start")[0].events] == [
        (dci.COUNT_MODE_USER, 1000), (dci.COUNT_MODE_ALL, 10000), (dci.COUNT_MODE_ALL, 777777)]
    result = kov("stat", "-e", "larx@16", "--per-object", "--precise", "-C", "1", "--pid", "7,0",
                 "-d", "0.1", "--json", machine=machine)
    assert result.code == 0 and result.json["precise"] and result.json["objects"] == []
    start = machine.asked("sampling_start")[1]
    assert start.precise and start.cpu_mask == 2 and list(start.pids) == [7, 0] \
        and start.events[0].period == 16


def later(machine, coid, count):
    """Pushes more samples of larx when the workload is asked after for the sixth time. One is of an
    object that no scan has seen."""
    def status(session, request):
        if machine.workload_polls == 5:
            session.push(samples=dci.Samples(samples=[dci.Sample(
                coid=coid, pc=1, flags=dci.SAMPLE_KERNEL | dci.SAMPLE_ATTRIBUTED)] * count))
            sampling_stat(machine, 0).taken += count
        session.do_workload_status(request)

    machine.misbehaviour["workload_status"] = status


def test_intervals_have_what_came_in_them(kov, sampled):
    sampled.workload_duration = 12
    later(sampled, 0x7770, 5)
    result = kov(*COMMAND[:4], "-I", "100", "--json", "--", "demo", machine=sampled)
    assert result.code == 0, result.err
    counts = [{one["coid"]: one["events"][0]["count"] for one in interval["objects"]}
              for interval in
              result.json["intervals"]]
    assert len(counts) >= 2 and counts[0]["0x1030"] == 200000
    assert [one for one in counts[1:] if one] == [{"0x7770": 25000}], counts
    times = [interval["time"] for interval in result.json["intervals"]]
    assert times == sorted(times) and times[-1] <= result.json["seconds"]
    found = objects(result)
    assert found[0, "0x7770"]["events"][0]["count"] == 25000 \
        and found[0, "0x7770"]["class"] == "[gone]"
    assert found[0, "0x1030"]["events"][0]["count"] == 200000
    assert result.json["workload"]["report"] == {"calls": 70, "mode": "fast"}
    order = [request.WhichOneof("body") for request in sampled.requests]
    assert order.index("sampling_start") < order.index("workload_start") \
        < order.index("sampling_stop")


def test_intervals_of_text_have_times(kov, sampled):
    out = kov(*COMMAND[:4], "-I", "100", "-d", "0.35", machine=sampled).out
    lines = [line.split() for line in out.splitlines()]
    assert lines[0][:2] == ["TIME", "larx"] and 0.1 <= float(lines[1][0]) < 0.3
    assert [line[-3] for line in lines if len(line) > 3
            and line[-1] == "shell:7"].count("0x1010") == 4
    assert out.count("TIME") >= 2


def test_an_interrupt_ends_it_with_what_there_is(sampled, tmp_path):
    command = [KOV, "--port", str(sampled.port), "--json", *COMMAND[:4], "-I", "3000", "-d", "60"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as counting:
        sampled.wait_for("sampling_start")
        counting.send_signal(signal.SIGINT)
        out = counting.communicate(timeout=PATIENCE)[0]
    assert counting.returncode == 0 and '"intervals": []' in out and '"0x1030"' in out


@pytest.mark.parametrize("arguments, text", [
    (["-e", "larx", "--per-object", "--per-process"], "estimated from samples"),
    (["-e", "larx", "--per-object", "--per-cpu"], "which are counted"),
    (["-e", "larx", "--per-object", "--exclude", "7"], "do not go with --per-object"),
    (["-e", "larx", "--per-object", "--slice", "20000"], "do not go with --per-object"),
    (["-e", "larx", "--per-object", "-C", "1-2"], "the machine has 2 CPUs"),
    (["-e", "larx", "--per-object", "-C", "x"], "list of CPUs"),
    (["-e", "larx", "--per-object", "--pid", "x"], "no number of a process"),
    (["-e", "larx", "--per-object", "--pid", "7,7"], "twice"),
    (["-e", "larx", "--per-object", "--top", "0"], "from 1"),
    (["-e", "larx@15", "--per-object"], "threshold from 16"),
    (["-e", "larx@999", "--per-object"], "less than 1000"),
    (["-e", "larx@2147483648", "--per-object"], "threshold from 16"),
    (["-e", "all", "--per-object"], "no event 'all'"),
    (["-e", "run-cycles", "--per-object", "--precise"], "interrupts only"),
    (["-e", "larx", "--top", "3"], "go with --per-object"),
    (["-e", "larx", "--precise"], "go with --per-object"),
    (["--per-object"], "go with --event"),
])
def test_wrong_usage_is_told_and_samples_nothing(kov, machine, arguments, text):
    result = kov("stat", *arguments, "-d", "0.1", machine=machine)
    assert result.code == 2 and text in result.err, result.err
    assert not machine.asked("sampling_start") and not machine.asked("count_start") \
        and not machine.asked("dref_enable")


def test_a_refusal_is_told_in_the_machines_words(kov, machine):
    machine.errors["sampling_start"] = (E_LIMIT, "larx, stcx: 2 events, only counter 5")
    result = kov("stat", "-e", "larx,stcx", "--per-object", "--json", "-I", "100", machine=machine)
    assert result.code == 1 and "larx, stcx: 2 events, only counter 5" in result.err \
        and result.out == ""
