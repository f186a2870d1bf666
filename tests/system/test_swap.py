# SPDX-License-Identifier: MIT
"""Hot-swap of a counter while all CPUs add to it: its account stays exact."""

import time

import pytest

from machine import CONTROLLER, OBSERVER
from waiting import PATIENCE, wait_for

MINUTE = 60  # seconds
LEAST_SWAPS = 200
LEAST_LOOKS = 8  # each tool twice
NEVER_ENOUGH = 10000000  # swaps: the test ends it


def account(machine, run):
    """The report of a workload that has ended, as numbers by key; an object's without its COID."""
    result = wait_for(lambda: ended(machine, run), "the end of the workload")
    return {key.split(".")[0]: int(value) for key, value in result["report"].items()}


def ended(machine, run):
    result = machine.kov("workload", "status", run)["workload"]
    return None if result["running"] else result


def start(machine, *parameters):
    return str(machine.kov("workload", "start", "counters", *parameters)["workload"]["id"])


def the_counter(machine):
    (found,) = machine.kov("swap", "--list")["objects"]
    return found


def swapped(machine, coid, implementation, *options, token=CONTROLLER):
    done = machine.kov_run("swap", *options, coid, implementation, check=False, token=token)
    return done.returncode, done.stdout + done.stderr


def refused(machine, reason, *arguments, **options):
    before = the_counter(machine)
    code, said = swapped(machine, *arguments, **options)
    assert code == 1 and reason in said, said
    assert the_counter(machine) == before


def test_kov_swaps_a_counter_in_use_and_back(machine2):
    run = start(machine2)
    found = the_counter(machine2)
    coid = found["coid"]
    assert found["implementation"] == "SharedCounter"
    assert found["becomes"] == "DistributedCounter"
    for turn in range(6):
        name = ("DistributedCounter", "SharedCounter")[turn % 2]
        wait_for(lambda: swapped(machine2, coid, name)[0] == 0, "a swap")  # pylint: disable=W0640
        found = the_counter(machine2)
        assert (found["implementation"], found["swaps"], found["coid"]) == (name, turn + 1, coid)
        assert implementations(machine2) == [(name, turn + 1, coid)]
    refused(machine2, "it cannot become that", coid, "TurningCounter")
    refused(machine2, "already", coid, "SharedCounter")
    refused(machine2, "can have this number", "0x10001", "SharedCounter")
    refused(machine2, "cannot be swapped", "0x10000", "SharedCounter")
    refused(machine2, "only objects of the kernel", coid, "DistributedCounter", "--pid", "1")
    refused(machine2, "not permitted", coid, "DistributedCounter", token=OBSERVER)
    machine2.kov("workload", "stop", run)
    found = account(machine2, run)
    print(found)
    assert found["added"] == found["value"] > 0
    assert found["failed"] == 0
    start_again = start(machine2, "seconds=1")
    code, said = swapped(machine2, coid, "DistributedCounter")
    assert code == 1 and "gone" in said
    account(machine2, start_again)


def implementations(machine):
    return [(found["implementation"], found["swaps"], found["coid"])
            for found in machine.kov("objects", "--flat", "--class", "Counter")["objects"]]


def look(machine, folder, turn):
    """One of the tools that follow instances."""
    tool = turn % 4
    if tool == 0:
        machine.kov("stat", "-d", "0.5")
    elif tool == 1:
        assert len(implementations(machine)) == 1
    elif tool == 2:
        machine.kov("record", "-o", str(folder / f"samples{turn}"), "-d", "0.5")
    else:
        machine.kov_run("trace", "record", "-o", str(folder / f"trace{turn}"), "-d", "0.2")


def until_enough(machine, folder, run):
    """Looks at the machine while its workload swaps, for a minute, and on until there are enough
    swaps and looks. Returns how often it looked."""
    begin, turn = time.monotonic(), 0
    while (time.monotonic() < begin + MINUTE or turn < LEAST_LOOKS
           or the_counter(machine)["swaps"] < LEAST_SWAPS):
        assert not ended(machine, run), "it ends by itself only at an error"
        if time.monotonic() > begin + PATIENCE:
            machine.fail_hung(f"too few swaps: {the_counter(machine)}")
        look(machine, folder, turn)
        turn += 1
    return turn


# How many swaps a minute has is the host's affair: on a busy one most are called off.
# On several it may stand still: docs/caveats.md.
@pytest.mark.minutes
@pytest.mark.parametrize("cpus", (1,))
def test_many_swaps_beside_everything_lose_no_call(boot, tmp_path, cpus):
    machine = boot(cpus=cpus).wait_ready()
    run = start(machine, f"swaps={NEVER_ENOUGH}")
    looks = until_enough(machine, tmp_path, run)
    machine.kov("workload", "stop", run)
    found = account(machine, run)
    print(cpus, "CPUs", found, looks, "looks")
    assert found["failed"] == 0
    assert found["swapped"] >= LEAST_SWAPS
    assert found["added"] == found["value"] > found["swapped"]


def test_swaps_lose_no_call(machine2):
    run = start(machine2, "swaps=200")
    found = account(machine2, run)
    print(found)
    assert found["swapped"] == 200
    assert found["added"] == found["value"] > 200
    assert found["failed"] == 0
