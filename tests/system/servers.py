# SPDX-License-Identifier: MIT
"""Killing servers, and waiting until they are there again."""

import json
import os
import signal
import subprocess

from machine import pid_of
from waiting import PATIENCE


def wait_up(machine, name, before):
    """Waits until a server runs again, as another process."""

    def up():
        # One connection after the other: those to a server that has died never get an answer.
        done = machine.kov_run("--json", "--timeout", "10", "ps", check=False)
        return done.returncode == 0 and any(one["name"] == name and one["pid"] != before
                                            for one in json.loads(done.stdout)["processes"])

    machine.wait_for(up, f"{name} is there again")


def kill(machine, name):
    """Kills a server: its number. init waits longer each time before it starts it again, so the
    machine is not as it was."""
    machine.harmed = True
    before = pid_of(machine, name)
    machine.kov_run("kill", str(before), check=False)  # its answer may be lost
    return before


def owners(machine, what):
    """The clients that have something: counting, sampling, sleep_locks or tracing. None while their
    server is away."""
    done = machine.kov_run("--json", "--timeout", "10", "server", check=False)
    return [one for one in json.loads(done.stdout)["clients"]
            if one[what]] if done.returncode == 0 else []


GOING_ON = []  # kovs that have been started: of which machine, in which test


def this_test():
    return os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]


def wait_owner(machine, what, count=1):
    """Waits until so many clients have it: only what has begun goes on when its server dies."""

    def have():
        for of, test, client in GOING_ON:
            if (of, test) == (machine, this_test()) and not client.stderr.closed \
                    and client.poll() not in (None, 0, -signal.SIGINT):
                machine.fail(f"{client.args} ended: {client.communicate()[1]}")
        return len(owners(machine, what)) >= count

    machine.wait_for(have, f"{count} with {what}")


def started(machine, *arguments, stdin=subprocess.DEVNULL):
    """A kov that goes on until it is interrupted."""
    client = subprocess.Popen(machine.kov_command(*arguments), stdin=stdin,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              errors="replace")
    GOING_ON[:] = [one for one in GOING_ON if one[2].poll() is None]
    GOING_ON.append((machine, this_test(), client))
    return client


def interrupt(client):
    """Ends a kov as Ctrl-C does: what it has printed."""
    client.send_signal(signal.SIGINT)
    said, complaint = client.communicate(timeout=PATIENCE)
    assert client.returncode == 0, complaint
    return said, complaint
