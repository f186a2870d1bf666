# SPDX-License-Identifier: MIT
"""GDB's command `orrery` on stopped machines, against what kov, QEMU and the kernel say
themselves."""

import json
import re
import subprocess

import pytest

import printed
from machine import KOV, PRODUCT, ROOT, Monitor
from ports import Port
from waiting import PATIENCE

ROW = re.compile(r"^ *(\d+) (\w+) +(\d+) (\w+) +(kernel|\d+ \S+) +(\S+) *(.*)$", re.MULTILINE)
OBJECT = re.compile(r"^ *(0x[0-9a-f]+) (\S+) +(\S+) +(\d+) 0x[0-9a-f]+$", re.MULTILINE)
EVENT = re.compile(r"^ *(\d+) +(\d+) (\w+) (.*)$", re.MULTILINE)
LAST_EVENTS = 1500
TIMES = 10
DAMAGED = re.compile("damaged|no thread at|Python", re.IGNORECASE)
STOPPED = ("-S",)  # at the first instruction


@pytest.fixture(name="debug")
def _debug(boot):
    """debug(options of a machine): the machine, and a function that runs commands of GDB on it."""
    ports = []

    def start(qemu=(), **options):
        port = Port()
        ports.append(port)
        machine = boot(qemu=("-gdb", f"tcp:127.0.0.1:{port.number}", *qemu), **options)

        def gdb(*commands, kernel=machine.kernel):
            words = [word for command in commands for word in ("-ex", command)]
            command = [f"{ROOT}/scripts/gdb", kernel, str(port.number), "-batch", *words]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  stdin=subprocess.DEVNULL, text=True, timeout=2 * PATIENCE,
                                  check=False)
            return done.stdout

        if not qemu:
            machine.wait_ready()
        return machine, gdb

    yield start
    for port in ports:
        port.release()


def events_of(said):
    return [(int(time), int(cpu), name, printed.values(text))
            for time, cpu, name, text in EVENT.findall(said)]


def threads_of(said):
    return {int(row[0]): row for row in ROW.findall(said)}


def test_threads_and_objects_are_those_that_kov_lists(debug):
    machine, gdb = debug(cpus=2, append="run=bin/sleep,1000")

    def processes():
        return {one["pid"]: one["name"] for one in machine.kov("ps")["processes"]}

    def objects():
        return {(int(str(one["coid"]), 0), one["class"], one["implementation"])
                for one in machine.kov("objects", "--pid", "0", "--flat")["objects"]}

    machine.wait_for(lambda: "sleep" in processes().values(), "the program runs")
    before, known = processes(), objects()
    said = gdb("orrery threads", "orrery objects", "orrery locks")
    known_after = objects()
    assert not DAMAGED.search(said), said
    rows = threads_of(said)
    owners = [row[4].split() for row in rows.values() if row[4] != "kernel"]
    shown = {int(pid): name for pid, name in owners}
    assert shown == before == processes(), said
    assert sum(row[1] == "running" for row in rows.values()) == 2, said
    sleeping = [row for row in rows.values() if row[5].startswith("sleep/")]
    assert [row[1:4] + row[6:] for row in sleeping] == [("parked", "0", "normal", "events")], said
    found = {(int(coid, 16), name, implementation)
             for coid, name, implementation, _ in OBJECT.findall(said)}
    assert len(known & known_after) > 100
    assert known & known_after <= found <= known | known_after, said
    assert f"{len(found)} objects" in said
    # Each thread is an object.
    assert {one[0] for one in found if one[1] == "Thread"} and \
        sum(one[1] == "Thread" for one in found) == len(rows)


def test_the_last_events_are_those_of_a_memory_dump(debug, tmp_path):
    machine, gdb = debug(cpus=2)
    machine.kov_run("run", "described", "1")
    dump = tmp_path / "memory.elf"
    with Monitor(machine.qmp_path) as monitor:
        monitor.command("stop")
        monitor.command("dump-guest-memory", paging=False, protocol=f"file:{dump}")
    done = subprocess.run([KOV, "trace", "show", "--json", "--dump", str(dump)],
                          stdout=subprocess.PIPE, timeout=PATIENCE, check=True)
    dumped = [printed.shown(one) for one in json.loads(done.stdout)["events"]
              if one["event"] != "lost"]
    # Enough to reach back to the program's begin, whose events have text.
    count = LAST_EVENTS
    assert len(dumped) > count
    said = gdb(f"orrery trace -n {count}", "echo ====\\n", "orrery trace -n 10 1")
    both, one_cpu = said.split("====")
    shown = events_of(both)
    assert len(shown) == count
    # Events of one time stand by CPU.
    assert sorted(shown) == sorted(dumped[-count:])
    assert {"process_name", "described"} <= {name for _, _, name, _ in shown}
    assert events_of(one_cpu) == [event for event in dumped if event[1] == 1][-10:], said


