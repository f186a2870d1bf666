# SPDX-License-Identifier: MIT
"""Queues of sleep locks: the logs against a program's own account, in the guest and as kov shows
them."""

import json
import os
import subprocess

import pytest

import dci_client as dci
from dci_client import pb
from machine import CONTROLLER, PROGRAMS, pid_of
from servers import interrupt
from test_scan_user import start_stuck
from variables import Variables
from waiting import PATIENCE, wait_for

E_INVAL, E_NOENT, E_BUSY, E_TIMEOUT = -1, -3, -5, -9


@pytest.fixture(name="client")
def controller(machine4):
    with dci.connect(machine4.port, CONTROLLER) as client:
        yield client


@pytest.mark.parametrize("cpus", [1, 2, 4])
def test_logs_are_the_program_s_own_account_entry_by_entry(boot, cpus):
    machine = boot(cpus=cpus, append="init=bin/test-queues", network=False)
    machine.wait_passed("test-queues", 10000)


def replay(timeline):
    """The members of a queue by its changes, as first come, first served; checks each length."""
    members, longest = [], 0
    for change in timeline:
        assert change["lost"] == 0
        if change["operation"] == "enqueue":
            assert change["thread"] not in members
            members.append(change["thread"])
        elif change["operation"] == "wake-up":
            assert members.pop(0) == change["thread"]
        else:
            assert change["operation"] == "time-out"
            members.remove(change["thread"])
        assert change["length"] == len(members) and change["members"] == members, change
        longest = max(longest, len(members))
    return members, longest


def run_known(machine, *options, what="known", as_json=True):
    """kov locks --sleep around `test-queues known`: what kov found, and the program's own account
    by name."""
    with subprocess.Popen(machine.kov_command("run", "test-queues", what), stdout=subprocess.PIPE,
                          text=True) as program:
        coid = program.stdout.readline().split()[1]
        pid = str(pid_of(machine, "test-queues"))
        wanted = [option.replace("COID", coid).replace("PID", pid) for option in options]
        command = machine.kov_command(*["--json"] * as_json, "locks", "--sleep", "-d", "86400",
                                      *wanted)
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as locks:
            output = ""
            while "done" not in output:  # it waits for kov to begin, and to end
                line = program.stdout.readline()
                assert line, output
                output += line
            found = interrupt(locks)[0]
        output += program.stdout.read()
        assert program.wait(PATIENCE) == 0, output
    words = {name: [int(number) for number in numbers]
             for name, *numbers in (line.split()
                                    for line in output.splitlines() if line.startswith("known"))}
    assert "done" in output and words, output
    return json.loads(found) if as_json else found, words, coid, {int(line.split()[1])
                                                                  for line in output.splitlines()
                                                                  if line.startswith("thread")}


def test_kov_tells_what_the_program_did(machine4):
    found, words, coid, threads = run_known(machine4, "--pid", "PID")
    queues = {queue["name"]: queue for queue in found["queues"] if queue["coid"] == coid}
    assert queues.keys() == words.keys(), queues.keys()
    assert found["failures"] == [] and found["nonsense"] == 0
    for name, (enqueues, wake_ups, time_outs, longest, least_us) in words.items():
        queue = queues[name]
        counted = [queue[what] for what in ("enqueues", "wake_ups", "time_outs", "longest")]
        assert counted == [enqueues, wake_ups, time_outs, longest], (name, queue)
        assert replay(queue["timeline"]) == ([], longest)
        assert queue["waits"] == enqueues and queue["still_waiting"] == queue["waits_unknown"] == 0
        assert sum(thread["waits"] for thread in queue["threads"]) == enqueues
        assert {thread["thread"] for thread in queue["threads"]} <= threads
        waited = [thread["seconds"] for thread in queue["threads"]]
        assert waited == sorted(waited,
                                reverse=True) and sum(waited) == pytest.approx(queue["seconds"],
                                                                               rel=1e-4)
        # The integral of the length over time is the sum of all waits.
        assert queue["average_length"] * found["seconds"] == pytest.approx(queue["seconds"],
                                                                           rel=1e-4)
        assert queue["seconds"] >= least_us / 1e6 and queue["max_seconds"] >= queue["mean_seconds"]
    variables = Variables(os.path.join(PROGRAMS, "test-queues.elf"))
    for queue in found["queues"]:
        assert queue["name"] == variables.name_at(int(queue["queue"], 0)), queue
    assert words["known_second"][-1] > 0
    assert [one["lost"] for one in found["objects"] if one["coid"] == coid] == [0]


