# SPDX-License-Identifier: MIT
"""Servers are killed while kov looks: it goes on by itself, and says what is missing."""

import json
import random
import subprocess

import pytest

from servers import interrupt, kill, owners, started, wait_owner, wait_up
from waiting import PATIENCE, wait_for

pytestmark = pytest.mark.long

FOR_EVER = ("-d", "86400")


def kill_under(machine, server, what):
    """Kills a server when a client has begun; waits until the client has what it had again."""
    wait_owner(machine, what)
    before = kill(machine, server)
    wait_up(machine, server, before)
    wait_owner(machine, what)


@pytest.mark.parametrize("server", ["dci", "net"])
def test_a_recording_goes_on(machine2, tmp_path, server):
    path = str(tmp_path / "samples")
    with started(machine2, "--json", "record", "-o", path, *FOR_EVER) as recording:
        kill_under(machine2, server, "sampling")
        recorded = json.loads(interrupt(recording)[0])
    assert recorded["reconnected"] >= 1, recorded
    assert 0 < recorded["disconnected_seconds"] < recorded["seconds"]
    assert machine2.kov("report", "-i", path)["samples"] == recorded["samples"] > 0


def traced(machine):
    """What a recording must leave as it was."""
    stat = machine.kov("trace", "stat")
    return stat["mask"], stat["mode"]


def read_without_a_warning(folder):
    """Returns how many events babeltrace2 reads. It may tell of events that were lost."""
    done = subprocess.run(["babeltrace2", folder], capture_output=True, text=True, check=True,
                          timeout=PATIENCE)
    said = [line for line in done.stderr.splitlines() if line and "iscarded" not in line]
    assert said == []
    return done.stdout.count("\n")


def test_a_trace_goes_on_and_counts_what_is_missing(machine2, tmp_path):
    before, folder = traced(machine2), str(tmp_path / "trace")
    with started(machine2, "--json", "trace", "record", "-o", folder, *FOR_EVER) as recording:
        kill_under(machine2, "dci", "tracing")
        assert json.loads(interrupt(recording)[0])["reconnected"] >= 1
    assert traced(machine2) == before
    assert read_without_a_warning(folder) > 0


@pytest.mark.parametrize("kov_too", [False, True], ids=["kov ends", "kov is killed"])
def test_a_trace_that_ends_with_its_server_leaves_all_as_it_was(machine2, tmp_path, kov_too):
    """Of the machine, and of the recording that was there before."""
    folder, was = tmp_path / "trace", traced(machine2)
    options = ("-o", str(folder))
    machine2.kov_run("trace", "record", *options, "-d", "0.2")
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    with started(machine2, "--no-reconnect", "--timeout", "10", "trace", "record", *options,
                 *FOR_EVER) as recording:
        wait_for(lambda: (tmp_path / "trace.old").exists(), "packets")
        if kov_too:
            recording.kill()
        dci = kill(machine2, "dci")
        said = recording.communicate(timeout=PATIENCE)[1]
    assert recording.returncode != 0 and len(said.splitlines()) == (not kov_too), said
    wait_up(machine2, "dci", dci)
    assert traced(machine2) == was
    assert read_without_a_warning(folder) > 0
    assert {path.name: path.read_bytes() for path in (tmp_path / "trace.old").iterdir()} == first
    machine2.kov_run("trace", "record", *options, "-d", "0.2")
    assert read_without_a_warning(folder) > 0 and traced(machine2) == was


def test_the_console_and_top_go_on(machine2):
    console = started(machine2, "console", "--no-input", *FOR_EVER)
    wait_for(lambda: len(machine2.kov("server")["clients"]) >= 2)
    top = started(machine2, "--json", "top", "-n", "1000000")
    kill_under(machine2, "dci", "sampling")
    wait_for(lambda: len(machine2.kov("server")["clients"]) >= 3, "both are there again")
    for watching in (console, top):
        assert "connected again" in interrupt(watching)[1]


def test_nothing_is_held_by_a_server_that_is_gone(machine2, tmp_path):
    """Sampling and counting that it had switched on end with it: the next one can begin."""
    with started(machine2, "record", "-o", str(tmp_path / "x"), *FOR_EVER) as recording:
        wait_owner(machine2, "sampling")
        before = kill(machine2, "dci")
        recording.kill()
    wait_up(machine2, "dci", before)
    machine2.kov("record", "-o", str(tmp_path / "y"), "-d", "0.5")
    machine2.kov("stat", "-d", "0.5")


def test_servers_killed_at_random_under_load(machine4, tmp_path):
    """Work and a recording go on through ten deaths; in the end the machine is as it was."""
    chance = random.Random(42)
    work = started(machine4, "workload", "run", *FOR_EVER, "demo")
    with started(machine4, "--json", "record", "-o", str(tmp_path / "samples"),
                 *FOR_EVER) as recording:
        wait_owner(machine4, "sampling")
        for _ in range(10):
            server = chance.choice(["net", "fs", "dci", "proc"])
            wait_up(machine4, server, kill(machine4, server))
        machine4.wait_for(lambda: owners(machine4, "sampling"), "the recording goes on")
        recorded = json.loads(interrupt(recording)[0])
    work.kill()
    work.wait()
    assert recorded["samples"] > 0
    assert machine4.kov_run("run", "echo", "still here").stdout == "still here\n"
    assert "PANIC" not in machine4.console
