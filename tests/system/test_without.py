# SPDX-License-Identifier: MIT
"""Kernels without some majors and without observers: no point or handler of theirs is left, nobody
can ask for them, all else works."""

import os
import re
import struct
import subprocess
from collections import Counter

import pytest

import sanitizers
from machine import BUILD, ROOT, Machine

MAJORS = {"LOCK": 6, "IPC": 12, "LOCKHOLD": 16}
PATIENCE = 3000  # seconds

pytestmark = [pytest.mark.long,
              pytest.mark.skipif(sanitizers.active(), reason="it builds an image of its own")]


def make(build, *settings):
    return subprocess.run(["make", "-j2", f"BUILD={build}", *settings,
                           f"THIRD={os.path.abspath(BUILD)}/third_party", f"{build}/orrery.elf"],
                          cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=PATIENCE, check=False)


@pytest.fixture(name="image", scope="module")
def _image(tmp_path_factory):
    """Beside it the usual programs."""
    build = str(tmp_path_factory.mktemp("without") / "build")
    done = make(build, f"TRACE_WITHOUT={','.join(MAJORS).lower()}", "OBSERVERS=log trace")
    assert done.returncode == 0, done.stdout[-4000:]
    os.symlink(os.path.abspath(os.path.join(BUILD, "initrd.cpio")),
               os.path.join(build, "initrd.cpio"))
    return os.path.join(build, "orrery.elf")


def symbols(image):
    names = subprocess.run(["powerpc64-linux-gnu-nm", image], check=True, capture_output=True,
                           text=True).stdout
    return {name: int(address, 16)
            for address, name in re.findall(r"^(\w{16}) \w (\S+)$", names, re.MULTILINE)}


def records(image, table, words):
    """Those of a table, of so many words, between its symbols _start and _end."""
    first, end = (symbols(image)[f"{table}_{which}"] for which in ("start", "end"))
    segments = subprocess.run(["powerpc64-linux-gnu-readelf", "-lW", image], check=True,
                              capture_output=True, text=True).stdout
    for line in re.findall(r"^ *LOAD +(\S+) +(\S+) +\S+ +(\S+)", segments, re.MULTILINE):
        offset, address, size = (int(word, 16) for word in line)
        if address <= first < address + size:
            with open(image, "rb") as file:
                file.seek(offset + first - address)
                return list(struct.iter_unpack(f">{words}Q", file.read(end - first)))
    raise AssertionError("the table lies in no segment")


def majors(image):
    """Of the trace's points: how many each."""
    return Counter(major for _, _, major in records(image, "trace_points", 3))


@pytest.mark.minutes
def test_no_point_is_left(image):
    """All others are there, but for the trace points in what only sensors need."""
    left_out = set(MAJORS.values())
    usual, left = majors(os.path.join(BUILD, "orrery.elf")), majors(image)
    assert left_out <= usual.keys() and left.keys() == usual.keys() - left_out
    assert all(left[major] <= usual[major] for major in left)


def observers(image):
    """Those that have handlers of events (kernel/points.h)."""
    named = {address: name for name, address in symbols(image).items()}
    return {named[record[2]] for record in records(image, "handlers", 5) if record[2] != 0}


@pytest.mark.minutes
def test_no_sensor_is_left(image):
    usual, left = observers(os.path.join(BUILD, "orrery.elf")), observers(image)
    assert "monitors_observer" in usual and left == usual - {"monitors_observer"}


@pytest.mark.minutes
def test_all_else_works(image, tmp_path):
    with Machine(str(tmp_path), "without", cpus=2, kernel=image) as machine:
        machine.wait_ready()
        nobody_gets_a_monitor(machine, tmp_path)
        the_other_majors_are_there(machine, tmp_path)


def nobody_gets_a_monitor(machine, tmp_path):
    for command in (("run", "monitor", "--", "1", "1"),
                    ("monitor", "record", "-p", "1", "-d", "1", "-o", str(tmp_path / "none"))):
        refused = machine.kov_run(*command, check=False)
        assert refused.returncode != 0 and "not supported" in refused.stdout + refused.stderr


def the_other_majors_are_there(machine, tmp_path):
    listed = {event["name"].split(":")[0] for event in machine.kov("trace", "list")["events"]}
    assert "SCHED" in listed and not listed & MAJORS.keys()
    for name in MAJORS:
        refused = machine.kov_run("trace", "record", "-o", str(tmp_path / "none"), "-e", name,
                                  "-d", "0.1", check=False)
        assert refused.returncode == 2 and "is no major or event" in refused.stderr
    folder = str(tmp_path / "trace")
    machine.kov("trace", "record", "-o", folder, "-e", "all", "-d", "0.5")
    shown = subprocess.run(["babeltrace2", folder], check=True, capture_output=True, text=True)
    assert shown.stderr == "" and "switch: " in shown.stdout
    assert "ipc_call: " not in shown.stdout and "lock_take: " not in shown.stdout


@pytest.mark.minutes
def test_a_kernel_without_observers_tells_kov_so(tmp_path):
    """It has no points of the trace, nobody in its list of observers but the core's own."""
    build = str(tmp_path / "build")
    done = make(build, "OBSERVERS=")
    assert done.returncode == 0, done.stdout[-4000:]
    image = os.path.join(build, "orrery.elf")
    assert not majors(image) and observers(image) == {"tasks_counted"}
    os.symlink(os.path.abspath(os.path.join(BUILD, "initrd.cpio")),
               os.path.join(build, "initrd.cpio"))
    with Machine(str(tmp_path), "core", cpus=2, kernel=image) as machine:
        machine.wait_ready()
        nobody_gets_a_monitor(machine, tmp_path)
        for command in (("trace", "list"), ("trace", "stat"),
                        ("trace", "record", "-o", str(tmp_path / "none"), "-d", "0.1")):
            refused = machine.kov_run(*command, check=False)
            assert refused.returncode != 0
            assert "this kernel was built without a trace" in refused.stdout + refused.stderr
        assert machine.kov("objects")["objects"]


def test_a_wrong_name_is_told(tmp_path):
    done = make(str(tmp_path / "build"), "TRACE_WITHOUT=LOCKS")
    assert done.returncode != 0
    assert "LOCKS is no major; did you mean LOCK?" in done.stdout
