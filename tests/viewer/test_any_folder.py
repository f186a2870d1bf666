# SPDX-License-Identifier: MIT
"""kov works from any folder, with any kind of file, and by any address; or it says why not."""

import os
import shutil
import socket
import subprocess
import threading

import pytest

from conftest import KOV
from machine import PATIENCE, Machine, add_samples
from test_symbols import address_of, build_id_of, program  # noqa: F401: a fixture


@pytest.fixture(name="samples")
def _samples(kov, machine, program, tmp_path):  # noqa: F811
    machine.system.build_id = build_id_of(program)
    add_samples(machine, {(0x1010, address_of(program, 4)): 20})
    assert kov("record", "-d", "0.1", machine=machine).code == 0
    return tmp_path / "samples.kov"


def report(own, cwd, samples, **more):
    return subprocess.run([own, "report", "-i", samples, "--sort", "function"], cwd=cwd, text=True,
                          capture_output=True, timeout=PATIENCE, check=False, **more)


def test_images_are_found_by_build_id(samples, program, tmp_path):  # noqa: F811
    build, here = tmp_path / "elsewhere", tmp_path / "here"
    (here / "build").mkdir(parents=True)
    build.mkdir()
    own = build / "kov"
    shutil.copy(KOV, own)
    none = report(own, here, samples)
    assert none.returncode == 0 and "bottom" not in none.stdout
    assert "beside kov, in build/ or here has the build id" in none.stderr
    for place in (build / "orrery.elf", build / "orrery-bench.elf", here / "build/orrery.elf",
                  here / "orrery.elf"):
        shutil.copy(program, place)
        found = report(own, here, samples)
        assert "bottom" in found.stdout and found.stderr == ""
        # Another build's image is no reason for its names, nor hides the right one.
        other = build / "orrery.elf"
        if place != other:
            subprocess.run(["objcopy", "--remove-section=.note.gnu.build-id", program, other],
                           check=True)
            found = report(own, here, samples)
            assert "bottom" in found.stdout and found.stderr == ""
            other.unlink()
        place.unlink()


def test_a_recording_comes_from_anywhere(samples, program, tmp_path):  # noqa: F811
    shutil.copy(program, tmp_path / "orrery.elf")
    expected = report(KOV, tmp_path, samples)
    assert "bottom" in expected.stdout
    with open(samples, "rb") as file:
        piped = report(KOV, tmp_path, "-", stdin=file)
    assert piped.stdout.splitlines()[1:] == expected.stdout.splitlines()[1:]
    assert report(KOV, tmp_path, "-", stdin=subprocess.DEVNULL).returncode == 1
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    writer = threading.Thread(target=lambda: fifo.write_bytes(samples.read_bytes()))
    writer.start()
    piped = report(KOV, tmp_path, fifo)
    assert piped.stdout.splitlines()[1:] == expected.stdout.splitlines()[1:]
    writer.join()


def test_a_dash_is_standard_output(kov, machine, samples, tmp_path):
    """What is written goes there and nothing else; what is no file says so. No file is named -."""
    def written(*arguments):
        return subprocess.run([KOV, "--port", str(machine.port), *arguments], cwd=tmp_path,
                              stdout=subprocess.PIPE, timeout=PATIENCE, check=True).stdout

    for form in ("folded", "pprof", "perf-script"):
        assert written("export", "-f", form, "-o", "-") == written("export", "-f", form) != b""
    recorded = written("record", "-d", "0.1", "-o", "-")
    (tmp_path / "piped.kov").write_bytes(recorded)
    assert report(KOV, tmp_path, "piped.kov").stdout.splitlines()[1:] == \
        report(KOV, tmp_path, samples).stdout.splitlines()[1:]
    for refused in (("record", "-d", "0.1", "--json"), ("record", "-d", "0.1", "--csv"),
                    ("export", "-f", "folded", "--json"), ("trace", "record", "-d", "0.1"),
                    ("trace", "snapshot"), ("monitor", "record", "-d", "0.1", "-p", "0"),
                    ("trace", "live", "--lttng", "0", "-d", "0.1")):
        result = kov(*refused, "-o", "-", machine=machine)
        assert result.code == 2 and not result.out, refused
    assert "no" in kov("serve", "--record", "-").err
    assert not (tmp_path / "-").exists()


def test_a_folder_is_told_to_be_one(kov, tmp_path):
    (tmp_path / "folder").mkdir()
    result = kov("report", "-i", "folder")
    assert result.code == 1 and "is a folder" in result.err
    (tmp_path / "file").write_bytes(b"x")
    assert "Not a directory" in kov("trace", "show", "file").err
    for option in ("--dump",):
        result = kov("trace", "show", option, "folder")
        assert result.code == 1 and result.err


def has_ipv6():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        return True
    except OSError:
        return False


@pytest.mark.skipif(not has_ipv6(), reason="this host has no IPv6")
@pytest.mark.parametrize("name", ("::1", "[::1]"))
def test_hosts_of_ipv6(kov, name):
    machine = Machine()
    machine.host = "::1"
    with machine:
        assert kov("--host", name, "ps", machine=machine).code == 0


def test_commands_for_copying_find_the_same_machine(kov, machine):
    result = kov("stat", "-e", "nonsense", machine=machine)
    assert result.code == 2 and f"`kov --port {machine.port} events`" in result.err
    assert "see `kov help`" in kov("--port", "4243", "nonsense").err
    assert "see `kov config list`" in kov("config", "show", "nonsense").err
