# SPDX-License-Identifier: MIT
"""Memory that fails anywhere: each allocation that an operation makes in the kernel, in turn.

ORRERY_FAIL_MEMORY=all lets each allocation fail, and later ones at random (`make fail-memory`),
with the seed ORRERY_FAIL_SEED; without it each place that allocates fails once.
"""

import os
import random
import re

ALL = os.environ.get("ORRERY_FAIL_MEMORY") == "all"
SEED = os.environ.get("ORRERY_FAIL_SEED", str(random.randrange(1, 1 << 31)))
ARGUMENTS = f",all,seed={SEED}" if ALL else ""
# The shortest operations have two; each is an attempt, with two looks at what is left.
LEAST = 200
# operation, allocations, sites, failed, error, ended, worked, lost
ROW = re.compile(r"^([a-z]+)((?: +\d+){7})$", re.MULTILINE)


def test_an_allocation_that_fails_costs_its_operation_alone(boot):
    machine = boot("fail-memory", pmu="model",
                   append=f"run=bin/test-fail-memory{ARGUMENTS} oneshot")
    console = machine.wait_passed("test-fail-memory", LEAST)
    rows = ROW.findall(console)
    print(f"seed {SEED}", *(name + numbers for name, numbers in rows), sep="\n")
    table = {name: [int(number) for number in numbers.split()] for name, numbers in rows}
    assert len(table) >= 14
    for name, (_, sites, failed, error, ended, worked, lost) in table.items():
        assert sites > 0 and failed > 0 and lost == 0, name
        assert error + ended + worked >= failed, name
