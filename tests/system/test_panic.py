# SPDX-License-Identifier: MIT
"""When the kernel fails: what it prints, how it ends, and what its memory tells afterwards."""

import itertools
import json
import re
import signal
import subprocess
import time

import pytest

import printed
import sanitizers
from machine import KOV, GuestError, Monitor
from waiting import PATIENCE, wait_for


LOCKUP_PAUSE = 3  # seconds, more than lockup=2


def check_panic(machine, *wanted, events=("obj_create", "thread_create")):
    """Failing exit status, message, registers, symbolised code addresses, last events."""
    status = machine.wait_end()
    console = machine.console
    if status == 0:
        machine.fail("exit status 0 after a panic")
    cause = printed.first_lines(console, "PANIC on CPU")
    if not all(text in cause for text in wanted):
        machine.fail(f"the first ten lines do not tell the cause:\n{cause}")
    for text in ("PANIC on CPU", "msr ", "r12 ", "+0x", "stack:", "last trace events"):
        if text not in console:
            machine.fail(f"'{text}' is missing")
    last = console.split("last trace events")[1]
    if not all(event in last for event in events):
        machine.fail("the last events are missing")


def test_a_panic_tells_everything(boot):
    check_panic(boot(append="panic", network=False, user=False), "asked for on the boot line",
                events=("ipi_send", "irq_enter"))


# Of locks in images with a sanitizer.
TAKEN = {"lock-order": "crash inner (taken at crash_by_lock_order",
         "deadlock": "crash outer (taken at crash_by_deadlock"}


@pytest.mark.parametrize("kind, wanted", [
    pytest.param("wild", ["c0000f0000000000", "crash_by_store"], marks=pytest.mark.reports),
    ("stack", ["stack overflow", "crash_by_recursion"]),
    ("assert", ["assertion failed: value == 0", "crash_by_assertion"]),
    ("lock-order", ["lock order: taking crash outer", "holds crash inner", "crash_by_lock_order"]),
    ("deadlock", ["deadlock: taking crash outer, which CPU 0 has already", "crash_by_deadlock"]),
    ("mutex-order", ["lock order: taking crash first", "crash second", "crash_by_mutex_order"]),
    ("mutex-turn", ["unlocking crash first, which", "crash_by_mutex_out_of_turn"]),
    ("mutex-kept", ["assertion failed: thread->innermost_mutex", "thread_end"]),
    ("text", ["vector 0x300", "crash_by_store"]),
    ("exec", ["vector 0x400", "crash_by_jump"]),
    ("null-read", ["NULL pointer: read at offset 0x10", "crash_by_load"]),
    ("null-write", ["NULL pointer: write at offset 0x8", "crash_by_store"]),
    pytest.param("freed", ["use after free: address 0xdddddddddddddd", "was read in a freed object",
                           "crash_by_store", "crash_by_freed"],
                 marks=pytest.mark.skipif("address" in sanitizers.active(),
                                          reason="the sanitizer tells it before")),
    pytest.param("double-free", ["object 0xc000", "of 64 bytes freed twice",
                                 "crash_by_double_free"],
                 marks=pytest.mark.skipif("address" in sanitizers.active(),
                                          reason="the sanitizer tells it before")),
    pytest.param("freed-later", ["list of free objects of 64 bytes is damaged",
                                 "crash_by_freeing_later"],
                 marks=pytest.mark.skipif("address" in sanitizers.active(),
                                          reason="the sanitizer tells it before")),
    ("null-call", ["NULL pointer: call at offset 0", "crash_by_call", "crash_work"]),
])
def test_deliberate_faults(boot, kind, wanted):
    machine = boot(append=f"workload=crash:kind={kind}", network=False, user=False)
    if kind in TAKEN and sanitizers.active():
        wanted = [*wanted, f"holds {TAKEN[kind]}+0x"]
    check_panic(machine, *wanted)
    assert "that was asked for did not happen" not in machine.console


@pytest.mark.parametrize("cpus", [1, 4])
def test_a_reset_tells_what_each_cpu_is_doing(boot, cpus):
    """QEMU's `nmi`, for a machine that hangs: it comes through whatever is masked."""
    machine = boot(cpus=cpus, append="workload=crash:kind=hang", network=False, user=False)
    machine.wait_console("crash: waits for ever")
    with Monitor(machine.qmp_path) as monitor:
        monitor.command("inject-nmi")
    assert machine.wait_end() != 0
    report = machine.console.split("system reset, time base")[1]
    by_cpu = report.split("threads:")[0].split("\nCPU ")[1:]
    assert len(by_cpu) == cpus and all("stack:" in text for text in by_cpu), report
    [hung] = [text for text in by_cpu if "crash_by_waiting" in text]
    assert "holds crash inner" in hung and "soft-masked 1" in hung and "process 0" in hung, hung
    assert re.search(r" reaper/0 +CPU 0, .* parked.*\n"
                     r" +in reschedule < schedule < .* < thread_main ", report), report
    assert " switch from=" in report.split("last trace events")[1], report


@pytest.mark.parametrize("cpus", [1, 2, 4])
def test_a_cpu_that_hangs_is_reported_once(boot, cpus):
    """By itself, with who waits for it; then the machine goes on."""
    machine = boot(cpus=cpus, append="lockup=1 workload=crash:kind=lockup,cpus=all",
                   network=False, user=False)
    machine.wait_console("crash: goes on")
    last = cpus - 1
    report = printed.first_lines(machine.console, "LOCKUP on CPU")
    assert f"LOCKUP on CPU {last}: interrupts have been held back for 1 s, holding crash outer" \
        in report, report
    assert all(f"CPU {cpu} waits for crash outer, which CPU {last} has" in report
               for cpu in range(last)), report
    assert "crash_by_holding+0x" in report, report  # it, or who called where it is
    # Of another one that has waited, a busy host may make a second of its own.
    assert machine.console.count(f"LOCKUP on CPU {last}") == 1, machine.console
    by_cpu = machine.console.split("LOCKUP on CPU")[1].split("\nCPU ")[1:]
    assert len(by_cpu) == cpus, machine.console


