# SPDX-License-Identifier: MIT
"""A recording of processes that are killed at random: what they logged is in it, or is told as
lost."""

import collections
import json
import re
import struct
import subprocess

import pytest

import servers
from waiting import PATIENCE

ROUNDS = 10  # at once
EVENTS = 3000000  # logged by all of them, at least
PACKET_EVENTS = 65536 // 24  # at most
HEADER_BYTES = 88  # of a packet
# test2 of a process: its CPU is its first field, and its number there, from 1 on, the second.
LINE = re.compile(r"pid = (\d+).*cpu_id = (\d+).*a = (\d+), b = (\d+)")


class Numbers:
    """Of a process on a CPU, as babeltrace2 reads them."""

    def __init__(self):
        self.count = self.last = 0

    def take(self, number):
        assert number > self.last
        self.count, self.last = self.count + 1, number


def written(folder):
    """Events that are in the folder by now, or told as lost."""
    told = 0
    for path in folder.glob("stream_*_*"):
        data, at, overwritten = path.read_bytes(), 0, 0
        while at + HEADER_BYTES <= len(data):
            overwritten, events = struct.unpack_from(">QI", data, at + 72)
            told += events
            at += struct.unpack_from(">Q", data, at + 48)[0] // 8  # its own length
        told += overwritten
    return told


def numbers_of(folder):
    """By process, then CPU; and what babeltrace2 complains of, but for what it says was
    discarded."""
    found = collections.defaultdict(lambda: collections.defaultdict(Numbers))
    done = subprocess.run(["babeltrace2", "--fields", "all", folder], capture_output=True,
                          text=True, timeout=PATIENCE, check=True)
    for line in done.stdout.splitlines():
        if "test2" not in line:
            continue
        pid, cpu, writer, number = map(int, LINE.search(line).groups())
        assert writer == cpu
        found[pid][cpu].take(number)
    return found, [line for line in done.stderr.splitlines() if line and "iscarded" not in line]


@pytest.mark.parametrize("cpus", [2, 4])
def test_none_is_torn_and_none_lost_uncounted(pool, tmp_path, cpus):
    machine, folder = pool.lend(cpus=cpus), tmp_path / "trace"
    recorder = servers.started(machine, "--json", "trace", "record", "-o", str(folder), "-e",
                               "TEST", "-d", "3600")
    servers.wait_owner(machine, "tracing")
    while written(folder) < EVENTS:
        machine.kov_run("run", "test-trace", "storm", str(ROUNDS))
    recorded = json.loads(servers.interrupt(recorder)[0])
    found, complaints = numbers_of(folder)
    assert not complaints
    logged = 0
    for row in recorded["processes"]:
        numbers = found[row["pid"]].values()
        received, last = (sum(getattr(one, name) for one in numbers) for name in ("count", "last"))
        lost = row["overwritten"] + row["discarded"]
        assert row["received"] == received
        # After the last event that came, a packet of others may have been lost.
        assert 0 <= received + lost - last <= PACKET_EVENTS * cpus, row
        assert row["ended"] or received + lost == row["emitted"]
        logged += received + lost
    assert logged >= EVENTS
    print(f"{len(found)} processes, {logged} events")
