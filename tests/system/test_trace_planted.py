# SPDX-License-Identifier: MIT
"""Faults that are planted, and found in the trace: servers that wait for each other, and a program
that polls."""

import json
import re
import subprocess

import servers
from machine import KOV
from waiting import PATIENCE

OP_BEGIN, OP_ASK, OP_LOOK = 71, 72, 73  # tests/guest/user/planted/deadlock.c
POLLS, POLL_SECONDS = 50, 0.01


def tool(dump, name, *options):
    command = [KOV, "trace", name, *options, "--dump", str(dump)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=PATIENCE,
                          check=True).stdout


def test_a_deadlock_is_found_in_a_memory_dump(boot, tmp_path):
    machine = boot(cpus=2, append="init=bin/deadlock", network=False)
    machine.wait_console("deadlock: planted")
    first, second = map(int, re.search(r"servers (\d+) and (\d+)", machine.console).groups())
    dump = tmp_path / "memory.elf"
    machine.dump_memory(dump)
    found = json.loads(tool(dump, "waits", "--json"))
    waits = {(wait["pid"], wait["method"], wait["of_pid"]) for wait in found["waits"]}
    assert {(first, OP_ASK, second), (second, OP_LOOK, first)} <= waits, found["waits"]
    [deadlock] = found["deadlocks"]
    assert not deadlock["unsure"]
    pids = [int(re.match(r"deadlock:(\d+)", node)[1])
            for node in deadlock["cycle"].split(" → ")]
    assert sorted(pids[1:]) == sorted([first, first, second])  # two threads of the first one
    begun = next(wait for wait in found["waits"] if wait["method"] == OP_BEGIN)
    assert re.search(f"method {OP_BEGIN} of deadlock:{first} user thread .*"
                     f"method {OP_ASK} of deadlock:{second} user thread .*"
                     f"method {OP_LOOK} of deadlock:{first} user thread .*"
                     f"mutex .* of deadlock:{first} user thread .*…$", begun["chain"]), begun
    assert f"deadlock: {deadlock['cycle']}\n" in tool(dump, "waits")


def test_a_poll_is_found(boot, tmp_path):
    """In virtual time, so that each wait is as long as the program wants it."""
    machine = boot(cpus=1, icount=True, append=f"init=bin/poll -- polls={POLLS}", network=False)
    machine.wait_console("poll: nothing")
    dump = tmp_path / "memory.elf"
    machine.dump_memory(dump)
    sched, idle = (json.loads(tool(dump, name, "--json")) for name in ("sched", "idle"))
    interval = POLL_SECONDS * sched["hz"]
    [poll] = [row for row in sched["waits"] if row["reason"] == "event" and row["count"] >= POLLS]
    assert 0.95 * interval <= poll["p50_ticks"] <= 1.05 * interval, poll
    [woken] = [row for row in sched["wakers"] if row["thread"] == poll["thread"]
               and row["reason"] == "time"]
    assert woken["count"] >= POLLS and woken["by"] == 0
    most = max(idle["lengths"], key=lambda row: row["count"])
    # Two or three may have been cut by something else that the kernel does at that time.
    assert most["from_ticks"] <= interval < most["below_ticks"]
    assert most["count"] >= 0.9 * POLLS
    [cpu] = idle["cpus"]
    assert cpu["timer"] >= POLLS


def test_a_lock_of_a_program_that_is_held_long_is_found(machine2, tmp_path):
    folder, rounds = str(tmp_path / "trace"), 20
    recorder = servers.started(machine2, "trace", "record", "-o", folder, "-e", "sched,lock,user",
                               "-d", "3600")
    servers.wait_owner(machine2, "tracing")
    mutex = machine2.kov_run("run", "held", str(rounds)).stdout.strip()
    servers.interrupt(recorder)
    locks = machine2.kov("trace", "locks", folder)["locks"]
    first = locks[0]
    assert (first["name"], first["code"], first["lock"]) == ("held", "program", mutex)
    assert first["chain"].split(" < ")[:2] == ["want_it", "want_it_often"]
    ours = [row for row in locks if row["lock"] == mutex]  # the loop may have several calls
    assert sum(row["count"] for row in ours) == rounds
    assert all(row["chain"] == first["chain"] and row["spins"] == 0 for row in ours)
