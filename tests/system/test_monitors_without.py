# SPDX-License-Identifier: MIT
"""An image without the sensors of monitors: none of their points is left, nobody gets a monitor, all else works."""

import os

import pytest

import sanitizers
import without
from machine import BUILD, Machine

COUNTED, MONITORED = 0, 1  # proc/switch_points.h

pytestmark = [pytest.mark.long,
              pytest.mark.skipif(sanitizers.active(), reason="it builds images of its own")]


@pytest.fixture(name="image", scope="module")
def _image(tmp_path_factory):
    build = str(tmp_path_factory.mktemp("without") / "build")
    return without.made(build, "WITHOUT_SENSORS=1", programs=f"{without.PROGRAMS} monitor")


def test_no_point_is_left(image):
    usual = without.points(os.path.join(BUILD, "orrery.elf"), "switch_points")
    assert MONITORED in usual
    assert without.points(image, "switch_points") == [COUNTED] * usual.count(COUNTED)


def test_nobody_gets_a_monitor(image, tmp_path):
    with Machine(str(tmp_path), "without", cpus=2, kernel=image) as machine:
        machine.wait_ready()
        refused = machine.kov_run("run", "monitor", "--", "1", "1", check=False)
        assert refused.returncode != 0 and "not supported" in refused.stdout + refused.stderr
        refused = machine.kov_run("monitor", "record", "-p", "1", "-d", "1", "-o",
                                  str(tmp_path / "none"), check=False)
        assert refused.returncode != 0 and "not supported" in refused.stdout + refused.stderr
        assert machine.kov("ps")["processes"]
