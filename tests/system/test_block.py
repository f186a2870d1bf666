# SPDX-License-Identifier: MIT
"""The disk and /data: what is written outlives the machine and the fs server; damage gives the
state before."""

import struct
import subprocess

import pytest

import servers
from machine import KOV
from test_shell import Shell

DISK_BYTES = 16 << 20
HEADER = struct.Struct(">8sQQQQ")  # magic, version, generation, bytes, checksum


@pytest.fixture(name="disk")
def _disk(tmp_path):
    path = str(tmp_path / "disk")
    with open(path, "wb") as file:
        file.truncate(DISK_BYTES)
    return path


@pytest.fixture(name="start")
def _start(boot):
    """Boots a machine with that disk (None: none): its shell."""
    count = iter(range(100))

    def start(disk, **options):
        return Shell(boot(f"block{next(count)}", disk=disk, network=False, typing=True, **options))

    return start


def power_off(shell):
    shell.machine.type("poweroff\n")
    if shell.machine.wait_end() != 0:
        shell.machine.fail("power-off failed")


def slots(disk):
    """Offset and generation of both slots, the newest first; the last is None where there is no
    snapshot."""
    found = []
    with open(disk, "rb") as file:
        for offset in (0, DISK_BYTES // 2):
            file.seek(offset)
            magic, _, generation, _, _ = HEADER.unpack(file.read(HEADER.size))
            found.append((offset, generation if magic == b"ORRYSNAP" else None))
    return sorted(found, key=lambda slot: slot[1] or 0, reverse=True)


@pytest.mark.parametrize("cpus", [1, 4])
def test_files_outlive_the_machine(start, disk, cpus):
    shell = start(disk, cpus=cpus)
    assert shell.says("ls /data") == ""
    shell.says("mkdir /data/folder; echo first > /data/folder/one; "
               "cp /bin/sh /data/sh; cp /data/sh /data/twice")
    shell.says("rm /data/twice; echo more >> /data/folder/one; mv /data/folder /data/moved")
    power_off(shell)
    assert slots(disk)[0][1] is not None
    shell = start(disk, cpus=cpus)
    assert shell.says("ls /data") == "moved/\nsh"
    assert shell.says("cat /data/moved/one") == "first\nmore"
    assert shell.says("/data/sh -c 'echo runs'") == "runs"
    assert shell.says("wc -c < /data/sh") == shell.says("wc -c < /bin/sh")
    assert shell.run("mv /bin/sh /data/x")[1] != 0 and shell.run("rm -r /data")[1] != 0


def is_saved(disk, text):
    """Does the newest snapshot contain this? (Contents stand as they are, nothing is packed.)"""
    with open(disk, "rb") as file:
        file.seek(slots(disk)[0][0])
        return text in file.read(DISK_BYTES // 2)


def test_a_change_is_saved_by_itself_or_by_sync(start, disk):
    shell = start(disk)
    shell.says("echo kept > /data/f; sync")
    shell.says("echo later > /data/g")
    shell.machine.wait_for(lambda: is_saved(disk, b"later\n"), "a snapshot with it is written")
    shell.machine.end()  # no power-off
    shell = start(disk)
    assert shell.says("cat /data/f /data/g") == "kept\nlater"
    shell.says("echo again > /data/f; sync")
    shell.machine.end()
    assert start(disk).says("cat /data/f") == "again"


def test_a_killed_server_finds_it_again(start, disk):
    shell = start(disk)
    shell.says("echo here > /data/f; echo gone > /tmp/f; sync")
    for _ in range(3):
        pid = next(line.split()[0] for line in shell.says("ps").splitlines()
                   if line.split()[-1] == "fs")
        shell.says(f"kill {pid}")
        shell.machine.wait_for(lambda: shell.run("cat /data/f") == ("here", 0),
                               "the server has the file again")
    assert shell.run("cat /tmp/f")[1] != 0
    shell.says("echo more >> /data/f")
    power_off(shell)
    assert start(disk).says("cat /data/f") == "here\nmore"


@pytest.mark.parametrize("at", [20, 4096 + 130], ids=["header", "contents"])
def test_damage_gives_the_state_before(start, disk, at):
    shell = start(disk)
    shell.says("echo old > /data/f; sync")
    # The server may save at any moment: no state has the file empty.
    shell.says("echo new > /data/whole; mv /data/whole /data/f; sync")
    shell.machine.end()
    newest, older = slots(disk)
    assert newest[1] == older[1] + 1
    with open(disk, "r+b") as file:
        file.seek(newest[0] + at)
        file.write(b"\x55\xaa\x55")
    shell = start(disk)
    assert "fs: /data: one state is damaged" in shell.machine.console
    assert shell.says("cat /data/f") == "old"
    shell.says("echo newer > /data/f")
    power_off(shell)
    assert start(disk).says("cat /data/f") == "newer"


def test_a_full_disk_keeps_what_it_has(start, disk):
    with open(disk, "r+b") as file:
        file.truncate(1 << 20)
    shell = start(disk)
    shell.says("echo kept > /data/f; sync")
    shown, status = shell.run("cp /bin/sh /data/sh && cp /bin/sh /data/sh2 && cp /bin/sh /data/sh3")
    assert status != 0 and "space" in shown.lower()
    shell.says("rm -r /data/sh; echo room > /data/g; sync")
    power_off(shell)
    shell = start(disk)
    assert shell.says("cat /data/f /data/g") == "kept\nroom"


def test_without_a_disk_there_is_no_data(start):
    shell = start(None)
    assert shell.run("ls /data")[1] != 0
    assert shell.says("sync; echo x > /tmp/x; cat /tmp/x") == "x"
    assert "/data" not in shell.machine.console.split("orrery:/$ ")[0]
    power_off(shell)


def test_a_foreign_disk_is_left_alone(start, disk):
    with open(disk, "r+b") as file:
        file.write(b"something else" * 100)
    before = open(disk, "rb").read()
    shell = start(disk)
    assert "fs: /data: the disk holds something else" in shell.machine.console
    assert shell.run("ls /data")[1] != 0
    power_off(shell)
    assert open(disk, "rb").read() == before


def zero_headers(file, offset):
    file.seek(offset)
    file.write(bytes(512))


def flip_a_bit(file, offset):
    file.seek(offset + 20)
    byte = file.read(1)[0]
    file.seek(offset + 20)
    file.write(bytes([byte ^ 4]))


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def is_only_read(shell):
    """No command changes /data."""
    for command in ("echo new > /data/f", "echo new >> /data/f", "echo new > /data/g",
                    "rm /data/f", "mv /data/f /data/g", "mkdir /data/h"):
        assert shell.run(command)[1] != 0, command
    return shell.says("sync; ls /data; cat /data/f") == "f\nkept"


@pytest.mark.parametrize("damage", [zero_headers, flip_a_bit])
def test_a_damaged_disk_is_only_read_until_it_is_formatted(start, disk, damage):
    shell = start(disk)
    shell.says("echo kept > /data/f; sync")
    shell.says("rm /data/f; sync; echo kept > /data/f; sync")
    power_off(shell)
    with open(disk, "r+b") as file:
        damage(file, 0)
        damage(file, DISK_BYTES // 2)
    before = contents(disk)
    shell = start(disk)
    assert "fs: /data: the disk's contents are damaged; what can be read is there" in \
        shell.machine.console
    assert shell.says("ls /data") == "f"
    assert is_only_read(shell) or damage is zero_headers  # no header says which state is newer
    shell.machine.end()
    assert contents(disk) == before
    subprocess.run([KOV, "disk", "format", disk], check=True)
    shell = start(disk)
    assert shell.says("ls /data; echo anew > /data/f; sync; cat /data/f") == "anew"
    assert subprocess.run([KOV, "disk", "format", disk], check=False).returncode == 1  # in use
    shell.machine.end()
    assert start(disk).says("cat /data/f") == "anew"


def test_a_cut_disk_says_so(start, disk):
    shell = start(disk)
    shell.says("echo kept > /data/f; sync")
    power_off(shell)
    with open(disk, "r+b") as file:
        file.truncate(DISK_BYTES * 3 // 4)
    before = contents(disk)
    shell = start(disk)
    assert f"fs: /data: the disk was made with {DISK_BYTES} bytes and has " \
        f"{DISK_BYTES * 3 // 4}: it was cut" in shell.machine.console
    assert is_only_read(shell)
    power_off(shell)
    assert contents(disk) == before
    with open(disk, "r+b") as file:
        file.truncate(DISK_BYTES)
    shell = start(disk)
    assert shell.says("echo more >> /data/f; cat /data/f") == "kept\nmore"


def test_the_disk_is_an_object(boot, disk):
    machine = boot("object", disk=disk).wait_ready()
    objects = machine.kov("objects", "--pid", "0", "--flat")["objects"]
    assert [one["class"] for one in objects].count("BlockDevice") == 1


def test_requests_are_in_the_trace(boot, disk, tmp_path):
    folder = str(tmp_path / "trace")
    machine = boot("traced", disk=disk).wait_ready()
    recorder = servers.started(machine, "trace", "record", "-o", folder, "-e", "block",
                               "-d", "3600")
    servers.wait_owner(machine, "tracing")
    machine.kov_run("run", "sh", typed="echo kept > /data/kept; sync\n")
    servers.interrupt(recorder)
    events = [event for event in machine.kov("trace", "show", "-e", "block", folder)["events"]]
    assert events and len(events) % 2 == 0
    for begin, end in zip(events[::2], events[1::2]):  # one at a time
        assert (begin["event"], end["event"]) == ("BLOCK:block_begin", "BLOCK:block_end")
        assert begin["fields"]["type"] == end["fields"]["type"] and end["fields"]["status"] == 0
    written = [begin["fields"] for begin in events[::2] if begin["fields"]["type"] == 1]
    slot = slots(disk)[0][0]
    assert {slot} <= {fields["offset"] for fields in written}
    with open(disk, "rb") as file:
        contents = file.read()
    kept = contents.index(b"kept\n")
    assert any(fields["offset"] <= kept < fields["offset"] + fields["bytes"] for fields in written)
