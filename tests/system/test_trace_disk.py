# SPDX-License-Identifier: MIT
"""The machine's program `trace` records to /data, and `kov trace read` takes that from the disk."""

import filecmp
import json
import os
import re
import subprocess

import pytest

from machine import KOV
from test_block import _disk, slots  # noqa: F401 # pylint: disable=unused-import
from test_shell import Shell
from waiting import PATIENCE

ACCOUNT = re.compile(r"^(\d+) events in (\d+) packets, (\d+) bytes;"
                     r" lost: (\d+) discarded, (\d+) over the size$")


@pytest.fixture(name="start")
def _start(boot, disk):
    return lambda **options: Shell(boot(disk=disk, typing=True, **options))


def account(said):
    found = ACCOUNT.match(said)
    assert found, said
    return [int(number) for number in found.groups()]


def kov(*arguments):
    return subprocess.run([KOV, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=PATIENCE, check=False)


def events_of(folder):
    """Events by kov and by babeltrace2: (name, ticks) and lines."""
    shown = kov("trace", "show", "--json", str(folder))
    assert shown.returncode == 0, shown.stderr
    events = [one for one in json.loads(shown.stdout)["events"] if one["event"] != "lost"]
    read = subprocess.run(["babeltrace2", str(folder)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=True)
    assert read.stderr == ""
    return events, read.stdout.splitlines()


def test_a_trace_comes_from_the_disk_of_a_machine_on_or_off(start, disk, tmp_path):
    shell = start(network=False, cpus=2)
    told = shell.says("trace record -m sched,syscall -d 1 /data/t")
    logged, packets, size, _, over = account(told)
    assert logged > 0 and packets > 0 and size > 0 and over == 0
    shell.says("sync")
    on, off = tmp_path / "on", tmp_path / "off"
    done = kov("--json", "trace", "read", f"{disk}:/data/t", str(on))
    assert done.returncode == 0, done.stderr
    [told] = json.loads(done.stdout)["traces"]
    assert told["bytes"] == size + os.path.getsize(on / "metadata")
    events, lines = events_of(on)
    assert len(events) == len(lines) == logged
    assert {one["event"].split(":")[0] for one in events} == {"SCHED", "SYSCALL", "STATE"}
    rows = kov("--json", "trace", "breakdown", str(on))
    named = {row["name"] for row in json.loads(rows.stdout)["processes"]}
    assert {"init", "fs", "shell", "trace"} <= named  # STATE tells whom the threads belong to
    shell.machine.type("poweroff\n")
    shell.machine.wait_end()
    done = kov("trace", "read", f"{disk}:/data/t/", str(off))
    assert done.returncode == 0, done.stderr
    names = sorted(os.listdir(on))
    assert "metadata" in names and "stream_0" in names
    assert filecmp.cmpfiles(on, off, names, shallow=False) == (names, [], [])


def test_the_events_of_processes_are_in_it(start, disk, tmp_path):
    """Those of a program that has ended, and of a server that has not: as many as the program has
    logged, named, and as babeltrace2 sees them."""
    shell = start(network=False, cpus=2)
    told = shell.says("trace record -m all -s 65536 /data/t described 300; sync").splitlines()
    logged, packets, _, lost, over = account(told[-1])
    assert lost == over == 0
    on = tmp_path / "on"
    assert kov("trace", "read", f"{disk}:/data/t", str(on)).returncode == 0
    streams = [path.name for path in on.glob("stream_*")]
    listed = re.findall(r'^ +(stream_\w+) = "(\d+)-(\d+)";', (on / "metadata").read_text(), re.M)
    assert sorted(name for name, _, _ in listed) == sorted(streams)
    assert sum(int(last) - int(first) + 1 for _, first, last in listed) == packets
    events, lines = events_of(on)
    assert len(events) == len(lines) == logged
    tale = [one["fields"] for one in events if one["event"] == "tale:greeting"]
    assert [one["to"] for one in tale] == list(range(300))
    pids = {one["stream_pid"] for one in events}
    rows = json.loads(kov("--json", "trace", "breakdown", str(on)).stdout)["processes"]
    named = {row["name"]: row["pid"] for row in rows}
    assert named["described"] in pids and named["fs"] in pids and named["trace"] not in pids
    # What is on from then on is what was on before.
    assert shell.run("trace record -m program /data/u false")[1] == 1
    assert shell.run("trace record -m program /data/v nonesuch")[1] == 1
    assert "v/" not in shell.says("ls /data").split()
    (on / streams[-1]).unlink()
    assert "is missing" in kov("trace", "show", str(on)).stderr


def process_streams(shell, disk, tmp_path, name):
    """The streams of processes in a recording of what is on."""
    shell.says(f"trace record -d 1 /data/{name}; sync")
    assert kov("trace", "read", f"{disk}:/data/{name}", str(tmp_path / name)).returncode == 0
    return list((tmp_path / name).glob("stream_*_*"))


def test_a_killed_one_leaves_no_process_that_logs(start, disk, tmp_path):
    shell = start(network=False, cpus=2)
    shell.says("trace record -m all -d 86400 /data/long & sleep 1; kill $!; wait")
    shell.machine.wait_for(lambda: "trace-restore" not in shell.says("ps"), "masks are set back")
    process_streams(shell, disk, tmp_path, "left")  # what they had logged before
    assert process_streams(shell, disk, tmp_path, "later") == []


def damage(disk, slot):
    """Changes one bit of a slot's archive."""
    with open(disk, "r+b") as file:
        file.seek(slot + 4096)
        byte = file.read(1)
        file.seek(slot + 4096)
        file.write(bytes([byte[0] ^ 1]))


def test_damage_gives_the_state_before(start, disk, tmp_path):
    shell = start(network=False)
    shell.says("trace record -m sched -d 0 /data/t; sync; echo more > /data/f; sync")
    shell.machine.end()
    assert kov("trace", "read", f"{disk}:/data/t", str(tmp_path / "whole")).returncode == 0
    (newest, _), (older, _) = slots(disk)
    damage(disk, newest)
    before = tmp_path / "before"
    assert kov("trace", "read", f"{disk}:/data/t", str(before)).returncode == 0
    names = sorted(os.listdir(tmp_path / "whole"))
    assert "metadata" in names
    assert filecmp.cmpfiles(tmp_path / "whole", before, names, shallow=False)[0] == names
    damage(disk, older)
    done = kov("trace", "read", f"{disk}:/data/t", str(tmp_path / "none"))
    assert done.returncode == 1 and "no whole snapshot of /data" in done.stderr
    assert not (tmp_path / "none").exists()


def test_the_size_is_a_limit_and_what_is_over_is_counted(start, disk, tmp_path):
    shell = start(network=False)
    logged, packets, size, discarded, over = account(
        shell.says("trace record -m syscall,exc,sched,mem,obj -d 600 -s 128 /data/t"))
    assert packets == 2 and 64 << 10 < size <= 128 << 10 and discarded + over > 0
    shell.says("sync")
    assert kov("trace", "read", f"{disk}:/data/t", str(tmp_path / "t")).returncode == 0
    events, lines = events_of(tmp_path / "t")
    assert len(events) == len(lines) == logged


def trace_setting(machine):
    told = machine.kov("trace", "stat")
    return told["mask"], told["mode"]


def test_one_reader_at_a_time(start, tmp_path):
    shell = start()
    machine = shell.machine.wait_ready()
    before = trace_setting(machine)
    shell.says("trace record -m sched -d 86400 /data/long &")
    shell.machine.wait_for(lambda: "metadata" in shell.says("ls /data/long 2>/dev/null; true"),
                           "the program records")
    done = machine.kov_run("trace", "record", "-d", "1", "-o", str(tmp_path / "one"), check=False)
    assert done.returncode == 1 and "a program in the machine records the trace" in done.stderr
    pid = next(one["pid"] for one in machine.kov("ps")["processes"] if one["name"] == "trace")
    shell.says(f"kill {pid}")
    machine.wait_for(lambda: all(one["pid"] != pid for one in machine.kov("ps")["processes"]),
                     "the program has gone")
    machine.wait_for(lambda: trace_setting(machine) == before, "mask and mode are set back")
    machine.kov_run("trace", "record", "-d", "0.2", "-o", str(tmp_path / "two"))
    recorder = subprocess.Popen(machine.kov_command("trace", "record", "-d", "86400", "-o",
                                                    str(tmp_path / "three")),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        machine.wait_for((tmp_path / "three" / "metadata").exists, "kov records")
        said = "trace: trace: somebody else takes its packets now, perhaps kov"
        # kov makes its folder before it takes the packets.
        machine.wait_for(lambda: said in shell.run("trace record -d 0 /data/short;"
                                                   " rm -r /data/short")[0],
                         "the program is told")
    finally:
        recorder.kill()
        recorder.communicate()
    machine.wait_for(lambda: shell.run("rm -r /data/short; trace record -d 0 /data/short")[1] == 0,
                     "a viewer that has gone leaves the packets to others")


def test_what_cannot_be_is_told(start, disk, tmp_path):
    shell = start(network=False)
    assert shell.run("trace record -m nonesuch /data/t")[0].startswith(
        "trace: nonesuch: is no major of the trace")
    assert shell.run("trace")[1] == 2 and shell.run("trace record")[1] == 2
    assert shell.run("trace record -d x /data/t")[1] == 2
    shell.says("mkdir /data/t; echo x > /data/t/other; sync")
    assert shell.run("trace record /data/t")[1] == 1
    # What the kernel refuses once the folder is there: the folder goes.
    assert shell.run("trace record -m 0xffffffffffffffff /data/u")[1] == 1
    assert shell.says("ls /data").split() == ["t/"]
    empty = tmp_path / "empty"
    empty.write_bytes(bytes(1 << 20))
    for words, wanted in (
            ([f"{disk}:/data/t", "out"], "has no trace in /data/t"),
            ([f"{disk}:/data/none", "out"], "has no trace in /data/none"),
            ([f"{disk}:/other", "out"], "is no DISK:/data/FOLDER"),
            ([f"{empty}:/data/t", "out"], "no whole snapshot of /data"),
            ([f"{tmp_path}/none:/data/t", "out"], "cannot open"),
            (["x"], "name a disk")):
        words = [*words[:1], *(str(tmp_path / word) for word in words[1:])]
        done = kov("trace", "read", *words)
        assert done.returncode != 0 and wanted in done.stderr, (words, done.stderr)
    assert not (tmp_path / "out").exists()
