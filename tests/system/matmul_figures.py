#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Figures 1 to 8, 10 and 11 of S003 of our matmul, as text, on one CPU where a nanosecond is an instruction. docs/monitors.md has them by this script: tests/system/matmul_figures.py FOLDER."""

import os
import re
import sys

from machine import Machine
from servers import interrupt, started

POLICIES = ("fixed", "starving", "growing")  # S003's Old, New and Improved
SMALL = "small"  # a smaller matmul, starving
SPAWN = ("--from", "+0.6", "--to", "+1.4", "--meter", "+0.64,+0.80")
WHOLE = ("--meter", "+1,+8")
FIGURES = (
    ("Figure 1, fixed: all of it", "fixed", ()),
    ("Figure 2, starving: all of it", "starving", ()),
    ("Figure 3, fixed: how the threads begin", "fixed", SPAWN),
    ("Figure 4, starving: how the threads begin", "starving", SPAWN),
    ("Figure 5, starving: a smaller one", SMALL, ()),
    ("Figure 6, growing: all of it", "growing", ()),
    ("Figure 7, growing: how the threads begin", "growing", SPAWN),
    ("Figure 8, growing: main and collector, which goes to itself", "growing",
     ("--from", "+0.4", "--to", "+0.6")),
    ("Figure 10, growing: as recorded", "growing", WHOLE),
    ("Figure 11, growing: without what recording cost", "growing", (*WHOLE, "--compensate")),
)


def run_recorded(machine, folder, policy, *options):
    """One matmul from its first record to its last; what it printed."""
    load = started(machine, "run", "matmul", "--", "--wait", "--policy", policy, *options)
    pid, = machine.wait_for(lambda: [one["pid"] for one in machine.kov("ps")["processes"]
                                     if one["name"] == "matmul"], "matmul runs")
    viewer = started(machine, "monitor", "record", "-p", str(pid), "-d", "1000", "-o", folder)
    said, complaint = load.communicate(timeout=280)
    assert load.returncode == 0, said + complaint
    interrupt(viewer)
    return said


def show(machine, folder, *options):
    """The rows and the meter, without the sensors and what the signs mean."""
    text = machine.kov_run("monitor", "show", "-w", "96", *options, folder).stdout
    blocks = text[:text.index("a cell is")].rstrip().split("\n\n")
    meter = [line for line in blocks[-1].splitlines() if re.match(" {18}", line)]
    rows = blocks[0].splitlines()
    return "\n".join(line.rstrip() for line in rows + [line for line in meter if line not in rows])


def main(folder):
    with Machine(folder, "figures", cpus=1, icount=True) as machine:
        machine.wait_ready()
        for policy in POLICIES:
            run_recorded(machine, os.path.join(folder, policy), policy)
        run_recorded(machine, os.path.join(folder, SMALL), "starving", "--size", "500")
        for title, name, options in FIGURES:
            print(f"{title}\n{show(machine, os.path.join(folder, name), *options)}\n")


if __name__ == "__main__":
    main(sys.argv[1])
