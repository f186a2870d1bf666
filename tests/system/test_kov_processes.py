# SPDX-License-Identifier: MIT
"""Processes as kov shows, runs and ends them; the console."""

import os
import subprocess

import pytest

import dci_client as dci
from dci_client import pb
from machine import CONTROLLER, PROGRAMS, pid_of
from servers import kill, started
from waiting import PATIENCE, wait_for

SERVERS = {"init", "fs", "net", "dci"}


def test_the_servers_are_processes(machine2):
    processes = {one["name"]: one for one in machine2.kov("ps")["processes"]}
    assert SERVERS <= processes.keys(), processes.keys()
    assert processes["init"]["pid"] == 1 and processes["init"]["parent"] == 0
    assert all(processes[name]["parent"] == 1 for name in SERVERS - {"init"})
    assert all(one["state"] == "live" and one["memory_bytes"] > 0 for one in processes.values())


def test_the_whole_system_is_one_tree(machine2):
    objects = machine2.kov("objects")["objects"]
    processes = machine2.kov("ps")["processes"]
    kernel = {one["coid"]: one for one in objects if one["pid"] == 0}
    for process in processes:
        if process["name"] not in SERVERS:
            continue
        side = kernel[process["object"]]
        assert side["class"] == "Process"
        below = {kernel[child]["class"] for child in side["children"] if child in kernel}
        assert {"Region", "HAT", "PM"} <= below, (process, below)
        own = [one for one in objects if one["pid"] == process["pid"]]
        assert "ObjectManager" in {one["class"] for one in own}, process
    text = machine2.kov_run("objects").stdout
    order = [text.index(line) for line in ("machine\n", "|- kernel\n", "init:1", "in the kernel",
                                           "in the process")]
    assert order == sorted(order)


def test_the_viewer_is_an_object_of_its_server(machine2):
    objects = machine2.kov("objects", "--pid", str(pid_of(machine2, "dci")))["objects"]
    server = next(one for one in objects if one["class"] == "DciServer")
    clients = [one["coid"] for one in objects if one["class"] == "DciClient" and one["pid"] != 0]
    assert sorted(server["children"]) == sorted(clients) and clients


