# SPDX-License-Identifier: MIT
"""kov events, and kov stat -e."""

import math

import dci_pb2 as dci
import pytest

from machine import E_LIMIT, E_NOTSUP, counted


def partly(machine, *slices):
    """Makes all counts those of these slices, on every CPU, of a total of 1000."""
    machine.count_of = lambda cpu, item, reading: counted(slices, 1000)


def error_of(slices, total):
    """Returns half the width of the 99 % interval, by the formula of viewer/counts/count_error.c
    and quantiles of tables, for two to four slices."""
    student = {2: 63.657, 3: 9.925, 4: 5.841}[len(slices)]
    time, count = sum(time for time, _ in slices), sum(count for _, count in slices)
    spread = sum((one / count - t / time) ** 2 for t, one in slices)
    part, n = time / total, len(slices)
    deviation = math.sqrt(min(1, (1 - part) / part) * n / (n - 1) * spread)
    return (count / part * student * (1 + 5 * n ** -0.8) * deviation + 5 * (1 - part) / part)


def test_events_are_listed(kov, machine):
    lines = kov("events", machine=machine).out.splitlines()
    assert lines[0].split() == ["EVENT", "UNIT", "COUNTED", "COUNTERS", "MEANING"]
    assert lines[3].split() == ["larx", "model", "exact", "4-5", "what", "larx", "is"]
    assert lines[7].split()[:4] == ["mispredicted", "model", "modelled", "2"]
    assert lines[10].split() == ["run-cycles", "driver", "exact", "8"]
    assert len(lines) == 11


def test_words_filter_events(kov, machine):
    assert [line.split()[0] for line in kov("events", "TLB",
                                            machine=machine).out.splitlines()[1:]] == [
        "itlb-miss", "dtlb-miss"]
    assert len(kov("events", "tlb", "itlb", machine=machine).out.splitlines()) == 2
    assert kov("events", "driver", "--json", machine=machine).json == {"events": [
        {"name": "run-cycles", "unit": "driver", "counted": True, "modelled": False,
         "counters": [8], "meaning": ""}]}


def test_what_can_only_be_sampled_is_listed_too(kov, machine):
    del machine.pmu_events[-1]
    lines = kov("events", machine=machine).out.splitlines()
    assert len(lines) == 11
    assert lines[10].split()[:4] == ["run-cycles", "driver", "no",
                                     "-"] and "sampled only" in lines[10]
    (found,) = kov("events", "run-", "--json", machine=machine).json["events"]
    assert (found["name"], found["counted"], found["counters"]) == ("run-cycles", False, [])
    assert kov("stat", "-e", "run-cycles", "-d", "0.1",
               machine=machine).code == 2, "it is not counted indeed"
    assert kov("record", "-e", "run-cycles", "-d", "0.1", machine=machine).code == 0


def test_an_older_machine_is_told(kov, machine):
    machine.errors["pmu_events"] = (E_NOTSUP, "request is not known to this server")
    result = kov("events", machine=machine)
    assert result.code == 1
    assert "cannot list events: request is not known" in result.err


def test_each_e_is_a_set_and_modes_and_numbers_are_the_machines(kov, machine):
    result = kov("stat", "-e", "larx:u,larx:k", "-e", "cycles", "--shares", "3,1", "-C", "1",
                 "--slice", "20000", "-d", "0.1", machine=machine)
    assert result.code == 0, result.err
    start = machine.asked("count_start")[0]
    assert [(item.event, item.mode, item.set) for item in start.items] == [
        (12, dci.COUNT_MODE_USER, 0), (12, dci.COUNT_MODE_KERNEL, 0), (11, dci.COUNT_MODE_ALL, 1)]
    assert list(start.shares) == [3, 1]
    assert (start.cpu_mask, start.slice_event, start.slice) == (2, 10, 20000)
    assert len(machine.asked("count_stop")) == 1
    assert not machine.asked("dref_enable")


def test_counts_of_all_cpus_are_added_up(kov, machine):
    result = kov("stat", "-e", "larx,cycles:k", "-d", "0.1", machine=machine)
    lines = result.out.splitlines()
    assert lines[0].split() == ["COUNT", "EVENT", "PER", "SECOND"]
    assert lines[1].split() == ["36000", "larx", "18000"]
    assert lines[2].split() == ["33000", "cycles:k", "16500"]
    assert "2.000 s on 2 CPUs" in result.out
    assert "±" not in result.out and "(" not in result.out, "all of the time was measured"


