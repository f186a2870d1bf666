# SPDX-License-Identifier: MIT
"""Servers are killed while kov looks: it goes on by itself, and says what is missing."""

import json
import random
import subprocess
import time

import pytest

from servers import kill, wait_up

pytestmark = pytest.mark.alone


@pytest.mark.parametrize("server", ["dci", "net"])
def test_a_recording_goes_on(machine2, tmp_path, server):
    path = str(tmp_path / "samples")
    command = machine2.kov_command("--json", "record", "-o", path, "-d", "8")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as recording:
        time.sleep(2)
        before = kill(machine2, server)
        said, complaint = recording.communicate(timeout=90)
    assert recording.returncode == 0, complaint
    recorded = json.loads(said)
    assert recorded["reconnected"] >= 1, recorded
    assert recorded["disconnected_seconds"] < 8
    assert machine2.kov("report", "-i", path)["samples"] == recorded["samples"] > 0
    wait_up(machine2, server, before)


def test_a_trace_goes_on_and_counts_what_is_missing(machine2, tmp_path):
    command = machine2.kov_command("--json", "trace", "record", "-o", str(tmp_path / "trace"), "-d", "8")
    mask = machine2.kov("trace", "stat")["mask"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as recording:
        time.sleep(2)
        before = kill(machine2, "dci")
        said, complaint = recording.communicate(timeout=90)
    assert recording.returncode == 0, complaint
    assert json.loads(said)["reconnected"] >= 1
    wait_up(machine2, "dci", before)
    assert machine2.kov("trace", "stat")["mask"] == mask


def test_the_console_and_top_go_on(machine2):
    commands = [machine2.kov_command("console", "-d", "8", "--no-input"),
                machine2.kov_command("--json", "top", "-n", "4", "-d", "2")]
    watching = [subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True, errors="replace") for command in commands]
    time.sleep(2)
    before = kill(machine2, "dci")
    for process in watching:
        _, complaint = process.communicate(timeout=90)
        assert process.returncode == 0, complaint
        assert "connected again" in complaint
    wait_up(machine2, "dci", before)


def test_nothing_is_held_by_a_server_that_is_gone(machine2, tmp_path):
    """Sampling and counting that it had switched on end with it: the next one can begin."""
    users = machine2.kov_command("stat", "-d", "60")
    with subprocess.Popen(users, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as stat:
        time.sleep(1)
        before = kill(machine2, "dci")
        stat.kill()
    wait_up(machine2, "dci", before)
    machine2.kov("record", "-o", str(tmp_path / "x"), "-d", "0.5")
    machine2.kov("stat", "-d", "0.5")


def test_servers_killed_at_random_under_load(machine4, tmp_path):
    """Work and a recording go on through ten deaths; in the end the machine is as it was."""
    chance = random.Random(42)
    work = subprocess.Popen(machine4.kov_command("workload", "run", "-d", "25", "demo"), stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
    command = machine4.kov_command("--json", "record", "-o", str(tmp_path / "samples"), "-d", "25")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as recording:
        time.sleep(2)
        for _ in range(10):
            server = chance.choice(["net", "fs", "dci", "proc"])
            before = kill(machine4, server)
            wait_up(machine4, server, before)
        said, complaint = recording.communicate(timeout=120)
    work.kill()
    work.wait()
    assert recording.returncode == 0, complaint
    assert json.loads(said)["samples"] > 0
    assert machine4.kov_run("run", "echo", "still here").stdout == "still here\n"
    assert "PANIC" not in machine4.console
