# SPDX-License-Identifier: MIT
"""Fixtures for tests of kov: the program, the protocol's messages, and a machine that Python
plays."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("ORRERY_BUILD", "build")
KOV = BUILD / "kov"


def pytest_configure(config):
    """Makes the protocol's messages, which the tests import, before anything else."""
    config.addinivalue_line("markers",
                            "long: takes more than some seconds; `make check` leaves it out")
    config.addinivalue_line("markers", "minutes: `make test` leaves it to `make test-long`")
    folder = tempfile.TemporaryDirectory()
    config.add_cleanup(folder.cleanup)
    subprocess.run(
        ["protoc", f"--proto_path={ROOT / 'proto'}", f"--python_out={folder.name}", "dci.proto"],
        check=True)
    sys.path.insert(0, folder.name)


class Result:
    """How a run of kov ended."""

    def __init__(self, done):
        self.code = done.returncode
        self.out = done.stdout
        self.err = done.stderr

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def kov(tmp_path):
    """Runs kov in an empty folder. With `machine`, it connects to that one."""
    if not KOV.exists():
        pytest.fail(f"{KOV} is not built: run `make kov`")

    from machine import PATIENCE

    def run(*arguments, machine=None, env=None, stdin=""):
        command = [str(KOV)]
        if machine is not None:
            command += ["--port", str(machine.port)]
        command += ["--timeout", "30", *map(str, arguments)]
        environment = {key: value for key, value in os.environ.items() if key != "ORRERY_TOKEN"}
        done = subprocess.run(command, cwd=tmp_path, timeout=PATIENCE, text=True,
                              capture_output=True, input=stdin, env={**environment, **(env or {})},
                              check=False)
        return Result(done)

    return run


@pytest.fixture
def machine():
    """Returns a machine that behaves as it should. A test may change it before kov talks to it."""
    from machine import Machine

    with Machine() as instance:
        yield instance


@pytest.fixture
def running(machine):
    """Returns a machine whose clock runs. Its sampling began when the clock did."""
    machine.let_run()
    return machine
