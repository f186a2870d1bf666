# SPDX-License-Identifier: MIT
"""Scans across processes: exact while others come and go; a stuck process is told as such."""


import pytest

import dci_client as dci
from dci_client import pb
from machine import CONTROLLER
from waiting import wait_for

PROCESSES = 20
SCANS = 6
E_TIMEOUT = -9


@pytest.fixture(name="client")
def controller(machine4):
    with dci.connect(machine4.port, CONTROLLER) as client:
        yield client


def kept_by_process(machine):
    """Objects of the class Kept by process, and the processes that did not answer in time, which a
    busy host can bring about."""
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

    def have_all_answered():
        counts, late = kept_by_process(machine4)
        assert counts == {pid: count for pid, count in expected.items() if pid not in late}
        answered.update(counts)
        return answered == expected.keys()

    for _ in range(SCANS - 1):
        have_all_answered()
    wait_for(have_all_answered, "each process has answered a scan")
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


def failure_of(client, pid):
    """What comes of a scan of a process."""
    replies = list(client.responses(client.send(objects=pb.ObjectsRequest(scope=pb.SCOPE_PROCESS,
                                                                          pid=pid))))
    return replies[-1].objects.failure.error


def start_stuck(client):
    """A process that answers nothing: until it is so. That it takes a second to know is what
    test-processes asks, where a second is so many instructions."""
    _, pid = client.start_program("test-processes", "stuck", 0)
    wait_for(lambda: failure_of(client, pid) == E_TIMEOUT, "a process that is stuck")
    return pid


def test_a_stuck_process_is_told_and_the_others_are_shown(machine4, client):
    pid = start_stuck(client)
    scanned = machine4.kov("objects")
    failures = {one["pid"]: one["failure"] for one in scanned["processes"] if one["failure"] != 0}
    assert failures == {pid: E_TIMEOUT}
    assert {one["pid"] for one in scanned["objects"]} >= {0, 1}, "all the others are there"
    assert "did not answer within 1 s" in machine4.kov_run("objects").stdout
    client.request(kill=pb.KillRequest(pid=pid))


def test_others_are_served_while_a_process_is_stuck(machine4, client):
    with dci.connect(machine4.port, CONTROLLER) as other:
        def served_meanwhile():
            """Had all waited for the process, each answer would come after the other client's. Only
            the first question to a process that is stuck is waited for, so each time it is another
            one."""
            _, pid = client.start_program("test-processes", "stuck", 0)
            request = other.send(objects=pb.ObjectsRequest(scope=pb.SCOPE_PROCESS, pid=pid))
            client.system()
            client.system()
            first = not other.is_answered(request)
            if first:
                list(other.responses(request))
            client.request(kill=pb.KillRequest(pid=pid))
            return first

        wait_for(served_meanwhile, "an answer before that of a client who waits for the process")
