# SPDX-License-Identifier: MIT
"""Instruction budgets, measured where a cycle is exactly one instruction, and that such runs
repeat."""

import re

LINE = re.compile(r"^BENCH (\S+) (\d+\.\d) instructions (\d+|-)$", re.MULTILINE)


def measure(boot, name):
    machine = boot(name, cpus=1, append="bench=budget oneshot", network=False, icount=True)
    assert machine.wait_end() == 0, machine.console
    assert "BENCH-MODE exact" in machine.console
    return LINE.findall(machine.console)


def test_paths_keep_their_budgets_and_runs_repeat(boot):
    first, second = measure(boot, "first"), measure(boot, "second")
    # Samples are taken where the emulator lets the interrupt through: that may
    # differ by an instruction or two.
    assert [(name, budget) for name, _, budget in first] == [(name, budget) for name, _,
                                                             budget in second]
    for (name, once, _), (_, again, _) in zip(first, second):
        assert abs(float(once) - float(again)) < (0.15 if name.startswith("sample")
                                                  else 0.01), (name, once, again)
    measured = {name: (float(value), budget) for name, value, budget in first}
    for wanted in ("trace_off", "trace_on_1", "dref_hook_off", "dref_hook_on", "sample", "scan"):
        assert wanted in measured, measured
    over = {name: (value, budget) for name, (value, budget) in measured.items()
            if budget != "-" and value > float(budget)}
    assert not over, over
