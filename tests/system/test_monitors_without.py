# SPDX-License-Identifier: MIT
"""An image without the sensors of monitors: none of their points is left, nobody gets a monitor, all else works."""

import os
import re
import struct
import subprocess

import pytest

import sanitizers
from machine import BUILD, ROOT, Machine
from test_trace_without import PATIENCE

COUNTED, MONITORED = 0, 1  # proc/switch_points.h

pytestmark = [pytest.mark.long,
              pytest.mark.skipif(sanitizers.active(), reason="it builds images of its own")]


@pytest.fixture(name="image", scope="module")
def _image(tmp_path_factory):
    build = str(tmp_path_factory.mktemp("without") / "build")
    done = subprocess.run(["make", "-j2", f"BUILD={build}", "WITHOUT_SENSORS=1",
                           f"THIRD={os.path.abspath(BUILD)}/third_party",
                           "USER_ONLY=init fs proc dci net sh monitor", f"{build}/orrery.elf",
                           f"{build}/initrd.cpio"], cwd=ROOT, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
    return os.path.join(build, "orrery.elf")


def users_of_points(image):
    """Who is told at the switch points of an image, one for each target."""
    names = subprocess.run(["powerpc64-linux-gnu-nm", image], check=True, capture_output=True,
                           text=True).stdout
    first, end = (int(re.search(rf"^(\w+) \w switch_points_{which}$", names, re.MULTILINE)[1], 16)
                  for which in ("start", "end"))
    segments = subprocess.run(["powerpc64-linux-gnu-readelf", "-lW", image], check=True,
                              capture_output=True, text=True).stdout
    for line in re.findall(r"^ *LOAD +(\S+) +(\S+) +\S+ +(\S+)", segments, re.MULTILINE):
        offset, address, size = (int(word, 16) for word in line)
        if address <= first < address + size:
            with open(image, "rb") as file:
                file.seek(offset + first - address)
                return [user for _, _, user in struct.iter_unpack(">QQQ", file.read(end - first))]
    raise AssertionError("the points lie in no segment")


def test_no_point_is_left(image):
    usual = users_of_points(os.path.join(BUILD, "orrery.elf"))
    assert MONITORED in usual
    assert users_of_points(image) == [COUNTED] * usual.count(COUNTED)


def test_nobody_gets_a_monitor(image, tmp_path):
    with Machine(str(tmp_path), "without", cpus=2, kernel=image) as machine:
        machine.wait_ready()
        refused = machine.kov_run("run", "monitor", "--", "1", "1", check=False)
        assert refused.returncode != 0 and "not supported" in refused.stdout + refused.stderr
        refused = machine.kov_run("monitor", "record", "-p", "1", "-d", "1", "-o",
                                  str(tmp_path / "none"), check=False)
        assert refused.returncode != 0 and "not supported" in refused.stdout + refused.stderr
        assert machine.kov("ps")["processes"]
