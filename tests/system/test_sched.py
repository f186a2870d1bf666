# SPDX-License-Identifier: MIT
"""The scheduler in user mode: its decisions, what led to them, and that it may die."""

import re

import pytest

from machine import CONTROLLER, OBSERVER
from waiting import wait_for

CROWD = 4  # processes, of two threads that yield each
DIFFERENCE = 2
SETTLED = 50  # readings: a second's
SWITCHES = 100


def crowd(boot, options=""):
    """A machine whose CPU 0 has all to do."""
    machine = boot(cpus=2, append=f"run=bin/test-place,crowd {options}")
    wait_for(lambda: len(begun(machine)) == CROWD, "the processes")
    return machine


def begun(machine):
    return {int(pid) for pid in re.findall(r"^process (\d+) begins", machine.console, re.MULTILINE)}


def places(machine):
    """Where each process has said to be last, by itself."""
    told = dict.fromkeys(begun(machine), 0)
    for pid, cpu in re.findall(r"process (\d+) is on CPU (\d+)", machine.console):
        told[int(pid)] = int(cpu)
    return told


def spread(machine):
    return sorted(places(machine).values()) == [0, 0, 1, 1]


def sched(machine, *words, token=CONTROLLER):
    done = machine.kov_run("sched", *words, check=False, token=token)
    return done.returncode, done.stdout + done.stderr


def account(machine):
    return machine.kov("sched")


def settle(machine):
    """Waits for readings that lead to nothing."""
    found = account(machine)
    wait_for(lambda: account(machine)["readings"] >= found["readings"] + SETTLED, "readings")
    return account(machine)


def check_numbers(decision):
    """The policy's rule, written once more."""
    source, target = decision["from"], decision["to"]
    assert len(decision["queues"]) == 5
    for lengths in decision["queues"]:
        assert lengths[source] >= lengths[target] + DIFFERENCE, decision
    shares = [one["percent"] for one in decision["candidates"]]
    assert decision["candidates"][0]["pid"] == decision["pid"] and shares == sorted(shares)[::-1]


def test_balance_spreads_what_began_on_one_cpu(boot):
    machine = crowd(boot)
    before = account(machine)
    assert before["policy"] == "none" and before["decided"] == 0 and places_of(machine) == set()
    code, said = sched(machine, "policy", "balance", token=OBSERVER)
    assert code == 1 and "not permitted" in said, said
    assert sched(machine, "policy", "balance") == (0, "policy balance\n")
    wait_for(lambda: spread(machine), "two processes on each CPU")
    moved = {pid for pid, cpu in places(machine).items() if cpu == 1}
    found = settle(machine)
    assert found["policy"] == "balance" and found["failed_readings"] == 0
    assert moved <= {one["pid"] for one in found["decisions"]}
    for decision in found["decisions"]:
        assert decision["policy"] == "balance" and decision["result"] == "done"
        check_numbers(decision)
    for pid in moved:
        why = machine.kov("sched", "why", str(pid))
        assert why["replay"] == "same" and why["decisions"][0]["pid"] == pid
    table = sched(machine)[1]
    assert re.search(r"test-place +0 +1 +done +(\d+ ){5}\| (\d+ ){5}", table), table
    refuse(machine)
    pinned_stays(machine, moved.pop())


def places_of(machine):
    return {one["pid"] for one in account(machine)["decisions"]}


def refuse(machine):
    before = account(machine)["decided"]
    for words, reason in ((("policy", "no-such"), "no such policy"), (("why", "1"), "none of"),
                          (("pin", "999999", "0"), "no such thing"),
                          (("pin", str(min(begun(machine))), "2"), "there are 2 CPUs"),
                          (("policy",), "give nothing")):
        code, said = sched(machine, *words)
        assert code != 0 and reason in said, said
    busy = machine.kov_run("run", "logs", "--", "1", check=False)
    assert busy.returncode != 0 and "sched" in busy.stdout + busy.stderr, busy
    assert account(machine)["decided"] >= before


def pinned_stays(machine, pid):
    """Three on CPU 0, of which one is pinned there: another one goes."""
    assert sched(machine, "pin", str(pid), "0")[0] == 0
    wait_for(lambda: places(machine)[pid] == 0, "the pinned process")
    wait_for(lambda: spread(machine), "two processes on each CPU again")
    assert places(machine)[pid] == 0
    assert sched(machine, "pin", str(pid), "none")[0] == 0


def test_the_policy_is_switched_100_times(boot):
    machine = crowd(boot)
    for turn in range(SWITCHES):
        assert sched(machine, "policy", ("balance", "none")[turn % 2])[0] == 0
    assert account(machine)["policy"] == "none"
    logs = machine.kov_run("run", "logs", "--", "1")
    assert "rows; lost" in logs.stdout
    assert sched(machine, "policy", "balance") == (0, "policy balance\n")
    wait_for(lambda: spread(machine), "two processes on each CPU")
    alive = {one["pid"] for one in machine.kov("ps")["processes"]}
    assert begun(machine) <= alive


def scheduler(machine):
    found = [one["pid"] for one in machine.kov("ps")["processes"] if one["name"] == "sched"]
    return found[0] if found else None


def next_one(machine, old):
    wait_for(lambda: scheduler(machine) not in (None, old), "the next scheduler")


# init waits longer before each next start.
@pytest.mark.parametrize("kills", [6, pytest.param(20, marks=pytest.mark.minutes)])
def test_the_scheduler_is_killed(boot, kills):
    """All go on. A new one moves nothing for its start alone: each of its decisions follows from
    its numbers. It acts if it has to."""
    machine = crowd(boot, "sched=balance")
    wait_for(lambda: spread(machine), "two processes on each CPU")
    for _ in range(kills):
        old = scheduler(machine)
        machine.kov_run("kill", str(old))
        next_one(machine, old)
    found = settle(machine)
    assert found["policy"] == "balance"
    for decision in found["decisions"]:
        check_numbers(decision)
    assert begun(machine) <= {one["pid"] for one in machine.kov("ps")["processes"]}
    for pid in begun(machine):
        assert sched(machine, "pin", str(pid), "0")[0] == 0
    wait_for(lambda: 1 not in places(machine).values(), "all are pinned to CPU 0")
    for pid in begun(machine):
        assert sched(machine, "pin", str(pid), "none")[0] == 0
    wait_for(lambda: spread(machine), "two processes on each CPU again")