def test_kov_tells_that_a_cpu_hung(boot):
    machine = boot(append="lockup=1 workload=crash:kind=lockup").wait_ready()
    machine.wait_console("crash: goes on")
    assert machine.kov("hello")["system"]["lockups"] == 1
    assert "a CPU hung" in machine.kov_run("hello").stdout


@pytest.mark.parametrize("cpus", [1, 4])
def test_a_machine_that_is_stopped_and_goes_on_has_no_lockup(boot, cpus):
    """By QMP, which stops the time base too, and by the host, which does not: each for longer than
    a lockup takes."""
    machine = boot(cpus=cpus, append="lockup=2").wait_ready()
    with Monitor(machine.qmp_path) as monitor:
        monitor.command("stop")
        time.sleep(LOCKUP_PAUSE)
        monitor.command("cont")
    assert machine.kov("hello")["system"]["lockups"] == 0
    machine.process.send_signal(signal.SIGSTOP)
    time.sleep(LOCKUP_PAUSE)
    machine.process.send_signal(signal.SIGCONT)
    assert machine.kov("hello")["system"]["lockups"] == 0
    assert "LOCKUP" not in machine.console


def test_lockups_are_not_reported_where_that_is_off(boot):
    machine = boot(cpus=1, append="lockup=0 workload=crash:kind=hang", network=False, user=False)
    machine.wait_console("crash: waits for ever")
    with Monitor(machine.qmp_path) as monitor:
        monitor.command("inject-nmi")
    assert machine.wait_end() != 0 and "LOCKUP" not in machine.console


def test_kov_tells_the_lines_of_a_panic(boot):
    machine = boot(append="workload=crash:kind=null-write", network=False, user=False)
    machine.wait_end()
    shown = subprocess.run([KOV, "--kernel", machine.kernel, "console", "-f", machine.console_path],
                           stdout=subprocess.PIPE, text=True, timeout=PATIENCE, check=True).stdout
    cause = printed.first_lines(shown, "PANIC on CPU")
    assert re.search(r"^pc .* crash_by_store\+0x\w+  \S*workload/crash\.c:\d+$", cause,
                     re.MULTILINE), shown
    assert re.search(r"^  from .* crash_work\+0x\w+  \S*workload/crash\.c:\d+$", shown,
                     re.MULTILINE), shown


def test_a_test_that_waits_in_vain_shows_what_threads_do(boot):
    machine = boot(cpus=2, append="run=bin/sleep,1000", network=False)
    machine.wait_console("dci: listening")
    with pytest.raises(GuestError, match="no power-off within 2 s") as error:
        machine.wait_end(2)
    threads = str(error.value).split("threads:")[1]
    found = re.findall(r"^ +\d+ (\w+)/\d+ +CPU \d, priority \d, \w+.*\n"
                       r" +asleep, .*\n(?: +timer .*\n)? +user pc 0x100\w+ lr ",
                       threads, re.MULTILINE)
    assert {"init", "fs", "dci", "sleep"} <= set(found), threads
    assert machine.process.returncode is not None


LAST_EVENT = re.compile(r"^ *(\d+) +(\d+) (\w+) (.*)$")


def last_events(console):
    """The events that the panicked kernel has printed itself: (time, CPU, name, values)."""
    lines = console.split("last trace events")[1].splitlines()[1:]
    matches = itertools.takewhile(bool, map(LAST_EVENT.match, lines))
    return [(int(match[1]), int(match[2]), match[3], printed.values(match[4]))
            for match in matches]


def shown_of(dump):
    done = subprocess.run([KOV, "trace", "show", "--json", "--dump", str(dump)],
                          stdout=subprocess.PIPE, timeout=PATIENCE, check=True)
    return json.loads(done.stdout)


def test_a_memory_dump_holds_the_last_events(boot, tmp_path):
    """QEMU dumps the memory of a panicked guest; kov reads in it what the guest has printed, and
    all before."""
    machine = boot(cpus=2, append="workload=crash:kind=assert", network=False, user=False,
                   qemu=("-action", "panic=pause"))
    machine.wait_console("crash_by_assertion")
    dump, raw = tmp_path / "memory.elf", tmp_path / "memory.raw"
    with Monitor(machine.qmp_path) as monitor:
        wait_stopped(monitor)
        monitor.command("dump-guest-memory", paging=False, protocol=f"file:{dump}")
        monitor.command("pmemsave", val=0, size=512 << 20, filename=str(raw))
    shown = shown_of(dump)
    events = [printed.shown(event) for event in shown["events"] if event["event"] != "lost"]
    last = last_events(machine.console)
    assert len(last) > 10 and sorted(events[-len(last):]) == sorted(last), last
    assert [event[0] for event in events] == sorted(event[0] for event in events)
    assert {event[1] for event in events} == {0, 1}
    assert {"switch", "obj_create"} <= {event[2] for event in events}
    assert shown_of(raw) == shown


def wait_stopped(monitor):
    wait_for(lambda: monitor.command("query-status")["status"] in ("guest-panicked", "paused"),
             "the machine stops")
