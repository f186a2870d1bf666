# SPDX-License-Identifier: MIT
"""Boots a machine that prints measurements, for scripts/bench, scripts/bench-growth,
scripts/bench-linux and scripts/bench-profile."""

import datetime
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GUEST_TIMEOUT = 300   # seconds
# programs that need the servers: init runs them, they are not init
WITH_SERVERS = {"bin/bench-files"}
# Of each line, but for those of the kernel that print their own.
with open(os.path.join(ROOT, "bench/budgets.json"), encoding="utf-8") as budgets:
    BUDGETS = json.load(budgets)
LINE = re.compile(r"^BENCH (\S+) (-?\d+(?:\.\d+)?) (\S+)(?: (\d+(?:\.\d+)?|-))?\s*$", re.MULTILINE)


class Failed(SystemExit):
    """Ends the script with a message and status 1, unless somebody can go on without."""


def fail(message):
    raise Failed(f"{os.path.basename(sys.argv[0])}: {message}")


def qemu(kernel, *options):
    return [os.path.join(ROOT, "scripts/qemu"), "--kernel", kernel, *options]


def boot_line(program):
    """Returns what boots a program that measures."""
    if program in WITH_SERVERS:
        return f"run={program} oneshot quiet trace=none"
    return f"init={program} quiet trace=none"


def measure_guest(kernel, append, cpus=1, counted=True, options=()):
    """Returns the measurements of one boot as a list of {name, value, unit, budget}.

    counted: a nanosecond of the machine is one instruction, and programs need not know that.
    Otherwise it is one of the host. options: more of scripts/qemu. Fails if the machine does, or
    measures nothing.
    """
    command = qemu(kernel, "--cpus", str(cpus), *(["--icount"] if counted else []), "--append",
                   append, *options)
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                              errors="replace", timeout=GUEST_TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        fail(f"the guest ({append}) did not power off within {GUEST_TIMEOUT} s")
    console = done.stdout.replace("\r", "")
    metrics = [{"name": name, "value": float(value), "unit": "instructions" if counted
                and unit == "ns" else unit, "budget": float(budget) if budget not in ("", "-")
                else BUDGETS.get(name)}
               for name, value, unit, budget in LINE.findall(console)]
    if done.returncode != 0 or not metrics:
        print(console)
        fail(f"the guest ({append}) ended with status {done.returncode} "
             f"and {len(metrics)} measurements")
    return metrics


def commit():
    """Returns the commit measured, with + when the tree differs from it."""
    described = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--abbrev=12",
                                "--dirty=+", "--exclude=*"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               check=False)
    return described.stdout.strip() or "unknown"


def append_result(path, metrics):
    """Adds a JSON line with measurements to the results."""
    line = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "commit": commit(), "metrics": {metric["name"]: metric["value"] for metric in metrics}}
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a", encoding="utf-8") as results:
        results.write(json.dumps(line) + "\n")
