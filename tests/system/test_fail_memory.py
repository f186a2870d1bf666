# SPDX-License-Identifier: MIT
"""Memory that fails anywhere: each allocation of an operation, in turn: of the process that makes
it or of a server that it uses, in the kernel and by malloc; and any from boot on (fail=).

ORRERY_FAIL_MEMORY=all lets each allocation fail, and later ones at random, and boots more machines
(`make fail-memory`), with the seed ORRERY_FAIL_SEED; without it each place fails once that
allocates for the process itself.
"""

import os
import random
import re

import pytest

ALL = os.environ.get("ORRERY_FAIL_MEMORY") == "all"
SEED = os.environ.get("ORRERY_FAIL_SEED", str(random.randrange(1, 1 << 31)))
ARGUMENTS = f",all,seed={SEED}" if ALL else ",own"
PROGRAM = "test-fail-memory"
# The shortest operations have two; each is an attempt, with two looks at what is left.
LEAST = 200
# operation, allocations, sites, failed, error, ended, worked, restarts, lost
ROW = re.compile(r"^([a-z-]+)((?: +\d+){8})$", re.MULTILINE)
OPERATIONS = 21 if ALL else 14
RESTART = re.compile(r"^init: (\w+) \(pid \d+\) .*; restart in \d+ ms", re.MULTILINE)
BOOTED = re.compile(r"^booted: (\d+) allocations, (\d+) failed", re.MULTILINE)
PASSED = re.compile(rf"^{PROGRAM}: [1-9]\d* passed, 0 failed$", re.MULTILINE)
# How a machine says that it cannot do what the boot line wants.
NOT_BOOTED = re.compile(r"^(boot: cannot start bin/init: "
                        r"|process 1 \(init\) has ended with status "
                        rf"|init: {PROGRAM}: cannot start )", re.MULTILINE)
NEVER = 1 << 62  # more allocations than there are
WHOSE = ("all", "kernel", "1", "2")
BOOTS = 12 if ALL else 1  # of each of them


def table_of(rows):
    """The rows, with what there is in all of them."""
    heading = "operation  alloc sites failed  error  ended worked restart   lost"
    sums = [sum(numbers) for numbers in zip(*rows.values())]
    lines = [f"{name:<10} " + " ".join(map("{:6}".format, numbers))
             for name, numbers in {**rows, "all": sums}.items()]
    return "\n".join([f"seed {SEED}", heading, *lines,
                      f"{sums[1]} sites, {sums[2]} allocations failed: {sums[3]} errors, "
                      f"{sums[4]} processes ended, {sums[6]} servers restarted; "
                      f"0 panics, {sums[7]} leaks"])


@pytest.mark.long
def test_an_allocation_that_fails_costs_its_operation_alone(boot):
    machine = boot("fail-memory", pmu="model", append=f"run=bin/{PROGRAM}{ARGUMENTS} oneshot")
    console = machine.wait_passed(PROGRAM, LEAST, timeout=6 * 3600 if ALL else 1800)
    assert "NULL pointer" not in console, machine.describe()
    assert "bad data address" not in console, "a page that was not to be had is no wrong address"
    rows = {name: [int(number) for number in numbers.split()]
            for name, numbers in ROW.findall(console)}
    print(table_of(rows))
    assert len(rows) == OPERATIONS
    for name, (_, sites, failed, error, ended, worked, _, lost) in rows.items():
        assert sites > 0 and failed > 0 and lost == 0, name
        assert error + ended + worked >= failed, name
    assert len(RESTART.findall(console)) == sum(row[6] for row in rows.values()), "restarts told"


def boot_failing(boot, nth, whose):
    """Boots a machine on which an allocation fails. It must come to an end by itself: with an error
    that says why there is nothing, or with all operations working. Returns how many allocations
    there were, if it says so, and which way it went."""
    machine = boot(f"fail-{whose}-{nth}", pmu="model",
                   append=f"fail={nth},{whose} run=bin/{PROGRAM},booted oneshot")
    status = machine.wait_end()
    console, way = machine.console, f"fail={nth},{whose}"
    assert "PANIC" not in console, f"{way}\n{machine.describe()}"
    booted = BOOTED.search(console)
    if NOT_BOOTED.search(console):
        assert status != 0, machine.describe()
        return None, "error"
    if status != 0 or booted is None or PASSED.search(console) is None:
        machine.fail(f"{way}: status {status}")
    assert int(booted[2]) == (nth <= int(booted[1])), way
    return int(booted[1]), "restart" if RESTART.search(console) else "works"


@pytest.mark.long
@pytest.mark.parametrize("whose", WHOSE if ALL else WHOSE[:1])
def test_a_machine_survives_an_allocation_that_fails_at_boot(boot, whose):
    numbers = random.Random(f"{SEED} {whose}")
    count, way = boot_failing(boot, NEVER, whose)
    assert way == "works" and count > 0
    ways = []
    for _ in range(BOOTS):
        # most of them soon: later ones are of the operations
        nth = min(int(count ** numbers.random()) + 1, count)
        ways.append(boot_failing(boot, nth, whose)[1])
        print(f"seed {SEED}: fail={nth},{whose}: {ways[-1]}")
    print(f"boot, {whose}: {count} allocations, {len(ways)} failed: "
          + ", ".join(f"{ways.count(way)} {way}" for way in ("error", "restart", "works"))
          + "; 0 panics")
