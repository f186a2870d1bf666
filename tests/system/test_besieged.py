# SPDX-License-Identifier: MIT
"""All hostile programs together, on 256 MB, while servers end: whoever has rights gets answers,
files that were synced are whole, and afterwards all is as before.

ORRERY_KILLS (of each server) and ORRERY_SIEGE_SECONDS make the long form longer or shorter."""

import os
import re
import socket
import time

import pytest

from machine import OBSERVER
from test_power import make_disk
from test_siege import flood
from test_soak import LEAK_BYTES, RINGS, STACKS, TRANSLATIONS, changed, restart_servers, \
    settled_classes

KILLS = int(os.environ.get("ORRERY_KILLS", "100"))
SECONDS = int(os.environ.get("ORRERY_SIEGE_SECONDS", "600"))
ROUNDS = 5  # of ends of servers
SAID = re.compile(r"^besieged: error (-?\d+), kinds (\d+), lives (\d+), killing (\d+), "
                  r"kills (\d+), rounds (\d+), wrong (\d+)$", re.MULTILINE)
NAMES = ("error", "kinds", "lives", "killing", "kills", "rounds", "wrong")
MUTE = 30  # more connections than may be without a role
AWAY = ("--timeout", "60")  # seconds: an answer that a server's end has lost never comes
VIEWERS = 2  # of those that send much and read nothing
FLOOD = 50000
# What init, the scheduler's server and the test's own program keep once they needed it, however
# long that goes on. A stack: each call that waits takes a worker, and a family of bombs waits for
# init all at once, as do the other kinds. A process that works on another CPU has what is wired
# there.
FAMILY = 64


def kept(cpus):
    """A worker stays on its CPU: on more of them, more are kept."""
    return dict.fromkeys(STACKS, FAMILY * max(cpus, 2)) | {
        RINGS: 16, TRANSLATIONS: 8 * max(cpus, 2), ("Region", "RegionWired"): 12,
        # A client's library keeps the endpoint of the server before, and of the one before that.
        ("Endpoint", "EndpointShared"): 4,
        # Of connections that overlapped after the servers' start: memory, in two processes each.
        ("FCMComputation", "FCMComputationDistributed"): 8, ("Region", "RegionShared"): 16}


LOOKS = (("ps",), ("objects",), ("stat", "-d", "1"), ("run", "true"))


def told(machine, *what):
    """Tells the guest's siege something: how it goes."""
    text = machine.kov_run("run", "besieged", "--", "tell", *what).stdout
    said = dict(zip(NAMES, map(int, SAID.search(text).groups())))
    assert said["error"] == 0 and said["wrong"] == 0, said
    return said


def look(machine):
    """What must answer all the time."""
    pids = {one["name"] for one in machine.kov("ps")["processes"]}
    assert {"init", "fs", "net", "dci", "proc"} <= pids
    for command in LOOKS[1:]:
        machine.kov_run(*command)


class Hosts:
    """Connections from outside: some never say who they are, some send much and read nothing."""

    def __init__(self, port):
        self.sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(MUTE)]
        self.sockets += [flood(port, FLOOD, OBSERVER) for _ in range(VIEWERS)]

    def end(self):
        for sock in self.sockets:
            sock.close()


def kill_servers(machine, times):
    """Each so often, in turn: all come back."""
    wanted = told(machine, "look")["kills"] + times
    machine.kov_run(*AWAY, "run", "besieged", "--", "tell", "kill", str(times), check=False)

    def over():
        done = machine.kov_run(*AWAY, "run", "besieged", "--", "tell", "look", check=False)
        found = SAID.search(done.stdout)
        said = dict(zip(NAMES, map(int, found.groups()))) if found else None
        assert said is None or said["wrong"] == 0, said
        return said is not None and said["killing"] == 0

    machine.wait_for(over, f"each server has ended {times} times")
    assert told(machine, "look")["kills"] == wanted


def besiege(machine, rounds=0, kills=0, seconds=0):
    """One siege: each program lives at least once. Rounds of looks, and of servers that end so
    often, for so many seconds at least: programs are started until these are over."""
    lives = 0 if rounds or seconds else 1
    before = told(machine, "look")  # of what has begun some may have lived before that is told
    told(machine, "begin", str(lives))
    assert before["kinds"] >= 20
    end = time.monotonic() + seconds
    done = 0
    while done < rounds or time.monotonic() < end:
        hosts = Hosts(machine.port)
        look(machine)
        hosts.end()
        if done < rounds and kills:
            kill_servers(machine, kills)
        done += 1
    # Whatever it takes to have been there: each kind, and the writer.
    told(machine, "until", str(before["lives"] + 1), str(before["rounds"] + 1))
    return told(machine, "end")


def left(machine):
    """What there is when all is quiet: objects, and free memory."""
    restart_servers(machine)
    return settled_classes(machine), machine.kov("hello")["system"]["free_bytes"]


def leaks(cpus, before, after):
    """What there is more of than what is kept."""
    more = {name: count for name, count in changed(before[0], after[0]).items()
            if count > kept(cpus).get(name, 0)}
    if after[1] + LEAK_BYTES < before[1]:
        more["free bytes"] = after[1] - before[1]
    return more


def all_together(boot, folder, name, cpus, pmu, **options):
    """The first siege is there for what is kept from the first time on."""
    machine = boot(name, cpus=cpus, pmu=pmu, mem="256M", disk=make_disk(folder / "disk"),
                   append="run=bin/besieged").wait_ready()
    machine.wait_console("besieged: ready")
    besiege(machine)
    before = left(machine)
    said = besiege(machine, **options)
    after = left(machine)
    assert leaks(cpus, before, after) == {}
    assert "PANIC" not in machine.console and "out of memory" not in machine.console
    return said | {"changed": changed(before[0], after[0]), "bytes": after[1] - before[1]}


@pytest.mark.long
def test_all_hostile_programs_together(boot, tmp_path, capsys):
    said = all_together(boot, tmp_path, "besieged", 2, "model", rounds=1, kills=1)
    with capsys.disabled():
        print(f"\n{said}")


@pytest.mark.minutes
@pytest.mark.parametrize("cpus", [1, 2, 4])
@pytest.mark.parametrize("pmu", ["none", "model"])
def test_all_hostile_programs_together_for_minutes(boot, tmp_path, capsys, cpus, pmu):
    """What is kept is no more than after a short siege, however often servers have ended: most
    often in one of these."""
    kills = KILLS if (cpus, pmu) == (2, "model") else ROUNDS
    said = all_together(boot, tmp_path, f"besieged-{cpus}-{pmu}", cpus, pmu, rounds=ROUNDS,
                        kills=-(-kills // ROUNDS), seconds=SECONDS)
    with capsys.disabled():
        print(f"\n{cpus} CPUs, {pmu}: {said}")
    assert said["kills"] >= kills
