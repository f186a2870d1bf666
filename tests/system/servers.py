# SPDX-License-Identifier: MIT
"""Killing servers, and waiting until they are there again."""

import json
import time

from conftest import pid_of


def wait_up(machine, name, before, seconds=30):
    """Waits until a server runs again, as another process."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done = machine.kov_run("--json", "--timeout", "2", "ps", check=False)
        if done.returncode == 0:
            pids = [one["pid"] for one in json.loads(done.stdout)["processes"] if one["name"] == name]
            if pids and pids[0] != before:
                return
        time.sleep(0.1)
    machine.fail(f"{name} did not come back within {seconds} s")


def kill(machine, name):
    before = pid_of(machine, name)
    machine.kov_run("kill", str(before), check=False)  # its answer may be lost
    return before