def test_a_program_is_run_with_arguments_input_and_status(machine2):
    assert machine2.kov_run("run", "echo", "one", "two words").stdout == "one two words\n"
    assert "dci" in machine2.kov_run("run", "ls", "/bin").stdout
    fed = subprocess.run(machine2.kov_command("run", "cat"), input="some lines\n" * 5000,
                         capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert fed.returncode == 0 and fed.stdout == "some lines\n" * 5000, fed.stderr
    failed = machine2.kov_run("run", "false", check=False)
    assert failed.returncode == 1 and "status 1" in failed.stderr
    missing = machine2.kov_run("run", "nonesuch", check=False)
    assert missing.returncode == 1 and "nonesuch" in missing.stderr


def test_a_local_program_is_uploaded(machine2):
    done = machine2.kov("run", os.path.join(PROGRAMS, "echo.elf"), "from", "outside")
    assert done["output"] == "from outside\n" and done["status"] == 0
    wrong = machine2.kov_run("run", __file__, check=False)
    assert wrong.returncode == 1, wrong


def test_a_crash_is_told(machine2):
    done = machine2.kov("run", "test-spawn", "null", check=False)
    assert done["status"] > 0x10000, done


def test_a_stack_as_large_as_asked_for(machine2):
    """The program says 2 MB, and touches nearly 8 MB."""
    deep = ["test-spawn", "deep", "7900"]
    small = machine2.kov("run", *deep, check=False)
    assert small["status"] > 0x10000, small
    assert machine2.kov("run", "--stack", "8M", *deep)["status"] == 0
    small = machine2.kov_run("stat", "--", "run", *deep, check=False)
    assert small.returncode == 139, small
    measured = machine2.kov("stat", "--", "run", "--stack", "8M", *deep)
    assert measured["workload"]["status"] == 0, measured
    with dci.connect(machine2.port, CONTROLLER) as client:
        for size in (1, (16 << 10) - 1, (64 << 20) + 1, (1 << 64) - 1):
            run = client.request(run_open=pb.RunOpenRequest()).run_open.run
            with pytest.raises(dci.DciError, match=f"a stack of {size} bytes: limit reached"):
                client.request(run_start=pb.RunStartRequest(run=run, program="true",
                                                            stack_bytes=size))


@pytest.mark.parametrize("words, code, told", [
    (("run", "true"), 0, ""), (("run", "false"), 1, "status 1"),
    (("run", "test-spawn", "null"), 139, "exception"), (("run", "nonesuch"), 1, "nonesuch")])
def test_a_measured_program_ends_kov_with_its_status(machine2, words, code, told):
    done = machine2.kov_run("stat", "--", *words, check=False)
    assert done.returncode == code and told in done.stderr, done


def test_a_measured_program_ends_by_a_limit_or_a_kill(machine2):
    done = machine2.kov_run("stat", "-d", "0.1", "--", "run", "sleep", "1000", check=False)
    assert done.returncode == 124 and "its time was over" in done.stderr, done
    counting = started(machine2, "stat", "--", "run", "sleep", "1000")
    wait_for(lambda: any(one["name"] == "sleep" for one in machine2.kov("ps")["processes"]))
    machine2.kov_run("kill", str(pid_of(machine2, "sleep")), "--status", "9")
    complaint = counting.communicate(timeout=PATIENCE)[1]
    assert counting.returncode == 9 and "status 9" in complaint, complaint


def test_programs_end_with_their_viewer(machine2):
    def sleepers():
        return [one for one in machine2.kov("ps")["processes"] if one["name"] == "sleep"]

    with dci.connect(machine2.port, CONTROLLER) as client:
        client.start_program("sleep", 1000)
        assert len(sleepers()) == 1
    wait_for(lambda: not sleepers())


def test_kill_ends_a_process_and_init_starts_servers_again(machine2):
    before = kill(machine2, "proc")
    wait_for(lambda: [one for one in machine2.kov("ps")["processes"]
                      if one["name"] == "proc" and one["pid"] != before])
    assert machine2.kov_run("kill", "99999", check=False).returncode == 1


def test_init_is_nobodys_to_kill(machine2):
    refused = machine2.kov_run("kill", "1", check=False)
    assert refused.returncode == 1 and "not permitted" in refused.stderr
    assert machine2.kov("ps")["processes"][0]["pid"] == 1


def test_a_process_is_moved_to_another_cpu(machine2):
    with dci.connect(machine2.port, CONTROLLER) as client:
        run, pid = client.start_program("keep-objects", 1)
        client.output_of(run, b"objects\n")
        machine2.kov_run("move", str(pid), "1")
        process = next(one for one in machine2.kov("ps")["processes"] if one["pid"] == pid)
        assert process["dispatchers"] & 2, process
        client.request(kill=pb.KillRequest(pid=pid))


def test_the_console_is_seen_and_typed_at(machine2):
    done = subprocess.run(machine2.kov_command("console", "-d", "3"),
                          input="echo four $((2+2)) five\n", capture_output=True, text=True,
                          errors="replace", timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    assert "dci: listening" in done.stdout, "what was printed before"
    assert "four" in done.stdout.split("dci: listening")[1]


@pytest.mark.parametrize("name", sorted(SERVERS))
def test_regions_of_each_server(machine2, name):
    regions = machine2.kov("regions", str(pid_of(machine2, name)))["regions"]
    assert any(region["protection"] == "r-x" and region["address"] == "0x10000000"
               for region in regions), regions
    assert not [region for region in regions if "w" in region["protection"]
                and "x" in region["protection"]]


@pytest.mark.long
def test_a_hundred_processes_of_ten_threads(machine4):
    """At once, on four CPUs; afterwards the kernel has the same objects as before."""
    def kernel_classes():
        found = machine4.kov("objects", "--pid", "0")["classes"]
        return {(one["class"], one["implementation"]): one["objects"] for one in found}

    # what is made once and kept is made now
    machine4.kov_run("run", "many-threads", "2", "2", "10")
    before = kernel_classes()
    done = machine4.kov_run("run", "many-threads", "100", "10", "50")
    assert "100 processes, 0 wrong" in done.stdout
    counted = ("Process", "HAT", "PM", "Thread")
    wait_for(lambda: all(kernel_classes().get(one, 0) <= before.get(one, 0)
                         for one in before if one[0] in counted))


@pytest.mark.long
@pytest.mark.minutes
def test_a_storm_of_ten_thousand_processes_leaves_nothing(boot):
    """One after the other, ended at any moment: not one object and no page more than before, as the
    program itself finds."""
    machine = boot(cpus=4, append="init=bin/test-processes -- only=storm storm=10000",
                   network=False)
    if machine.wait_end() != 0:
        machine.fail("it failed")
    assert "10000 processes in" in machine.console and " 0 failed" in machine.console, \
        machine.console
