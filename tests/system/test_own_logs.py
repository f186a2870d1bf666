# SPDX-License-Identifier: MIT
"""Logs that programs write for a scheduler: what they say, liars on both sides, ends."""

import os
import re

import pytest

from machine import ROOT


@pytest.mark.parametrize("cpus", [1, 2])
def test_programs_log_what_they_do_and_harm_nobody(boot, cpus):
    machine = boot(cpus=cpus, network=False, append="init=bin/test-own-logs trace=none")
    machine.wait_passed("test-own-logs", 900)


def test_the_example_is_what_the_guest_runs():
    with open(os.path.join(ROOT, "docs/logs.md"), encoding="utf-8") as file:
        page = file.read()
    with open(os.path.join(ROOT, "tests/guest/user/test-own-logs/example.c"),
              encoding="utf-8") as file:
        example = file.read()
    for first in ("struct sys_inspect_request want", "s64 told = log_event"):
        block = re.search(rf"(?:^    {first}.*\n(?:^    .*\n)*)", page, re.MULTILINE)
        assert block[0] in example
