# SPDX-License-Identifier: MIT
"""kov trace."""

import subprocess

import dci_pb2 as dci
import pytest

from conftest import ROOT
from machine import PACKET_HEADER, packet


@pytest.fixture
def tracing(machine):
    machine.packets = [(0, packet(0, 0, [10, 20, 30])), (1, packet(1, 0, [15, 25]))]
    machine.last_packets = [(0, packet(0, 1, [40], discarded=6))]
    machine.trace_stats = [
        dci.TraceStat(cpu=0, events=4, discarded=6, packets=2, subbuffers=64, subbuffer_bytes=4096,
                      mode=dci.TRACE_MODE_DISCARD),
        dci.TraceStat(cpu=1, events=2, packets=1, subbuffers=64, subbuffer_bytes=4096,
                      mode=dci.TRACE_MODE_DISCARD),
    ]
    return machine


def test_record_writes_a_folder_that_babeltrace2_reads(kov, tracing, tmp_path):
    result = kov("trace", "record", "-d", "0.1", machine=tracing)
    assert result.code == 0, result.err
    read = subprocess.run(["babeltrace2", tmp_path / "trace.ctf"], capture_output=True, text=True,
                          check=False)
    assert read.returncode == 0
    assert read.stdout.count("TEST:zero") == 6
    assert "event dropped" not in read.stderr.lower() or "6 events" in read.stderr


def test_record_tells_exactly_what_became_of_every_event(kov, tracing):
    result = kov("trace", "record", "-d", "0.1", machine=tracing)
    rows = [line.split() for line in result.out.splitlines()[1:3]]
    assert rows == [["0", "10", "4", "6", "0", "0", "4", "2", "8192"],
                    ["1", "2", "2", "0", "0", "0", "2", "1", "4096"]]


def test_record_as_json(kov, tracing):
    cpus = kov("trace", "record", "-d", "0.1", "--json", machine=tracing).json["cpus"]
    assert cpus[0]["emitted"] == 10 and cpus[0]["received"] == 4 and cpus[0]["discarded"] == 6


def test_events_that_are_missing_are_told(kov, tracing):
    tracing.trace_stats[1].events = 3
    result = kov("trace", "record", "-d", "0.1", machine=tracing)
    assert result.code == 1
    assert "CPU 1: 3 events logged, but 2 received, 0 overwritten and 0 unread" in result.err


def test_events_that_came_after_the_last_packet_are_told_apart(kov, tracing):
    tracing.trace_stats[1].events = 3
    tracing.trace_stats[1].unread = 1
    result = kov("trace", "record", "-d", "0.1", "--json", machine=tracing)
    assert result.code == 0, result.err
    assert [cpu["unread"] for cpu in result.json["cpus"]] == [0, 1]


@pytest.mark.parametrize("text, mask", [
    ("all", 0b1010), ("3", 0b1000), ("SCHED", 0b1000), ("sched:wake,TEST", 0b1010), ("none", 0),
])
def test_majors_are_chosen_by_number_or_name(kov, tracing, text, mask):
    kov("trace", "record", "-d", "0.1", "-e", text, machine=tracing)
    subscription = tracing.asked("trace_subscribe")[0]
    assert subscription.set_mask and subscription.mask == mask
    assert subscription.mode == dci.TRACE_MODE_DISCARD


def test_record_over_a_workload(kov, tracing):
    result = kov("trace", "record", "--mode", "overwrite", "--json", "--", "demo", machine=tracing)
    assert result.json["workload"]["report"]["calls"] == 70
    assert tracing.asked("trace_subscribe")[0].mode == dci.TRACE_MODE_OVERWRITE


def test_a_snapshot_changes_neither_mode_nor_mask(kov, tracing, tmp_path):
    tracing.trace_stats[0].events = 1000  # most of them were taken earlier
    result = kov("trace", "snapshot", "-o", "flight", machine=tracing)
    assert result.code == 0
    subscription = tracing.asked("trace_subscribe")[0]
    assert subscription.mode == dci.TRACE_MODE_KEEP and not subscription.set_mask
    assert (tmp_path / "flight" / "stream_0").stat().st_size == 8192


def test_a_folder_that_holds_something_is_left_alone(kov, tracing, tmp_path):
    (tmp_path / "trace.ctf").mkdir()
    (tmp_path / "trace.ctf" / "mine").write_text("precious")
    result = kov("trace", "record", "-d", "0.1", machine=tracing)
    assert result.code == 1
    assert "trace.ctf is there already and is no recording or empty folder" in result.err
    assert [path.name for path in (tmp_path / "trace.ctf").iterdir()] == ["mine"]
    assert (tmp_path / "trace.ctf" / "mine").read_text() == "precious"
    assert not tracing.asked("trace_subscribe")


def spoil(data, offset, value):
    return data[:offset] + value + data[offset + len(value):]


