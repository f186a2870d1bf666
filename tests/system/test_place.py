# SPDX-License-Identifier: MIT
"""Placing processes by system calls."""

import pytest


def start(boot, cpus, words=""):
    return boot(cpus=cpus, append=f"init=bin/test-place -- {words}", network=False)


@pytest.mark.parametrize("cpus", [1, pytest.param(2, marks=pytest.mark.minutes), 4])
def test_processes_are_placed_by_who_has_the_right(boot, cpus):
    """Errors and random calls against a model; threads follow; who ignores its place gains
    nothing."""
    start(boot, cpus).wait_passed("test-place")
