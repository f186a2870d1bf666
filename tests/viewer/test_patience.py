# SPDX-License-Identifier: MIT
"""--timeout limits one wait. Commands that go on until they are ended outlast it any number of
times."""

import signal
import subprocess
import time

import pytest

from conftest import KOV
from machine import PATIENCE

SILENCES = 5  # of a second each, after which kov asks for the machine's time: longer than the limit


@pytest.mark.parametrize("command", [
    ["trace", "live", "--lttng", "0"], ["trace", "live", "--lttng", "0", "-d", "1000"],
    ["trace", "show"], ["trace", "show", "-e", "TEST", "-n", "1000"], ["console"],
    ["trace", "record", "-d", "1000"]], ids=" ".join)
def test_a_command_without_an_end_outlasts_the_limit(machine, tmp_path, command):
    process = subprocess.Popen([KOV, "--port", str(machine.port), "--timeout", "3", *command],
                               cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               stdin=subprocess.PIPE, text=True)
    end = time.monotonic() + PATIENCE
    while machine.answered.count("system") <= SILENCES:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, machine.answered
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
