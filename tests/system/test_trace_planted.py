# SPDX-License-Identifier: MIT
"""Faults that are planted, and found in the trace: servers that wait for each other, and a program that polls."""

import json
import re
import subprocess

import servers
from machine import KOV, Machine, Monitor
from waiting import PATIENCE, wait_for

POLLS = 50


def test_a_deadlock_is_found_in_a_memory_dump(boot, tmp_path):
    machine = boot(cpus=2, append="init=bin/deadlock", network=False)
    machine.wait_console("deadlock: planted")
    first, second = map(int, re.search(r"servers (\d+) and (\d+)", machine.console).groups())
    dump = tmp_path / "memory.elf"
    with Monitor(machine.qmp_path) as monitor:
        monitor.command("stop")
        wait_for(lambda: monitor.command("query-status")["status"] == "paused", "the machine stops")
        monitor.command("dump-guest-memory", paging=False, protocol=f"file:{dump}")
    command = [KOV, "trace", "waits", "--dump", str(dump)]
    found = json.loads(subprocess.run([*command, "--json"], stdout=subprocess.PIPE,
                                      timeout=PATIENCE, check=True).stdout)
    waits = {(wait["pid"], wait["method"], wait["of_pid"]) for wait in found["waits"]}
    assert {(first, 72, second), (second, 73, first)} <= waits, found["waits"]
    cycles = {f"{first} → {second} → {first}", f"{second} → {first} → {second}"}
    [deadlock] = [row for row in found["deadlocks"] if row["cycle"] in cycles]
    assert not deadlock["unsure"]
    begun = next(wait for wait in found["waits"] if wait["method"] == 71)
    assert re.search(f"method 71 of process {first} thread .*method 72 of process {second} thread .*"
                     f"method 73 of process {first} .*…$", begun["chain"]), begun
    shown = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=PATIENCE,
                           check=True).stdout
    assert f"deadlock: {deadlock['cycle']}\n" in shown


def test_a_poll_is_found(tmp_path):
    with Machine(str(tmp_path), "poll", cpus=2) as machine:
        folder = tmp_path / "trace"
        recorder = servers.started(machine.wait_ready(), "trace", "record", "-o", str(folder), "-e",
                                   "SCHED,EXC,IRQ,TIMER", "-d", "3600")
        servers.wait_owner(machine, "tracing")
        machine.kov_run("run", "poll", str(POLLS))
        servers.interrupt(recorder)
        sched = machine.kov("trace", "sched", str(folder))
        idle = machine.kov("trace", "idle", str(folder))
    hz = sched["hz"]
    polls = [row for row in sched["waits"] if row["reason"] == "event" and row["count"] >= POLLS
             and 0.9 * hz / 100 <= row["p50_ticks"]]
    woken = {row["thread"]: row for row in sched["wakers"] if row["reason"] == "time"
             and row["by"] == 0 and row["count"] >= POLLS}
    [poll] = [row for row in polls if row["thread"] in woken and row["pid"] not in (None, 0)]
    [cpu] = [row["cpu"] for row in sched["threads"] if row["thread"] == poll["thread"]]
    [its] = [row for row in idle["cpus"] if row["cpu"] == cpu]
    assert its["timer"] >= POLLS and its["max_ticks"] >= 0.5 * hz / 100
