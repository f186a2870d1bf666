# SPDX-License-Identifier: MIT
"""An image without some majors: no point of theirs is left, nobody can ask for them, and the others work."""

import os
import subprocess

import pytest

import sanitizers
import without
from machine import BUILD, Machine

WITHOUT = {"LOCK": 6, "IPC": 12, "LOCKHOLD": 16}

pytestmark = [pytest.mark.long,
              pytest.mark.skipif(sanitizers.active(), reason="it builds images of its own")]


@pytest.fixture(name="image", scope="module")
def _image(tmp_path_factory):
    build = str(tmp_path_factory.mktemp("without") / "build")
    return without.made(build, f"TRACE_WITHOUT={','.join(WITHOUT).lower()}")


def test_no_point_is_left(image):
    usual = without.points(os.path.join(BUILD, "orrery.elf"), "trace_points")
    assert set(WITHOUT.values()) <= set(usual)
    left = without.points(image, "trace_points")
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
    done = without.make(str(tmp_path / "build"), "TRACE_WITHOUT=LOCKS")
    assert done.returncode != 0
    assert "LOCKS is no major; did you mean LOCK?" in done.stdout
