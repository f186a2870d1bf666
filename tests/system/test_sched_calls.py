# SPDX-License-Identifier: MIT
"""The policy `calls`: clients and servers come to one CPU. How many calls go across is what the
clients count themselves, as their servers say where they served."""

import re

import pytest

from machine import CONTROLLER
from waiting import wait_for

SETTLED = 60  # readings
ACROSS_LEAST = 100  # a second of the client's own
IDLE_MS = 3000
AGAIN = 12
ROOM = 5  # that the server's CPU may have waiting more, in all readings together
FEW, MOST = 0.05, 0.95


def begin(boot, load, cpus=2, options=""):
    machine = boot(cpus=cpus, append=f"run=bin/test-place,{load} {options}")
    wait_for(lambda: len(pairs_of(machine)) == (1 if load == "full" else 2), "the pairs")
    return machine


def pairs_of(machine):
    """Clients to their servers."""
    return {int(client): int(server) for client, server in re.findall(
        r"^pair (\d+) calls (\d+)", machine.console, re.MULTILINE)}


def told(machine, client):
    """What a client has counted: calls and those across, of each quarter of a second."""
    return [(int(calls), int(across)) for calls, across in re.findall(
        rf"client {client}: (\d+) calls, (\d+) across", machine.console)]


def shares(machine, since):
    """Of each client's last window that began after `since` of them: across / calls."""
    found = []
    for client in pairs_of(machine):
        windows = told(machine, client)[since[client] + 1:]
        found.append(windows[-1][1] / windows[-1][0] if windows and windows[-1][0] else None)
    return found


def now(machine):
    return {client: len(told(machine, client)) for client in pairs_of(machine)}


def wait_apart(machine):
    since = now(machine)
    wait_for(lambda: all(share is not None and share > MOST for share in shares(machine, since)),
             "calls from CPU to CPU")


def wait_together(machine):
    since = now(machine)
    wait_for(lambda: all(share is not None and share < FEW for share in shares(machine, since)),
             "calls on one CPU")


def sched(machine, *words):
    done = machine.kov_run("sched", *words, check=False, token=CONTROLLER)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def about(machine, pids, action=None):
    """The decisions about these processes, the oldest first."""
    return [one for one in machine.kov("sched")["decisions"]
            if one["pid"] in pids and action in (None, one["action"])]


def check_pair(decision, pairs):
    """The numbers that led to it are those of the pair."""
    pair = decision["pairs"][0]
    assert decision["policy"] == "calls" and decision["result"] == "done", decision
    assert pairs[pair["client"]] == pair["server"]
    assert pair["across"] >= pair["client_percent"] / 100 * ACROSS_LEAST, decision
    assert pair["calls"] * FEW < pair["across"] <= pair["calls"], decision
    assert pair["client_cpu"] != pair["server_cpu"]
    assert decision["pairs_ms"] > 0 and decision["pairs_age_ms"] is not None


def check_way(decision):
    """The client moves where the server's CPU has room, else the server spreads. There mostly is; a
    busy host may leave one CPU out while others' work comes together on it."""
    (pair,) = decision["pairs"][:1]
    server, client = (sum(one[pair[cpu]] for one in decision["queues"])
                      for cpu in ("server_cpu", "client_cpu"))
    who, action = ("client", "move") if server <= client + ROOM else ("server", "spread")
    assert (decision["action"], decision["pid"]) == (action, pair[who]), decision


def check_replay(machine, pid):
    why = machine.kov("sched", "why", str(pid))
    assert why["replay"] == "same" and why["decisions"][0]["pid"] == pid


def settle(machine):
    found = machine.kov("sched")
    wait_for(lambda: machine.kov("sched")["readings"] >= found["readings"] + SETTLED, "readings")
    return machine.kov("sched")


