# SPDX-License-Identifier: MIT
"""scripts/check-releases removes a root, and none into which something of the machine's is
mounted."""

import os
import shutil
import subprocess

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
REMOVE = os.path.join(ROOT, "scripts/check-releases")


def can_mount():
    return shutil.which("unshare") and subprocess.run(["unshare", "--mount", "true"], check=False,
                                                      stderr=subprocess.DEVNULL).returncode == 0


@pytest.fixture(name="folder")
def a_root_and_the_machines_own(tmp_path):
    (tmp_path / "machine").mkdir()
    (tmp_path / "machine/precious").write_text("of the machine")
    (tmp_path / "a root/dev").mkdir(parents=True)
    (tmp_path / "a root/file").write_text("of the root")
    return tmp_path


def remove(folder, before="", inside=()):
    return subprocess.run([*inside, "sh", "-c", f'{before} exec "$0" --remove "$1/a root"', REMOVE,
                           folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)


def test_a_root_is_removed(folder):
    done = remove(folder)
    assert done.returncode == 0 and not (folder / "a root").exists(), done.stderr


@pytest.mark.skipif(not can_mount(), reason="mounts nothing without being root")
def test_a_root_with_a_mount_stays(folder):
    done = remove(folder, 'mount --bind "$1/machine" "$1/a root/dev" &&', ("unshare", "--mount"))
    assert done.returncode == 1 and f"{folder}/a root/dev" in done.stderr, done.stderr
    assert (folder / "machine/precious").exists() and (folder / "a root/file").exists()
