#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Figures 1 to 8, 10 and 11 of S003 of our matmul, as text, on one CPU where a nanosecond is an
instruction. docs/monitors.md has two of them by this script: tests/system/matmul_figures.py
FOLDER."""

import os
import re
import sys

from machine import Machine
from servers import interrupt, started

POLICIES = ("fixed", "starving", "growing")  # S003's Old, New and Improved
SMALL = "small"  # a smaller matmul, starving
COMES = 1  # enum sys_monitor_switch
SPAWN = ("--from", "+0.6", "--to", "+1.4", "--meter", "+0.64,+0.80")
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


def last_turn(machine, folder):
    """Options for the times around the last turn that a thread of the program gets, before others
    have moved it."""
    document = machine.kov("trace", "show", folder)
    turns = [event for event in document["events"] if event["event"] == "MONITOR:thread"
             and int(event["fields"]["word0"], 16) & 0xffffffff == COMES]
    after = float(turns[-1]["time"])
    return "--from", f"{after - 0.0003:.6f}", "--to", f"{after + 0.0001:.6f}"


def main(folder):
    with Machine(folder, "figures", cpus=1, icount=True) as machine:
        machine.wait_ready()
        for policy in POLICIES:
            run_recorded(machine, os.path.join(folder, policy), policy)
        run_recorded(machine, os.path.join(folder, SMALL), "starving", "--size", "500")
        for title, name, options in FIGURES:
            print(f"{title}\n{show(machine, os.path.join(folder, name), *options)}\n")
        growing = os.path.join(folder, "growing")
        turn = last_turn(machine, growing)
        print(f"Figure 10, growing: the last turn, as recorded\n{show(machine, growing, *turn)}\n")
        print("Figure 11, growing: the same times, without what recording cost\n"
              f"{show(machine, growing, *turn, '--compensate')}\n")


if __name__ == "__main__":
    main(sys.argv[1])