def test_the_text_has_a_row_for_each_queue_and_its_time_line(machine4):
    text, words, coid, _ = run_known(machine4, "--pid", "PID", "--object", "COID", "--timeline",
                                     as_json=False)
    assert f"BlockedThreadQueues(HashedBlockedThreadQueues) {coid} of test-queues:" in text
    for name, (enqueues, wake_ups, time_outs, longest, _) in words.items():
        row = next(line.split() for line in text.splitlines() if line.endswith(f" {name}"))
        assert [int(row[place]) for place in (0, 1, 2, 6)] == [enqueues, wake_ups, time_outs,
                                                               longest], row
    changes = [line for line in text.splitlines() if " wait:" in line]
    assert len(changes) == sum(2 * enqueues for enqueues, *_ in words.values())
    assert "2 queues of 1 objects" in text, "nothing else was logged"


def test_without_the_program_s_file_a_queue_is_an_address(machine4, tmp_path):
    """And whose it is."""
    variables = Variables(os.path.join(PROGRAMS, "test-queues.elf"))
    text, words, coid, _ = run_known(machine4, "--pid", "PID", "--object", "COID", "--programs",
                                     str(tmp_path), as_json=False)
    assert f"{coid} of test-queues:" in text
    for name in words:
        assert any(line.endswith(f"  {variables.address(name):#x}") for line in text.splitlines())


def test_what_is_lost_is_told_exactly(machine4):
    found, words, coid, _ = run_known(machine4, "--pid", "PID", "--object", "COID", what="flood")
    (flooded,), (queue,) = found["objects"], found["queues"]
    enqueues, _, time_outs, _, _ = words["known_first"]
    assert flooded["records"] + flooded["lost"] == enqueues + time_outs and flooded["coid"] == coid
    assert flooded["records"] == queue["enqueues"] + queue["time_outs"] == len(queue["timeline"])
    assert found["lost"] == flooded["lost"] > 0, "a buffer of 8 KB cannot hold this much"
    assert flooded["buffer_bytes"] > 8192 and flooded["buffer_bytes"] % 4096 == 0
    assert sum(change["lost"] for change in queue["timeline"]) <= flooded["lost"]
    assert queue["time_outs"] == sum(thread["waits"]
                                     for thread in queue["threads"]) + queue["waits_unknown"]


def test_all_processes_are_logged_unless_some_are_named(machine4):
    found, _, coid, _ = run_known(machine4)
    (own,) = [one for one in found["objects"] if one["coid"] == coid]
    assert own["process"] == "test-queues" and own["records"] > 0
    assert {"init", "fs", "net", "dci"} <= {one["process"] for one in found["objects"]}
    assert all(queue["nonsense"] == 0 for queue in [found])


def refused(client, **request):
    with pytest.raises(dci.DciError) as caught:
        client.request(**request)
    return caught.value.error


def test_wrong_requests_change_nothing(machine4, client):
    enable = pb.SleepLocksEnableRequest
    assert refused(client, sleep_locks_read=pb.SleepLocksReadRequest()) == E_NOENT
    assert refused(client, sleep_locks_enable=enable(on=False)) == E_NOENT
    assert refused(client, sleep_locks_enable=enable(on=True, pids=[0])) == E_INVAL
    assert refused(client, sleep_locks_enable=enable(on=True, pids=[999999])) == E_NOENT
    assert refused(client, sleep_locks_enable=enable(on=True, coid=0x1000)) == E_INVAL
    fs = pid_of(machine4, "fs")
    assert refused(client, sleep_locks_enable=enable(on=True, pids=[fs], coid=0x10)) == E_NOENT
    assert refused(client, sleep_locks_read=pb.SleepLocksReadRequest()) == E_NOENT
    for arguments in (["--pid", "x"], ["--pid", "0"], ["--pid", "1,"], ["--object", "16"]):
        assert machine4.kov_run("locks", "--sleep", *arguments, check=False).returncode == 2


def test_one_client_has_it_and_lets_go_when_it_goes(machine4, client):
    enable = pb.SleepLocksEnableRequest(on=True)
    with dci.connect(machine4.port, CONTROLLER) as other:
        other.request(sleep_locks_enable=enable)
        assert refused(client, sleep_locks_enable=enable) == E_BUSY
        assert machine4.kov_run("locks", "--sleep", "-d", "1", check=False).returncode == 1

    def enabled():
        try:
            return client.request(sleep_locks_enable=enable)
        except dci.DciError as error:
            assert error.error == E_BUSY
            return None

    wait_for(enabled, "the other client has let go")
    assert list(client.responses(client.send(sleep_locks_read=pb.SleepLocksReadRequest())))
    client.request(sleep_locks_enable=pb.SleepLocksEnableRequest(on=False))
    machine4.kov("locks", "--sleep", "-d", "0.5")


def test_a_stuck_process_is_told_and_the_others_are_shown(machine4, client):
    pid = start_stuck(client)
    found = machine4.kov("locks", "--sleep", "-d", "1")
    assert {one["pid"]: one["error"] for one in found["failures"]} == {pid: E_TIMEOUT}
    assert {"init", "fs", "net"} <= {one["process"] for one in found["objects"]}
    client.request(kill=pb.KillRequest(pid=pid))
