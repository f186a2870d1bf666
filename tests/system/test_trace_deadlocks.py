# SPDX-License-Identifier: MIT
"""Who waits for whom, as snapshots, recordings and memory dumps tell it: no deadlock on a healthy
machine with all its servers, and planted ones that are found when nobody recorded."""

import json
import os
import shutil
import subprocess
from contextlib import contextmanager

import pytest

import ctf
import servers
from machine import KOV, PROGRAMS, Machine
from variables import Variables
from waiting import PATIENCE


@pytest.fixture(scope="module", params=[1, 2, 4], ids=lambda cpus: f"{cpus} CPUs", name="machine")
def _machine(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("deadlocks")
    with Machine(str(folder), "deadlocks", cpus=request.param) as machine:
        yield machine.wait_ready()


def waits_of(*source):
    shown = subprocess.run([KOV, "trace", "waits", "--json", *map(str, source)], check=True,
                           stdout=subprocess.PIPE, text=True, timeout=PATIENCE)
    return json.loads(shown.stdout)


def looks(machine, folder):
    """The waits of a snapshot, of a recording that begins now, and of a memory dump."""
    snapshot, recording, dump = (folder / name for name in ("snapshot", "recording", "memory"))
    machine.kov_run("trace", "snapshot", "-o", str(snapshot))
    machine.kov_run("trace", "record", "-e", "irq", "-o", str(recording), "-d", "0.2")
    machine.dump_memory(dump)
    found = {"snapshot": waits_of(snapshot), "recording": waits_of(recording),
             "dump": waits_of("--dump", dump)}
    dump.unlink()
    return found


def pids_of(machine, name):
    return [one["pid"] for one in machine.kov("ps")["processes"] if one["name"] == name]


@contextmanager
def planted(machine, program, *arguments):
    """A program that has said that it is stuck: the numbers of its processes."""
    running = servers.started(machine, "run", program, *arguments)
    first = running.stdout.readline()
    assert first.startswith(f"{program}: "), (first, running.stderr.read())
    if "planted" not in first:  # one of its servers says so on the console
        machine.wait_for(lambda: any(f"{program}: planted, found from process {pid}\n" in
                                     machine.console.replace("\r", "")
                                     for pid in pids_of(machine, program)), f"{program} is stuck")
    pids = pids_of(machine, program)
    try:
        yield pids
    finally:
        for pid in pids:
            machine.kov_run("kill", str(pid), check=False)
        running.communicate(timeout=PATIENCE)
        machine.wait_for(lambda: not pids_of(machine, program), f"{program} ends")


def pids_in(found, deadlock):
    return {found["waits"][index]["pid"] for index in deadlock["waits"]}


def is_named(found, program, pids, threads):
    """Of these processes one deadlock is told; there may be others."""
    [deadlock] = [one for one in found["deadlocks"] if pids_in(found, one) & set(pids)]
    nodes = deadlock["cycle"].split(" → ")
    assert len(set(nodes)) == threads and nodes[0] == nodes[-1], deadlock
    assert pids_in(found, deadlock) <= set(pids), deadlock
    assert all(node.startswith(f"{program}:") for node in nodes), deadlock
    assert not deadlock["unsure"], found


def test_a_call_that_is_kept_is_no_deadlock(machine, tmp_path):
    """net and dci each keep a call of the other, to answer it later. A dump may come just when one
    of them is answered."""
    [net], [dci] = pids_of(machine, "net"), pids_of(machine, "dci")
    for where, found in looks(machine, tmp_path).items():
        kept = {(wait["pid"], wait["of_pid"]) for wait in found["waits"]
                if wait["user_thread"] and not wait["of_user_thread"]}
        assert {(net, dci), (dci, net)} <= kept or where == "dump", (where, found)
        assert found["deadlocks"] == [], where


@pytest.mark.parametrize("program, threads", [("deadlock", 3), ("crossed", 2)])
def test_a_deadlock_is_found_afterwards(machine, tmp_path, program, threads):
    with planted(machine, program) as pids:
        for found in looks(machine, tmp_path).values():
            is_named(found, program, pids, threads)
            assert len(found["deadlocks"]) == 1, found


@pytest.mark.parametrize("program, threads", [("deadlock", 3), ("crossed", 2)])
def test_a_deadlock_that_arises_meanwhile_is_found(machine, tmp_path, program, threads):
    """Even if no event of the recording's majors tells of waits: its end does."""
    recorder = servers.started(machine, "trace", "record", "-o", str(tmp_path / "trace"),
                               "-e", "irq", "-d", "3600")
    servers.wait_owner(machine, "tracing")
    with planted(machine, program) as pids:
        servers.interrupt(recorder)
        is_named(waits_of(tmp_path / "trace"), program, pids, threads)


def test_a_wait_with_a_time_limit_is_no_deadlock(machine, tmp_path):
    with planted(machine, "crossed", "limited") as [pid]:
        for where, found in looks(machine, tmp_path).items():
            waits = [wait for wait in found["waits"] if wait["pid"] == pid]
            assert [wait["what"] for wait in waits] == ["mutex", "mutex"], (where, found)
            assert found["deadlocks"] == [], where


def test_who_waits_within_a_program_is_told(machine, tmp_path):
    """For another thread's end, a semaphore, a condition. Only the first has somebody for whom."""
    variables = Variables(os.path.join(PROGRAMS, "waits.elf"))
    with planted(machine, "waits") as [pid]:
        for where, found in looks(machine, tmp_path).items():
            waits = {wait["what"]: wait for wait in found["waits"] if wait["pid"] == pid}
            assert set(waits) == {"join", "semaphore", "condition", "mutex"}, (where, found)
            threads = {what: wait["user_thread"] for what, wait in waits.items()}
            assert waits["join"]["of_user_thread"] == threads["semaphore"], (where, found)
            assert waits["mutex"]["of_user_thread"] == threads["condition"], (where, found)
            for what in "semaphore", "condition":
                assert waits[what]["of_pid"] is waits[what]["of_user_thread"] is None
            assert waits["join"]["chain"].startswith(f"waits:{pid} user thread"), waits["join"]
            assert waits["join"]["chain"].endswith(" → semaphore never"), waits["join"]
            assert waits["condition"]["chain"].endswith(" → condition change"), waits["condition"]
            assert " → mutex held of waits:" in waits["mutex"]["chain"], waits["mutex"]
            for what in "semaphore", "condition", "mutex":
                address = int(waits[what]["object"], 0)
                assert waits[what]["object_name"] == variables.name_at(address), waits[what]
            assert found["deadlocks"] == [], where


def test_without_its_file_what_a_program_waits_for_is_an_address(machine, tmp_path):
    variables = Variables(os.path.join(PROGRAMS, "waits.elf"))
    with planted(machine, "waits") as [pid]:
        machine.kov_run("trace", "snapshot", "-o", str(tmp_path / "trace"))
    done = subprocess.run([KOV, "trace", "waits", "--json", "--programs", str(tmp_path),
                           str(tmp_path / "trace")], check=True, capture_output=True, text=True)
    waits = {wait["what"]: wait for wait in json.loads(done.stdout)["waits"]
             if wait["pid"] == pid}
    address = f"{variables.address('never'):#x}"
    assert waits["semaphore"]["object"] == waits["semaphore"]["object_name"] == address
    assert waits["semaphore"]["chain"].endswith(f" → semaphore {address}")
    assert "waits" in done.stderr, "the file that is missing is told"


# ---- lies --------------------------------------------------------------------------------------

LIES = ("wild", "circle", "change", "limited")


@contextmanager
def liars(machine):
    """A program for each lie about its threads: their pids."""
    running = [servers.started(machine, "run", "lying-threads", lie) for lie in LIES]
    pids = {}
    for lie, client in zip(LIES, running):
        said = client.stdout.readline()
        assert said.startswith(f"lying-threads: {lie} "), (said, client.stderr.read())
        pids[lie] = int(said.split()[-1])
    try:
        yield pids
    finally:
        for pid in pids.values():
            machine.kov_run("kill", str(pid), check=False)
        for client in running:
            client.communicate(timeout=PATIENCE)


def test_a_program_that_lies_of_its_threads_speaks_of_itself_alone(machine, tmp_path):
    with liars(machine) as pids:
        own = {pids["wild"], pids["change"]}  # what they say by chance may be a circle
        for turn in range(3):
            folder = tmp_path / str(turn)
            folder.mkdir()
            for where, found in looks(machine, folder).items():
                for deadlock in found["deadlocks"]:
                    assert len(pids_in(found, deadlock)) == 1, (where, deadlock)
                    assert pids_in(found, deadlock) <= own, (where, deadlock)
                for wait in found["waits"]:
                    if wait["pid"] in pids.values():
                        assert wait["of_pid"] in (None, wait["pid"]), (where, wait)
            for name in "snapshot", "recording":
                summary, complaints = ctf.read(folder / name)
                assert summary.events > 0 and summary.strange == [], complaints
                assert complaints == "" and summary.backwards == 0
            shutil.rmtree(folder)
        assert set(pids_of(machine, "lying-threads")) == set(pids.values())


def test_a_deadlock_is_found_beside_lies(machine, tmp_path):
    with liars(machine), planted(machine, "crossed") as crossed:
        for found in looks(machine, tmp_path).values():
            is_named(found, "crossed", crossed, 2)


# ---- often -------------------------------------------------------------------------------------

@pytest.mark.minutes
def test_a_healthy_machine_never_has_a_deadlock(machine, tmp_path):
    for turn in range(20):
        folder = tmp_path / str(turn)
        folder.mkdir()
        for where, found in looks(machine, folder).items():
            assert found["deadlocks"] == [], (turn, where, found)
        shutil.rmtree(folder)
