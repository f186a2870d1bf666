# SPDX-License-Identifier: MIT
"""An image without some majors: no point of theirs is left, nobody can ask for them, and the others work."""

import os
import re
import struct
import subprocess

import pytest

import sanitizers
from machine import BUILD, ROOT, Machine

WITHOUT = {"LOCK": 6, "IPC": 12, "LOCKHOLD": 16}
PATIENCE = 3000  # seconds

pytestmark = [pytest.mark.long,
              pytest.mark.skipif(sanitizers.active(), reason="it builds images of its own")]


def make(build, without):
    return subprocess.run(["make", "-j2", f"BUILD={build}", f"TRACE_WITHOUT={without}",
                           f"THIRD={os.path.abspath(BUILD)}/third_party",
                           "USER_ONLY=init fs proc dci net sh", f"{build}/orrery.elf",
                           f"{build}/initrd.cpio"], cwd=ROOT, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False)


@pytest.fixture(name="image", scope="module")
def _image(tmp_path_factory):
    build = str(tmp_path_factory.mktemp("without") / "build")
    done = make(build, ",".join(WITHOUT).lower())
    assert done.returncode == 0, done.stdout[-4000:]
    return os.path.join(build, "orrery.elf")


def points_by_major(image):
    names = subprocess.run(["powerpc64-linux-gnu-nm", image], check=True, capture_output=True,
                           text=True).stdout
    first, end = (int(re.search(rf"^(\w+) \w trace_points_{which}$", names, re.MULTILINE)[1], 16)
                  for which in ("start", "end"))
    segments = subprocess.run(["powerpc64-linux-gnu-readelf", "-lW", image], check=True,
                              capture_output=True, text=True).stdout
    for line in re.findall(r"^ *LOAD +(\S+) +(\S+) +\S+ +(\S+)", segments, re.MULTILINE):
        offset, address, size = (int(word, 16) for word in line)
        if address <= first < address + size:
            with open(image, "rb") as file:
                file.seek(offset + first - address)
                return [major for _, _, major in struct.iter_unpack(">QQQ", file.read(end - first))]
    raise AssertionError("the points lie in no segment")


def test_no_point_is_left(image):
    usual = points_by_major(os.path.join(BUILD, "orrery.elf"))
    assert set(WITHOUT.values()) <= set(usual)
    left = points_by_major(image)
    assert sorted(left) == sorted(major for major in usual if major not in WITHOUT.values())


def test_the_others_work(image, tmp_path):
    with Machine(str(tmp_path), "without", cpus=2, kernel=image) as machine:
        machine.wait_ready()
        listed = {event["name"].split(":")[0] for event in machine.kov("trace", "list")["events"]}
        assert "SCHED" in listed and not listed & WITHOUT.keys()
        for name in WITHOUT:
            refused = machine.kov_run("trace", "record", "-o", str(tmp_path / "none"), "-e", name,
                                      "-d", "0.1", check=False)
            assert refused.returncode == 2 and "is no major or event" in refused.stderr
        folder = str(tmp_path / "trace")
        machine.kov("trace", "record", "-o", folder, "-e", "all", "-d", "0.5")
        shown = subprocess.run(["babeltrace2", folder], check=True, capture_output=True, text=True)
        assert shown.stderr == "" and "switch: " in shown.stdout
        assert "ipc_call: " not in shown.stdout and "lock_take: " not in shown.stdout


def test_a_wrong_name_is_told(tmp_path):
    done = make(str(tmp_path / "build"), "LOCKS")
    assert done.returncode != 0
    assert "LOCKS is no major; did you mean LOCK?" in done.stdout
