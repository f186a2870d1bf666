# SPDX-License-Identifier: MIT
"""kov stat."""

import dci_pb2 as dci
import pytest

from machine import TIMEBASE_HZ


def count(coid, cpu, invocations, misses=0):
    return dci.DrefCount(coid=coid, cpu=cpu, invocations=invocations, misses=misses)


@pytest.fixture
def counting(machine):
    machine.dref_readings = [
        (TIMEBASE_HZ, [count(0x1010, 0, 100, 1), count(0x1020, 0, 50), count(0x1050, 1, 9)]),
        (3 * TIMEBASE_HZ, [count(0x1020, 0, 50), count(0x1010, 1, 40, 1),
                           count(0x1010, 0, 160, 1)]),
    ]
    return machine


def test_the_difference_of_two_readings_is_shown(kov, counting):
    result = kov("stat", "-d", "0.1", machine=counting)
    assert result.code == 0
    assert result.out.splitlines()[1].split() == ["100", "50", "1",
                                                  "PageAllocator(PageAllocatorDist)", "0x1010"]
    assert "0x1020" not in result.out, "an object that was not used is not listed"
    assert "100 DREFs and 1 misses of 1 objects in 2.000 s" in result.out
    assert "1 objects ended meanwhile" in result.out


def test_counting_is_on_only_meanwhile(kov, counting):
    kov("stat", "-d", "0.1", machine=counting)
    assert [request.on for request in counting.asked("dref_enable")] == [True, False]


def test_per_cpu_columns(kov, counting):
    result = kov("stat", "-d", "0.1", "--per-cpu", machine=counting)
    assert result.out.splitlines()[0].split() == ["DREFS", "PER", "SECOND", "MISSES", "CPU0",
                                                  "CPU1", "OBJECT"]
    assert result.out.splitlines()[1].split()[3:5] == ["60", "40"]


def test_a_workload_bounds_the_window(kov, counting):
    result = kov("stat", "--json", "--", "demo", "work=1-2", "seconds=1", machine=counting)
    assert result.code == 0
    assert result.json["objects"][0]["drefs"] == 100
    assert result.json["objects"][0]["drefs_by_cpu"] == [60, 40]
    assert result.json["workload"]["report"] == {"calls": 70, "mode": "fast"}
    order = [request.WhichOneof("body") for request in counting.requests]
    assert order.index("dref_enable") < order.index("dref_read") < order.index("workload_start")
    assert order.index("workload_status") < len(order) - 1 - order[::-1].index("dref_read")
    assert counting.asked("workload_start")[0].command == "demo:work=1-2,seconds=1"


def test_a_workload_that_fails_is_told(kov, counting):
    counting.workload_result = -2
    result = kov("stat", "--", "demo", machine=counting)
    assert result.code == 1
    assert "out of memory" in result.err
    assert "0x1010" in result.out, "the counts are shown nevertheless"


def test_an_unknown_workload_is_told(kov, counting):
    result = kov("stat", "--", "nonsense", machine=counting)
    assert result.code == 1
    assert "no workload of this name" in result.err


def test_counts_of_impossible_cpus_are_refused(kov, counting):
    counting.dref_readings = [(1, [count(0x1010, 4000000000, 1)])]
    assert kov("stat", "-d", "0.1", machine=counting).code == 3