def test_cpus_can_be_told_apart(kov, machine):
    result = kov("stat", "-e", "larx,instructions", "-d", "0.1", "--per-cpu", machine=machine)
    lines = [line.split() for line in result.out.splitlines()]
    assert lines[1] == ["0", "12000", "larx", "6000"]
    assert lines[2] == ["1", "24000", "larx", "12000"]
    assert [line[:3] for line in lines[6:8]] == [["0", "480.0000", "%"], ["1", "480.0000", "%"]]


def test_parts_of_the_time_and_errors_are_told(kov, machine):
    slices = ((100, 100), (110, 111), (101, 101), (110, 109))
    partly(machine, *slices)
    line = kov("stat", "-e", "larx", "-d", "0.1", machine=machine).out.splitlines()[1].split()
    assert line[:4] + line[5:] == ["2000", "larx", "1000", "±", "%", "(", "42.1", "%)"]
    # Those of both CPUs together, each rounded up, of 2000
    assert float(line[4]) == pytest.approx(math.sqrt(2) * error_of(slices, 1000) / 20, abs=0.15)


def test_an_unknown_error_is_not_hidden(kov, machine):
    partly(machine, (421, 421))
    result = kov("stat", "-e", "larx", "-d", "0.1", machine=machine)
    assert "± unknown  ( 42.1 %)  too few slices: 1 on CPU 0\n" in result.out
    result = kov("stat", "-e", "larx", "-d", "0.1", "--per-cpu", machine=machine)
    assert "± unknown  ( 42.1 %)  too few slices: 1\n" in result.out
    result = kov("stat", "-e", "larx", "-d", "0.1", "--json", machine=machine)
    assert result.json["events"][0]["error"] is None
    result = kov("stat", "-e", "larx,instructions", "-d", "0.1", machine=machine)
    assert "spin contention       ± unknown" in result.out


def test_what_never_had_its_turn_has_no_count(kov, machine):
    partly(machine)
    result = kov("stat", "-e", "larx,instructions", "-d", "0.1", machine=machine)
    assert result.out.splitlines()[1].split() == ["<not", "counted>", "larx", "–"]
    assert "contention" not in result.out
    result = kov("stat", "-e", "larx", "-d", "0.1", "--json", machine=machine)
    assert result.json["events"][0]["count"] is None


def test_metrics_follow_from_the_events(kov, machine):
    counts = {"instructions": 4000, "cycles": 8000, "larx": 100, "stcx": 90, "stcx-failed": 15,
              "branches": 400, "mispredicted": 20, "itlb-miss": 4, "dtlb-miss": 16}
    names = {event.event: event.name for event in machine.pmu_events}
    machine.count_of = lambda cpu, item, reading: counted([(9, counts[names[item.event]])], 9)
    result = kov("stat", "-e", ",".join(counts), "-d", "0.1", "--json", machine=machine)
    assert {metric["metric"]: metric["value"] for metric in result.json["metrics"]} == {
        "IPC": 0.5, "lock acquisition": 7.5, "spin contention": 10, "branch misprediction": 5,
        "TLB miss rate": 0.5}
    result = kov("stat", "-e", "larx:k,instructions:k,larx:u,instructions", "-d", "0.1",
                 machine=machine)
    assert "spin contention:k" in result.out
    assert "spin contention:u" not in result.out, "there are no instructions:u to divide by"
    assert "IPC" not in result.out


def test_all_stands_for_every_event(kov, machine):
    kov("stat", "-e", "all", "-d", "0.1", machine=machine)
    assert len(machine.asked("count_start")[0].items) == 10


def test_intervals_are_differences(kov, machine):
    result = kov("stat", "-e", "larx", "-d", "0.6", "-I", "100", machine=machine)
    lines = [line.split() for line in result.out.split("\n\n")[0].splitlines()]
    assert lines[0] == ["TIME", "COUNT", "EVENT", "PER", "SECOND"]
    for index, line in enumerate(lines[1:]):
        assert line == [f"{2 * index + 2}.000", "36000", "larx", "18000"]
    reads = len(machine.asked("count_read"))
    assert len(lines) - 1 == reads + 1, "the last row is what came behind the last interval"
    assert f"{36000 * (reads + 1)}  larx" in result.out, "the end has the whole count"


