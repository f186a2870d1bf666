# SPDX-License-Identifier: MIT
"""A machine whose initial file system has the ports, with its shell on the console and a disk; and
what the same sources, built for this host, say."""

import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(__file__)
sys.path.insert(1, os.path.join(HERE, "../../tests/system"))

from failing import pytest_runtest_makereport  # noqa: E402,F401  pylint: disable=unused-import
from machine import BUILD, Machine  # noqa: E402
from test_shell import Shell  # noqa: E402

INITRD = os.path.join(BUILD, "initrd-ports.cpio")
HOST = os.path.join(BUILD, "host/ports")
DISK_BYTES = 64 << 20


def make_disk(folder):
    path = os.path.join(folder, "disk")
    with open(path, "wb") as file:
        file.truncate(DISK_BYTES)
    return path


@pytest.fixture(scope="session", name="shell")
def _shell(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("ports"))
    with Machine(folder, "ports", initrd=INITRD, disk=make_disk(folder), typing=True) as machine:
        yield Shell(machine)


@pytest.fixture(name="host")
def _host(tmp_path):
    """host(program, *arguments): the bytes that it writes on this host, to both of its outputs; in
    a folder of the test's own, or in another one."""

    def run(program, *arguments, folder=tmp_path, given=b""):
        return subprocess.run([os.path.join(HOST, program), *arguments], cwd=folder, input=given,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
                              check=False).stdout

    return run