def test_locks_of_a_machine_that_hangs(debug):
    machine, gdb = debug(cpus=2, append="workload=crash:kind=hang", network=False, user=False,
                         qemu=("-no-shutdown",))
    machine.wait_console("crash: waits for ever")
    said = gdb("orrery locks", "orrery threads")
    assert re.search(r"CPU \d holds 0x[0-9a-f]+ crash inner, rank \d+$", said, re.MULTILINE), said
    assert not DAMAGED.search(said), said
    said = gdb("set var 'crash.c'::inner.outer = &'crash.c'::inner", "orrery locks")
    assert "the chain of locks has no end" in said, said
    said = gdb("set var 'thread_table.c'::slots[0]->id = 2", "orrery threads",
               "set var 'thread_table.c'::slots[1] = 0x10", "orrery threads",
               "set var 'gtt.c'::directory[0]->chunks[16]->page = 5", "orrery objects")
    assert "Slot 0 of the thread table: no thread at" in said and "its id is 2" in said, said
    assert "Slot 1 of the thread table: no thread at 0x10" in said, said
    assert "it is of page 0x5" in said, said


def test_whoever_waits_is_told_with_its_lock(debug):
    _, gdb = debug(cpus=2, append="bench=mutex oneshot", network=False, user=False, qemu=STOPPED)
    said = gdb("orrery threads", "break mutex_unlock if mutex->waiters.first != 0", "continue",
               "orrery locks", "orrery threads", "delete", "break spin_wait", "continue",
               "orrery locks")
    assert "The kernel has set up nothing yet" in said, said
    [owner, waiter] = re.search(r"  thread (\d+) \S+ has 0x[0-9a-f]+ bench, rank 1\n"
                                r"    thread (\d+) \S+ waits", said).groups()
    rows = threads_of(said)
    # It may be on its way to where it sleeps.
    assert rows[int(waiter)][6] == "mutex bench" or rows[int(waiter)][1] == "running", said
    assert rows[int(owner)][1] == "running", said
    assert re.search(r"CPU \d waits for 0x[0-9a-f]+ .*: (CPU \d has it|it has just become free)",
                     said.rsplit("spin locks", 1)[1]), said


def test_it_works_at_any_instruction(debug):
    """In user mode the kernel's memory is not there for the CPU; elsewhere structures are half
    changed."""
    _, gdb = debug(cpus=1, qemu=STOPPED)
    look = ["orrery threads", "orrery trace -n 3", "orrery locks", "orrery objects Thread",
            "printf \"user %d\\n\", ($msr >> 14) & 1"]
    said = gdb("hbreak user_exit",
               *(command for steps in range(TIMES)
                 for command in ["continue", f"stepi {1 + 20 * steps}", *look]))
    assert said.count("\nmutexes:") == TIMES and said.count(" objects\n") == TIMES, said
    assert "user 0" in said and "user 1" in said, said
    assert not DAMAGED.search(said), said


def test_wrong_usage_is_told(debug):
    _, gdb = debug(cpus=1)
    said = gdb("orrery thread", "orrery nonsense", "orrery trace -x", "orrery trace -n 0",
               "orrery trace 7", "orrery objects Thred", "orrery threads 99999", "help orrery",
               "help orrery trace")
    for wanted in ("orrery has no command nonsense; there is trace, threads",
                   "Unrecognized arguments: -x. usage: orrery trace [-n N] [CPU]",
                   "0 is no number above 0", "There is no CPU 7; there is 0.",
                   "No class or implementation is named Thred. Did you mean Thread?",
                   "There is no thread 99999", "orrery locks -- ", "the last N events"):
        assert wanted in said, said
    assert "is it a kernel of Orrery?" in gdb("file", "orrery threads")
    said = gdb("orrery threads", kernel=PRODUCT)
    assert "The machine runs another image than" in said and not ROW.search(said), said
