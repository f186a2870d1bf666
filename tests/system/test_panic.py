# SPDX-License-Identifier: MIT
"""When the kernel fails: what it prints, how it ends, and what its memory tells afterwards."""

import os
import subprocess
import time

import pytest

import ctf
from machine import ROOT, KERNEL, Monitor


def check_panic(machine, *wanted, events=("obj_create", "thread_create")):
    """Failing exit status, message, registers, symbolised code addresses, last events."""
    status = machine.wait_end(60)
    console = machine.console
    if status == 0:
        machine.fail("exit status 0 after a panic")
    for text in ("PANIC on CPU", "msr ", "r12 ", "+0x", "stack:", "last trace events", *wanted):
        if text not in console:
            machine.fail(f"'{text}' is missing")
    last = console.split("last trace events")[1]
    if not all(event in last for event in events):
        machine.fail("the last events are missing")


def test_a_panic_tells_everything(boot):
    check_panic(boot(append="panic", network=False, user=False), "asked for on the boot line",
                events=("ipi_send", "irq_enter"))


@pytest.mark.parametrize("kind, wanted", [
    ("wild", ["c000080000000000", "crash_by_store"]),
    ("stack", ["stack overflow", "crash_by_recursion"]),
    ("assert", ["assertion failed: value == 0", "crash_by_assertion"]),
    ("lock-order", ["lock order", "crash outer", "crash inner", "crash_by_lock_order"]),
    ("deadlock", ["crash outer", "crash_by_deadlock"]),
    ("text", ["vector 0x300", "crash_by_store"]),
    ("exec", ["vector 0x400", "crash_by_jump"]),
])
def test_deliberate_faults(boot, kind, wanted):
    machine = boot(append=f"workload=crash:kind={kind}", network=False, user=False)
    check_panic(machine, *wanted)
    assert "that was asked for did not happen" not in machine.console


def test_a_memory_dump_holds_the_last_events(boot, tmp_path):
    """QEMU dumps the memory of a panicked guest; scripts/extract-trace makes of it what babeltrace2 reads."""
    machine = boot(cpus=2, append="workload=crash:kind=assert", network=False, user=False, qemu=("-action", "panic=pause"))
    machine.wait_console("crash_by_assertion")
    dump, folder = tmp_path / "memory.elf", tmp_path / "trace"
    with Monitor(machine.qmp_path) as monitor:
        wait_stopped(monitor)
        monitor.command("dump-guest-memory", paging=False, protocol=f"file:{dump}")
    command = [os.path.join(ROOT, "scripts/extract-trace"), "--kernel", KERNEL, "--output", str(folder), str(dump)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout
    summary, complaints = ctf.read(folder)
    assert complaints == "" and summary.backwards == 0 and not summary.strange, (complaints, summary.strange[:3])
    assert set(summary.by_cpu) == {0, 1}, summary.by_cpu
    assert {"switch", "obj_create"} <= set(summary.by_name), summary.by_name


def wait_stopped(monitor):
    deadline = time.monotonic() + 30
    while monitor.command("query-status")["status"] not in ("guest-panicked", "paused"):
        assert time.monotonic() < deadline, "the machine does not stop"
        time.sleep(0.1)
