# SPDX-License-Identifier: MIT
"""What a process finds of others: in its registers after every entry into the kernel, and behind
the messages that it gets."""

import re

import pytest


@pytest.mark.parametrize("cpus, options", [
    (1, "ipc=fast"), (1, "ipc=slow"), pytest.param(2, "", marks=pytest.mark.minutes), (4, "")])
def test_nothing_of_another_process_comes_along(boot, cpus, options):
    machine = boot(cpus=cpus, network=False, append=f"init=bin/test-leaks {options}")
    console = machine.wait_passed("test-leaks", 26 if cpus == 1 else 50)
    # Where nothing can be read, nothing is found.
    seen = re.search(r"^(\d+) special purpose registers can be read", console, re.MULTILINE)
    assert int(seen.group(1)) > 10, console
    assert re.search(r"^(3|4)\d calls that write to the caller's memory", console, re.MULTILINE)


@pytest.mark.minutes
def test_nothing_comes_along_with_a_million_messages(boot):
    """And a million attempts at registers, and a million calls with buffers."""
    machine = boot(cpus=2, network=False, append="run=bin/test-leaks,many oneshot")
    console = machine.wait_passed("test-leaks", 8, timeout=1800)
    for how, least in (("read", 11), ("written", 5)):
        seen = re.search(rf"^(\d+) special purpose registers can be {how}$", console, re.MULTILINE)
        assert int(seen.group(1)) >= least, console
    calls = re.search(r"^(\d+) calls with buffers$", console, re.MULTILINE)
    assert int(calls.group(1)) >= 1000000
    messages = re.findall(r"^(\d+) messages, ", console, re.MULTILINE)
    assert len(messages) == 6 and sum(map(int, messages)) >= 1000000