@pytest.mark.parametrize("bad", [
    (0, b""), (0, b"\xc1"), (9, packet(9, 0, [1])), (1, packet(0, 0, [1])),
    (0, spoil(packet(0, 0, [1]), 0, b"none")), (0, packet(0, 0, [1])[:200]),
    (0, spoil(packet(0, 0, [1]), 40, b"\xff" * 8)), (0, spoil(packet(0, 0, [1]), 80, b"\xff" * 4)),
])
def test_a_damaged_packet_is_refused(kov, tracing, bad):
    tracing.packets = [bad]
    result = kov("trace", "record", "-d", "0.5", machine=tracing)
    assert result.code == 3
    assert "packet" in result.err


def test_packets_out_of_order_are_refused(kov, tracing):
    tracing.packets = [(0, packet(0, 5, [1])), (0, packet(0, 4, [2]))]
    result = kov("trace", "record", "-d", "0.5", machine=tracing)
    assert result.code == 3
    assert "out of order" in result.err


def test_the_packet_header_is_as_long_as_the_kernels():
    layout = (ROOT / "trace/include/trace/layout.h").read_text()
    assert f"TRACE_PACKET_HEADER_SIZE {PACKET_HEADER.size}\n" in layout


def test_list(kov, machine):
    machine.mask = 0b1000
    result = kov("trace", "list", machine=machine)
    assert result.code == 0
    assert ["3", "1", "yes", "SCHED:wake", "thread=%lu"] in [line.split()
                                                             for line in result.out.splitlines()]
    events = kov("trace", "list", "--json", machine=machine).json["events"]
    assert events[0]["name"] == "TEST:zero" and not events[0]["enabled"]


def test_stat(kov, tracing):
    result = kov("trace", "stat", machine=tracing)
    assert result.out.splitlines()[2].split()[:5] == ["0", "10", "4", "6", "0"]
    assert kov("trace", "stat", "--json", machine=tracing).json["cpus"][0]["subbuffers"] == 64


def test_set(kov, tracing):
    result = kov("trace", "set", "-e", "SCHED", "--mode", "overwrite", "--json", machine=tracing)
    assert result.code == 0
    assert result.json["mask"] == "0x8"
    assert tracing.asked("trace_set")[0].mode == dci.TRACE_MODE_OVERWRITE


def process_packet(pid, cpu, sequence, times, **lost):
    return packet(cpu, pid << 32 | sequence, times, **lost)


@pytest.fixture
def tracing_processes(tracing):
    tracing.add_processes()
    tracing.last_packets.append((1, process_packet(7, 1, 0, [11, 12])))
    # It has ended.
    tracing.last_packets.append((0, process_packet(9, 0, 4, [13], discarded=2, overwritten=30)))
    tracing.trace_stats.append(dci.TraceStat(pid=7, cpu=1, events=2, discarded=1))
    return tracing


def test_processes_have_streams_of_their_own(kov, tracing_processes, tmp_path):
    result = kov("trace", "record", "-d", "0.1", "--json", machine=tracing_processes)
    assert result.code == 0, result.err
    assert tracing_processes.asked("trace_subscribe")[0].scope == dci.SCOPE_ALL
    seven, nine = result.json["processes"]
    assert seven["emitted"] == 3 and seven["received"] == 2 and not seven["ended"]
    assert nine["received"] == 1 and nine["ended"]
    assert nine["overwritten"] == 30 and nine["discarded"] == 2
    assert (tmp_path / "trace.ctf" / "stream_7_1").stat().st_size == 4096
    assert (tmp_path / "trace.ctf" / "stream_9_0").exists()


def test_what_was_lost_of_a_process_that_has_ended_is_told(kov, tracing_processes):
    lines = kov("trace", "record", "-d", "0.1", machine=tracing_processes).out.splitlines()
    row = next(line.split() for line in lines if line.split()[:1] == ["9"])
    assert row == ["9", "2", "30", "ended", "1", "1", "4096"]


def test_one_process_is_traced(kov, tracing_processes):
    kov("trace", "record", "-d", "0.1", "--pid", 7, machine=tracing_processes)
    subscription = tracing_processes.asked("trace_subscribe")[0]
    assert subscription.scope == dci.SCOPE_PROCESS and subscription.pid == 7


def test_missing_events_of_a_process_are_told(kov, tracing_processes):
    tracing_processes.trace_stats[-1].events = 3
    result = kov("trace", "record", "-d", "0.1", machine=tracing_processes)
    assert result.code == 1 and "process 7: 3 events logged, but 2 received" in result.err


def test_more_streams_than_open_files(kov, tracing):
    for number in (0, 1):
        tracing.last_packets += [(0, process_packet(pid, 0, number, [11 + number]))
                                 for pid in range(1, 400)]
    assert kov("trace", "record", "-d", "0.1", machine=tracing).code == 0
