# SPDX-License-Identifier: MIT
"""Calls between processes: the guest's own tests, with the fast path and without, traced and
not."""

import re

import pytest

FAST_LIMIT = 260  # instructions of a call and its return, the loops on both sides included
LINE = re.compile(r"^BENCH ipc\.(\S+) (\d+\.\d) ns", re.MULTILINE)


@pytest.mark.parametrize("cpus, options",
                         [(1, "ipc=fast"), (4, "ipc=fast trace=none"), (2, "ipc=slow")])
def test_calls_survive_all_that_peers_do(boot, cpus, options):
    machine = boot(cpus=cpus, network=False, append=f"init=bin/test-ipc {options}")
    machine.wait_passed("test-ipc", 20)


def measure(boot, name, options):
    machine = boot(name, cpus=1, network=False, icount=True, append=f"init=bin/bench-ipc {options}")
    if machine.wait_end() != 0 or "bench-ipc: done" not in machine.console:
        machine.fail("bench-ipc did not finish")
    return {key: float(value) for key, value in LINE.findall(machine.console)}


def test_the_fast_path_is_taken(boot):
    """Under -icount a nanosecond is an instruction: what the fast path saves shows, with and
    without tracing."""
    fast = measure(boot, "fast", "trace=none")
    traced = measure(boot, "traced", "")
    slow = measure(boot, "slow", "ipc=slow trace=none")
    for size in (0, 48, 128, 256):
        assert fast[f"call_cross_{size}"] < slow[f"call_cross_{size}"] / 3, (fast, slow)
        assert traced[f"call_cross_{size}"] < slow[f"call_cross_{size}"] / 2, (traced, slow)
    for size in (1024, 4096):  # most of it is copying, both ways
        assert fast[f"call_cross_{size}"] < slow[f"call_cross_{size}"] - 2000, (fast, slow)
        assert traced[f"call_cross_{size}"] < slow[f"call_cross_{size}"] - 2000, (traced, slow)
    assert fast["call_cross_0"] < FAST_LIMIT, fast