def test_intervals_as_json_with_a_workload(kov, machine):
    machine.workload_duration = 6
    result = kov("stat", "-e", "larx", "-I", "100", "--json", "--", "demo", machine=machine)
    assert result.code == 0
    assert len(result.json["intervals"]) == len(machine.asked("count_read")) + 1 >= 2
    assert [interval["events"][0]["count"]
            for interval in result.json["intervals"]] == [36000] * len(
        result.json["intervals"])
    assert result.json["workload"]["report"] == {"calls": 70, "mode": "fast"}
    order = [request.WhichOneof("body") for request in machine.requests]
    assert order.index("count_start") < order.index("workload_start") < order.index("count_stop")


def test_a_conflict_is_told_in_the_machines_words(kov, machine):
    machine.errors["count_start"] = (E_LIMIT, "larx:u, larx:k: 2 events, only counter 3")
    result = kov("stat", "-e", "larx:u,larx:k", "-d", "0.1", machine=machine)
    assert result.code == 1
    assert "larx:u, larx:k: 2 events, only counter 3" in result.err
    assert result.out == ""


@pytest.mark.parametrize("arguments, text", [
    (["-e", "nonsense"], "no event 'nonsense': see `kov --port PORT events`"),
    (["-e", "larx,"], "no event ''"),
    (["-e", "larx:x"], "behind the colon"),
    (["-e", "larx:"], "behind the colon"),
    (["-e", "larx,larx"], "twice"),
    (["-e", "larx", "--shares", "1,2"], "1 sets"),
    (["-e", "larx", "-e", "cycles", "--shares", "1"], "2 sets"),
    (["-e", "larx", "--shares", "0"], "1 to 1000"),
    (["-e", "larx", "-C", "2-1"], "list of CPUs"),
    (["-e", "larx", "-C", "x"], "list of CPUs"),
    (["-e", "larx", "-C", "1-2"], "the machine has 2 CPUs"),
    (["-e", "larx", "-I", "99"], "100"),
    (["-e", "larx", "--slice", "9999"], "10000"),
    (["-I", "1000"], "--event"),
    (["-C", "0"], "--event"),
    (["-e", "larx"] * 17, "16 times"),
])
def test_wrong_usage_is_told_and_counts_nothing(kov, machine, arguments, text):
    result = kov("stat", *arguments, machine=machine)
    assert result.code == 2
    assert text.replace("PORT", str(machine.port)) in result.err
    assert not machine.asked("count_start")


def test_without_the_model_unit_that_is_said(kov, machine):
    machine.pmu_events = machine.pmu_events[-1:]
    result = kov("stat", "-e", "larx", machine=machine)
    assert result.code == 2
    assert "without the model unit" in result.err
    assert kov("stat", "-e", "run-cycles", "-d", "0.1", machine=machine).code == 0
    machine.pmu_events = []
    listed = kov("events", machine=machine).out
    assert "Nothing can be counted: the machine runs without the model unit" in listed \
        and "run-cycles" in listed
    assert [event["name"] for event in kov("events", "--json",
                                           machine=machine).json["events"]] == ["run-cycles"]


def test_counts_that_were_not_asked_for_are_refused(kov, machine):
    machine.misbehaviour["count_stop"] = lambda session, request: session.respond(
        request, count_stop=dci.CountReply(session=1, counts=[dci.Count()] * 3))
    assert kov("stat", "-e", "larx", "-d", "0.1", machine=machine).code == 3
    machine.misbehaviour["count_stop"] = lambda session, request: [session.respond(
        request, more=cpu < 99, count_stop=dci.CountReply(session=1, cpu=cpu, counts=[dci.Count()]))
        for cpu in range(100)]
    assert kov("stat", "-e", "larx", "-d", "0.1", machine=machine).code == 3


def test_observers_may_list_and_not_count(kov, machine):
    assert kov("--token", "look", "events", machine=machine).code == 0
    result = kov("--token", "look", "stat", "-e", "larx", machine=machine)
    assert result.code == 1
    assert "controller" in result.err