@pytest.mark.parametrize("cpus", [2, 4])
def test_clients_come_to_their_servers(boot, cpus):
    machine = begin(boot, "pairs", cpus)
    pairs = pairs_of(machine)
    before = machine.kov("sched")
    assert before["pairs_ms"] is None and before["pairs"] == [], "nothing is known of calls"
    wait_apart(machine)
    sched(machine, "policy", "calls")
    wait_together(machine)
    found = settle(machine)
    wait_together(machine)
    decisions = about(machine, pairs.keys() | pairs.values())
    for decision in decisions:
        check_pair(decision, pairs)
        check_way(decision)
        there = decision["at_from"]
        if decision["action"] == "move":
            assert there["calls"] > 0 and there["age_ms"] is not None, decision
        check_replay(machine, decision["pid"])
    assert found["failed_readings"] == 0 and found["processes_in_one_domain"] == 0
    known = {(one["client"], one["server"]): one for one in found["pairs"] if "client" in one}
    for client, server in pairs.items():
        assert known[client, server]["calls"] > 0
        assert known[client, server]["across"] < known[client, server]["calls"] * FEW
    assert len(decisions) <= 2 * len(pairs), "it decides once for a pair, or once more"
    sched(machine, "policy", "none")
    assert machine.kov("sched")["pairs_ms"] is None


def test_a_policy_that_is_chosen_again_sees_calls(boot):
    """At any time, also while calls are not logged."""
    machine = begin(boot, "pairs")
    sched(machine, "policy", "calls")
    wait_together(machine)
    settle(machine)
    seen = []
    for _ in range(AGAIN):
        sched(machine, "policy", "calls")
        seen.append(wait_for(lambda: (found := machine.kov("sched"))["pairs_ms"] and found,
                             "a block of readings")["pairs"])
    # In a block of 120 ms a busy host may have let the clients do nothing.
    assert sum(bool(pairs) for pairs in seen) > AGAIN / 2, seen


def test_the_server_spreads_where_a_client_is_pinned_and_is_gathered(boot):
    machine = begin(boot, "pairs")
    pairs = pairs_of(machine)
    wait_apart(machine)
    homes = where_served(machine)
    for turn, client in enumerate(pairs):
        sched(machine, "pin", str(client), str((turn + 1) % 2))
    sched(machine, "policy", "calls")
    wait_together(machine)
    spreads = about(machine, pairs.values())
    assert {one["pid"] for one in spreads} == set(pairs.values())
    for decision in spreads:
        assert decision["action"] == "spread" and decision["from"] == homes[decision["pid"]]
        check_pair(decision, pairs)
        check_replay(machine, decision["pid"])
    for client in pairs:
        machine.kov_run("kill", str(client))
    wait_for(lambda: len(about(machine, pairs.values(), "gather")) == 2, "both are gathered")
    for decision in about(machine, pairs.values(), "gather"):
        assert decision["pairs"][0]["idle_ms"] >= IDLE_MS and "client" not in decision["pairs"][0]
        assert decision["to"] == homes[decision["pid"]] != decision["from"]
        assert decision["result"] == "done"
        check_replay(machine, decision["pid"])
    settle(machine)
    assert len(about(machine, pairs.values())) == 4


def where_served(machine):
    """Where each server has its only dispatcher."""
    found = {one["pid"]: one["dispatchers"] for one in machine.kov("ps")["processes"]}
    return {server: found[server].bit_length() - 1 for server in pairs_of(machine).values()}


def test_the_server_spreads_where_its_cpu_is_full(boot):
    machine = begin(boot, "full")
    pairs = pairs_of(machine)
    (client, server), = pairs.items()
    sched(machine, "policy", "calls")
    wait_for(lambda: about(machine, {client, server}), "a decision")
    decision = about(machine, {client, server})[0]
    assert (decision["action"], decision["pid"]) == ("spread", server)
    source, target = 1, 0
    assert (decision["from"], decision["to"]) == (source, target)
    assert sum(one[source] for one in decision["queues"]) > 5 + sum(
        one[target] for one in decision["queues"])
    check_pair(decision, pairs)
    check_replay(machine, server)
    wait_together(machine)


def scheduler(machine):
    found = [one["pid"] for one in machine.kov("ps")["processes"] if one["name"] == "sched"]
    return found[0] if found else None


@pytest.mark.parametrize("kills", [4, pytest.param(20, marks=pytest.mark.minutes)])
def test_the_scheduler_is_killed_beside_calls(boot, kills):
    machine = begin(boot, "pairs", options="sched=calls")
    wait_together(machine)
    for _ in range(kills):
        old = scheduler(machine)
        machine.kov_run("kill", str(old))
        wait_for(lambda: scheduler(machine) not in (None, old), "the next scheduler")
    wait_together(machine)
    assert settle(machine)["failed_readings"] == 0
    alive = {one["pid"] for one in machine.kov("ps")["processes"]}
    assert pairs_of(machine).keys() | set(pairs_of(machine).values()) <= alive
