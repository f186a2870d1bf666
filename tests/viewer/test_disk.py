# SPDX-License-Identifier: MIT
"""`kov disk format`, and what kov says of a disk that is damaged, cut or somebody else's."""

import fcntl
import struct
import subprocess

import pytest

from conftest import KOV

BYTES = 1 << 20
MASK = (1 << 64) - 1


def checksum(data):
    """As docs/files.md's slots have it: servers/fs/snapshot.c, in other words."""
    total = 0xcbf29ce484222325
    for word in [len(data), *struct.unpack(f">{len(data) // 8}Q", data), 0]:
        total = ((total ^ word) * 0x9e3779b97f4a7c15) & MASK
        total = (total << 29 | total >> 35) & MASK
    return total


def header(disk_bytes, generation=1):
    fields = struct.pack(">8sQQQQQ", b"ORRYSNAP", 1, generation, 0, checksum(b""), disk_bytes // 2)
    return fields + struct.pack(">Q", checksum(fields))


@pytest.fixture(name="disk")
def _disk(tmp_path):
    path = tmp_path / "disk.img"
    path.write_bytes(header(BYTES) + bytes(BYTES - 56))
    return path


def kov(*arguments):
    return subprocess.run([str(KOV), *map(str, arguments)], capture_output=True, text=True,
                          check=False)


def refuses(disk, text, *options):
    before = disk.read_bytes()
    done = kov("disk", "format", *options, disk)
    assert done.returncode == 1 and text in done.stderr, done
    assert disk.read_bytes() == before


def formats(disk, *options):
    size = disk.stat().st_size
    done = kov("--json", "disk", "format", *options, disk)
    assert done.returncode == 0 and f'"bytes": {size}' in done.stdout, done
    assert disk.read_bytes() == bytes(size)


def test_it_begins_a_disk_anew(disk):
    formats(disk)
    formats(disk)  # a blank one, too


def test_damaged_and_cut_disks_are_ours(disk):
    whole = disk.read_bytes()
    for at in range(8, 56):
        disk.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
        formats(disk)
    disk.write_bytes(whole[:BYTES * 3 // 4])
    formats(disk)
    disk.write_bytes(bytes(BYTES // 2) + whole[:BYTES // 2])  # the second slot alone
    formats(disk)
    disk.write_bytes(bytes(4096) + b"070701" + bytes(BYTES - 4102))  # an archive without a header
    formats(disk)


def test_what_is_not_ours_is_left_alone(disk):
    for foreign in (b"x" + bytes(BYTES - 1), bytes(BYTES - 1) + b"x"):
        disk.write_bytes(foreign)
        refuses(disk, "holds something else than /data")
        formats(disk, "--force")
    disk.write_bytes(bytes(65536))
    refuses(disk, "a disk has at least 131072 bytes", "--force")


def test_a_disk_in_use_is_left_alone(disk):
    with open(disk, "rb") as file:  # as the emulator locks it
        shared = struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 100, 1, 0)
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, shared)
        refuses(disk, "is in use", "--force")
    formats(disk)


def test_no_file_or_no_regular_one(tmp_path):
    assert kov("disk", "format", tmp_path / "none").returncode == 1
    assert not (tmp_path / "none").exists()
    assert kov("disk", "format", tmp_path).returncode == 1
    assert kov("disk", "format").returncode == 2


def reads(disk, folder):
    done = kov("trace", "read", f"{disk}:/data/t", folder)
    assert done.returncode == 1 and not folder.exists()
    return done.stderr


def test_reading_says_what_is_wrong(disk, tmp_path):
    whole, folder = disk.read_bytes(), tmp_path / "t"
    assert "has no trace in /data/t" in reads(disk, folder)
    disk.write_bytes(whole[:BYTES // 2])
    assert f"was made with {BYTES} bytes and has {BYTES // 2}: it was cut" in reads(disk, folder)
    disk.write_bytes(whole + bytes(4096 * 2))
    assert f"was made with {BYTES} bytes and has {BYTES + 8192}: it was lengthened" in reads(
        disk, folder)
    disk.write_bytes(whole[:20] + b"!" + whole[21:])
    assert "it is damaged" in reads(disk, folder)
    disk.write_bytes(bytes(BYTES))
    assert "not a disk of Orrery, or nothing was saved" in reads(disk, folder)
