# SPDX-License-Identifier: MIT
"""The power fails: what a machine writes to its disk is recorded by the emulator. Disks as they may
be after a cut are judged on the host (tests/unit/fs/power.c), some of them by another machine."""

import os
import re
import subprocess

import pytest

from machine import BUILD

JUDGE = os.path.join(BUILD, "unit", "fs_power")
DISK_BYTES = (1 << 20) + 512  # two slots, and a sector for the program's notes


def make_disk(path, size=DISK_BYTES):
    with open(path, "wb") as file:
        file.truncate(size)
    return str(path)


def recorded(folder):
    """QEMU's options for a blank disk whose writes are recorded, and the recording's path."""
    disk, log = make_disk(folder / "disk"), make_disk(folder / "log", 0)
    drive = ["if=none", "id=d0", "driver=blklogwrites", "log-sector-size=512",
             "file.driver=file", f"file.filename={disk}", "log.driver=file", f"log.filename={log}"]
    return ["-drive", ",".join(drive), "-device",
            "virtio-blk-pci,drive=d0,disable-legacy=off,disable-modern=on"], log


def run(boot, name, arguments, **options):
    """Runs power-writer as the machine's program: the console."""
    machine = boot(name, network=False, append=f"run=bin/power-writer,{arguments} oneshot",
                   **options)
    status = machine.wait_end(1800)
    if status != 0 or not re.search(r"^power-writer: round .*: fine$", machine.console,
                                    re.MULTILINE):
        machine.fail(f"power-writer {arguments}: status {status}")
    return machine.console


def judge(log, folder, count):
    """Judges a recording, and makes disks after cuts at random: their paths and rounds."""
    done = subprocess.run([JUDGE, log, str(DISK_BYTES), folder, str(count)], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout)
    assert done.returncode == 0, done.stdout
    for number in range(count):
        with open(os.path.join(folder, f"{number}.round"), encoding="ascii") as file:
            yield os.path.join(folder, f"{number}.disk"), int(file.read())


def cut(boot, folder, rounds, kills, disks):
    qemu, log = recorded(folder)
    run(boot, "recorded", f"write,{rounds},{kills}", qemu=qemu)
    cuts = list(judge(log, str(folder), disks))
    for number, (disk, synced) in enumerate(cuts):
        run(boot, f"cut{number}", f"check,{synced}", disk=disk)


def test_a_disk_after_any_cut_has_what_was_synced(boot, tmp_path):
    cut(boot, tmp_path, rounds=12, kills=0, disks=1)


@pytest.mark.minutes
def test_more_cuts_of_a_longer_recording(boot, tmp_path):
    """fs is killed meanwhile."""
    cut(boot, tmp_path, rounds=40, kills=6, disks=12)
