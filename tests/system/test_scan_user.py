# SPDX-License-Identifier: MIT
"""Scans across processes: exact while others come and go; a stuck process is told within a second."""

import select
import time

import pytest

import dci_client as dci
from dci_client import pb
from machine import CONTROLLER

PROCESSES = 20
SCANS = 6
E_TIMEOUT = -9


@pytest.fixture(name="client")
def controller(machine4):
    with dci.connect(machine4.port, CONTROLLER, timeout=60) as client:
        yield client


def kept_by_process(machine):
    """Objects of the class Kept by process, and the processes that did not answer in time, which a busy host can bring about."""
    scan, counts = machine.kov("objects", "--flat", "--class", "Kept"), {}
    for one in scan["objects"]:
        counts[one["pid"]] = counts.get(one["pid"], 0) + 1
    late = {one["pid"] for one in scan["processes"] if one["failure"] == E_TIMEOUT}
    return counts, late


def test_counts_of_twenty_processes_are_exact_while_others_churn(machine4, client):
    expected = {}
    for number in range(PROCESSES):
        run, pid = client.start_program("keep-objects", 10 + 7 * number)
        client.output_of(run, b"objects\n")
        expected[pid] = 10 + 7 * number
    churners = [client.start_program("churn-objects", 12)[0] for _ in range(2)]
    answered = set()
    for _ in range(SCANS):
        counts, late = kept_by_process(machine4)
        assert counts == {pid: count for pid, count in expected.items() if pid not in late}
        answered |= counts.keys()
    assert answered == expected.keys()
    for run in churners:
        status, output = client.end_of(run)
        assert status == 0 and b" 0 failed" in output, output


def test_calls_of_objects_of_a_process_are_counted_exactly(machine4, client):
    client.dref_enable(True)  # the kernel's, so that counting is on somewhere
    client.request(dref_enable=pb.DrefEnableRequest(on=True, scope=pb.SCOPE_ALL))
    run, pid = client.start_program("keep-objects", 5, 1000)
    client.output_of(run, b"objects\n")
    classes = {one["class_id"] for one in machine4.kov("objects", "--pid", str(pid))["objects"]
               if one["class"] == "Kept" and one["pid"] == pid}
    kept = {int(one["coid"], 16) for one in machine4.kov("objects", "--pid", str(pid))["objects"]
            if one["pid"] == pid and one["class_id"] in classes}
    counts = client.list("dref_read", "counts", pb.DrefReadRequest(scope=pb.SCOPE_PROCESS, pid=pid))
    by_object = {}
    for count in counts:
        if count.coid in kept:
            by_object[count.coid] = by_object.get(count.coid, 0) + count.invocations
    assert by_object == {coid: machine4.cpus * 1000 for coid in kept} and len(kept) == 5


def test_a_stuck_process_is_told_within_a_second(machine4, client):
    _, pid = client.start_program("test-processes", "stuck", 0)
    time.sleep(0.5)
    begin = time.monotonic()
    (reply,) = client.responses(client.send(objects=pb.ObjectsRequest(scope=pb.SCOPE_PROCESS, pid=pid)))
    assert reply.objects.failure.error == E_TIMEOUT
    assert time.monotonic() - begin < 3  # a second, and what the host was busy with
    scanned = machine4.kov("objects")
    failures = {one["pid"]: one["failure"] for one in scanned["processes"] if one["failure"] != 0}
    assert failures == {pid: E_TIMEOUT}
    assert {one["pid"] for one in scanned["objects"]} >= {0, 1}, "all the others are there"
    assert "stuck" in machine4.kov_run("objects").stdout
    client.request(kill=pb.KillRequest(pid=pid))


def test_others_are_served_while_a_process_is_stuck(machine4, client):
    _, pid = client.start_program("test-processes", "stuck", 0)
    time.sleep(0.5)
    with dci.connect(machine4.port, CONTROLLER) as other:
        request = other.send(objects=pb.ObjectsRequest(scope=pb.SCOPE_PROCESS, pid=pid))
        answers = 0
        while not select.select([other.socket], [], [], 0)[0]:
            client.system()
            answers += 1
        assert answers >= 5, "had all waited for the process, the first answer would have come after the other's"
        list(other.responses(request))
    client.request(kill=pb.KillRequest(pid=pid))
