# SPDX-License-Identifier: MIT
"""A live trace of a machine with nothing to do is not about itself: few events, in few packets that
end with their content. The bounds are of the machine's own time, as the trace has it: on a busy
host, where all takes longer, there is less in it. A load's events are there to the one."""

import collections
import re
import struct
import time

import pytest

import ctf
import servers
from machine import Machine

pytestmark = pytest.mark.long

HEADER = struct.Struct(">I16sI5QIIQII")  # trace/layout.h
FLUSHES, PROCESS_FLUSHES = 5, 2  # a second: trace_live.c, servers/dci/bounds.h
FEW = 8                          # packets of a begin and an end
FIRST_EVENTS, EVENTS = 12000, 2000  # of what there is, and of masks on and off; then a second
FIRST_BYTES, BYTES = 400_000, 70_000  # likewise
SECONDS = 8
CALLS = 3000  # dispatcher_kick, by tests/guest/user/traced

Packet = collections.namedtuple("Packet", "begin end content size events")


def packets_of(path):
    data, at, found = path.read_bytes(), 0, []
    while at < len(data):
        magic, _, _, begin, end, content, size, _, _, _, _, events, _ = \
            HEADER.unpack_from(data, at)
        assert magic == 0xc1fc1fc1, path
        found.append(Packet(begin, end, content // 8, size // 8, events))
        at += found[-1].size
    assert at == len(data), path
    return found


def live(machine, folder, during, *options):
    """The folder of a live trace: {stream: packets}, and the seconds that it is about."""
    client = servers.started(machine, "trace", "live", "--lttng", "0", "-o", str(folder), *options)
    servers.wait_owner(machine, "tracing")
    during()
    servers.interrupt(client)
    streams = {path.name: packets_of(path) for path in folder.glob("stream_*")}
    frequency = int(re.search(r"\bfreq = (\d+)", (folder / "metadata").read_text())[1])
    packets = [packet for stream in streams.values() for packet in stream]
    return streams, (max(packet.end for packet in packets) -
                     min(packet.begin for packet in packets)) / frequency


@pytest.mark.parametrize("cpus", [1, 2, 4])
def test_of_an_idle_machine(tmp_path, cpus):
    with Machine(str(tmp_path), "idle", cpus=cpus) as machine:
        machine.wait_ready()
        machine.kov("ps")
        streams, seconds = live(machine, tmp_path / "trace", lambda: time.sleep(SECONDS))
        machine.kov("ps")
    assert any(name.count("_") == 2 for name in streams) and seconds > SECONDS / 2
    for name, packets in streams.items():
        assert all(packet.size == packet.content for packet in packets), name
        full = sum(packet.size > 60000 for packet in packets)
        flushes = PROCESS_FLUSHES if name.count("_") == 2 else FLUSHES
        assert len(packets) - full <= flushes * seconds + FEW, (name, seconds)
    packets = [packet for stream in streams.values() for packet in stream]
    events, size = sum(one.events for one in packets), sum(one.size for one in packets)
    print(f"{cpus} CPUs, {seconds:.1f} s: {events} events, {len(packets)} packets, {size} bytes")
    factor = max(1, cpus / 2)
    assert events <= factor * (FIRST_EVENTS + EVENTS * seconds)
    assert size <= factor * (FIRST_BYTES + BYTES * seconds)
    assert ctf.count(tmp_path / "trace") == (events, "")


def test_with_a_load_has_all_that_the_load_did(machine2, tmp_path):
    """A kernel's event for each call, and, of the process's own, as many as its packets say."""
    folder = tmp_path / "trace"
    streams, _ = live(machine2, folder,
                      lambda: machine2.kov_run("run", "traced", str(CALLS), "64"))
    found = machine2.kov("trace", "breakdown", str(folder))
    [pid] = [row["pid"] for row in found["processes"] if row["name"] == "traced"]
    kicks = [row["count"] for row in found["syscalls"]
             if row["call"] == "dispatcher_kick" and row["pid"] == pid]
    assert kicks == [CALLS]
    own = [name for name in streams if name.startswith(f"stream_{pid}_")]
    assert own and sum(packet.events for name in own for packet in streams[name]) > 0
    events = sum(packet.events for stream in streams.values() for packet in stream)
    assert ctf.count(folder) == (events, "")
