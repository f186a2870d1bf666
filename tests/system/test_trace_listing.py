# SPDX-License-Identifier: MIT
"""kov trace show of a recording as docs/kov.md makes one: no bare number where a name is known, and
of each process the events that `breakdown` counts for it."""

import os
import pathlib
import re
from collections import Counter

import pytest

import servers
from machine import PROGRAMS
from variables import Variables
from waiting import PATIENCE

MAJORS = "SCHED,SYSCALL,FAULT,IPC,IRQ,EXC,TIMER,USER,LOCK,LOCKHOLD,OBJ"
KERNEL = 1 << 63
ROOT = pathlib.Path(__file__).parent.parent.parent
METHOD = re.compile(r"^method (\w+)\(", re.MULTILINE)
# Fields whose numbers have names: of which events, and which numbers.
ANY, PRESENT, FAILED = (lambda _: True), (lambda value: value != 0), (lambda value: value < 0)
NAMED = {
    "SYSCALL:syscall_enter": {"number": ANY}, "SYSCALL:syscall_exit": {"number": ANY,
                                                                      "result": FAILED},
    "SCHED:switch": {"from": ANY, "to": ANY, "reason": ANY},
    "SCHED:wake": {"thread": ANY, "by": ANY, "reason": ANY},
    "FAULT:fault_enter": {"access": ANY}, "FAULT:fault_exit": {"result": ANY},
    "FAULT:fault_objects": {"region": PRESENT, "fcm": PRESENT},
    "EXC:exc_enter": {"vector": ANY, "pc": lambda address: address >= KERNEL},
    "EXC:exc_exit": {"vector": ANY}, "IRQ:irq_replay": {"pending": PRESENT},
    "IPC:ipc_call": {"endpoint": ANY, "server": ANY, "handed": ANY, "method": ANY},
    "IPC:ipc_send": {"endpoint": ANY, "from": ANY, "error": FAILED},
    "IPC:ipc_reply": {"status": FAILED}, "IPC:ipc_endpoint": {"endpoint": ANY, "pid": ANY},
    "LOCK:lock_contended": {"caller0": ANY},
    "LOCKHOLD:lock_take": {"sleeping": ANY, "caller0": ANY},
    "OBJ:obj_create": {"coid": ANY, "class_id": ANY},
    "STATE:state_thread": {"thread": ANY, "coid": ANY, "state": ANY},
    "STATE:state_process": {"pid": ANY, "parent": ANY, "coid": ANY, "state": ANY},
    "STATE:state_child": {"parent": ANY, "child": ANY},
    "STATE:state_begin": {"mask": ANY},
}


class Recording:
    def __init__(self, machine, folder):
        self.machine, self.folder = machine, folder
        recorder = servers.started(machine, "trace", "record", "--all", "-o", folder, "-e", MAJORS,
                                   "-d", "3600")
        servers.wait_owner(machine, "tracing")
        machine.kov_run("run", "test-hello")
        servers.interrupt(recorder)
        self.events = [event for event in machine.kov("trace", "show", folder)["events"]
                       if event["event"] != "lost"]
        # Before the state, which names things, nothing is known.
        began = next(i for i, event in enumerate(self.events)
                     if event["event"] == "STATE:state_end")
        self.named = self.events[began:]

    def tool(self, name, *options):
        return self.machine.kov("trace", name, self.folder, *options)


@pytest.fixture(name="recording")
def _recording(machine2, tmp_path):
    return Recording(machine2, str(tmp_path / "trace"))


def number(value):
    return int(value, 0) if isinstance(value, str) else value


def bare(event):
    """The fields that stand as numbers though they have names. A process's own objects have none:
    the recording tells the kernel's classes."""
    if event["event"] == "OBJ:obj_create" and event["stream_pid"] != 0:
        return []
    return [field for field, has_name in NAMED.get(event["event"], {}).items()
            if has_name(number(event["fields"][field]))
            and f"{field}={event['names'].get(field)}" not in event["text"]]


def check_names(recording):
    found = Counter((event["event"], field, str(event["fields"][field]))
                    for event in recording.named for field in bare(event))
    assert not found, found.most_common(10)
    assert {"SYSCALL:syscall_enter", "SCHED:switch", "IPC:ipc_call", "FAULT:fault_enter",
            "EXC:exc_enter", "LOCKHOLD:lock_take"} <= {event["event"] for event in recording.named}
    processes = {one["pid"]: one["name"] for one in recording.machine.kov("ps")["processes"]}
    for event in recording.named:
        if event["event"] == "IPC:ipc_call":
            server = event["fields"]["server"]
            assert event["names"]["server"] == f"{processes[server]}:{server}"
            assert event["names"]["endpoint"].startswith(f"{processes[server]}:{server}:0x")
            interface, method = event["names"]["method"].split(".")
            number_of = event["fields"]["method"] & 0xff
            assert METHOD.findall((ROOT / f"ipc/{interface}.idl").read_text())[number_of - 1] \
                == method
            assert interface in ("names", processes[server], f"{processes[server]}_session")


def objects_of(recording):
    """Of the kernel, where they are in memory: (first address, behind the last, from, to, COID)."""
    found, ended = {}, {}
    for event in recording.events:
        fields = event["fields"]
        if event["stream_pid"] == 0 and event["event"] in ("STATE:state_object", "OBJ:obj_create"):
            at, made = number(fields["address"]), event["event"] == "OBJ:obj_create"
            found.setdefault(fields["coid"], (at, at + fields["bytes"],
                                              event["ticks"] if made else 0))
        elif event["stream_pid"] == 0 and event["event"] == "OBJ:obj_reclaim":
            ended[fields["coid"]] = event["ticks"]
    return [(*place, ended.get(coid, float("inf")), coid) for coid, place in found.items()]


def check_locks(recording):
    """Locks in objects have the object's name, wherever it is known that it was there."""
    objects, named, seen = objects_of(recording), Counter(), {}
    assert len(objects) > 100 and sum(end > at for at, end, *_ in objects) > len(objects) / 2
    for event in recording.events:
        if not event["event"].startswith("LOCK") or event["stream_pid"] != 0:
            continue
        lock, ticks = number(event["fields"]["lock"]), event["ticks"]
        if lock not in seen:
            seen[lock] = [one for one in objects if one[0] <= lock < one[1]]
        there = [one for one in seen[lock] if one[2] <= ticks <= one[3]]
        word = event["names"].get("lock")
        if len(there) == 1:
            at, coid = there[0][0], there[0][4]
            assert word is not None, (event, there)
            if ":" in word:  # else it has a name in the kernel's image
                assert re.fullmatch(rf"\w+:{coid}\+{lock - at:#x}", word), (event, there)
                named[word.split(":")[0]] += 1
        elif not there:
            assert word is None or ":" not in word, event
    assert {"Process", "Thread"} & set(named), named
    locks = recording.tool("locks")
    shown = [row["lock_name"] for row in locks["holds"] if not row["lock_name"].startswith("0x")]
    assert any(":0x" in name for name in shown), shown
    print(f"{sum(named.values())} events of locks in objects: {dict(named)}")


def check_counted_locks(recording):
    """Of pairs by lock, too; the kernel's variables by what readelf says of its image."""
    variables = Variables(recording.machine.kernel)
    by_lock = ("trace", "count", "lock_take..lock_release", recording.folder, "--by", "lock")
    shown = recording.machine.kov(*by_lock)["pairs"]
    held = {row["lock"]: row["lock_name"] for row in recording.tool("locks")["holds"]}
    known = {row["key"]: variables.name_at(number(row["key"])) for row in shown}
    assert sum(name is not None for name in known.values()) > 5, shown
    for row in shown:
        if row["key"] == "others":
            continue
        name = known[row["key"]]
        assert name is None or row["key_name"] == name, row
        assert row["key"] not in held or (row["key_name"] or row["key"]) == held[row["key"]] \
            or ":0x" in row["key_name"], (row, held[row["key"]])
    text = recording.machine.kov_run(*by_lock).stdout
    assert all(name in text for name in known.values() if name is not None), text


def check_faults(recording):
    """Addresses in variables of programs have names."""
    images, named = {}, 0
    for event in recording.named:
        process, word = event["process"], event["names"].get("address")
        program = process.split(":")[0]
        if event["event"] != "FAULT:fault_enter" or event["stream_pid"] != 0 \
                or not os.path.exists(os.path.join(PROGRAMS, f"{program}.elf")):
            continue
        if program not in images:
            images[program] = Variables(os.path.join(PROGRAMS, f"{program}.elf"))
        variable = images[program].name_at(number(event["fields"]["address"]))
        assert word == variable, event
        named += variable is not None
    assert named > 0


def check_processes(recording):
    """Each by its own --pid: what is counted for it is listed of it, and nothing else is."""
    found = recording.tool("breakdown")
    by_pid = Counter(event["pid"] for event in recording.events)
    assert all(event["pid"] is not None for event in recording.named)
    rows = [row for row in found["processes"] if row["pid"]]
    assert len(rows) >= 5
    for row in rows:
        events = recording.tool("show", "--pid", str(row["pid"]))["events"]
        assert all(event["pid"] == row["pid"] for event in events)
        assert len(events) == by_pid[row["pid"]] > 0
        counts = Counter(event["event"] for event in events)
        assert (row["syscalls"], row["faults"], row["calls"]) == tuple(
            counts[name] for name in ("SYSCALL:syscall_enter", "FAULT:fault_enter",
                                      "IPC:ipc_call")), row
        assert {call["number"]: call["count"] for call in found["syscalls"]
                if call["pid"] == row["pid"] and call["count"]} == Counter(
                    event["fields"]["number"] for event in events
                    if event["event"] == "SYSCALL:syscall_enter")


def test_it_is_listed_by_name_and_by_process(recording):
    check_names(recording)
    check_locks(recording)
    check_counted_locks(recording)
    check_faults(recording)
    check_processes(recording)


def test_a_running_machine_is_listed_by_process(machine2):
    """What the kernel does for one of them, too. Its name is known from when the state tells it."""
    dci = next(one["pid"] for one in machine2.kov("ps")["processes"] if one["name"] == "dci")
    events = machine2.kov("trace", "show", "-e", "SYSCALL,IPC", "--pid", str(dci), "-n", "300",
                          timeout=PATIENCE)["events"]
    assert len(events) == 300 and {event["pid"] for event in events} == {dci}
    assert {event["stream_pid"] for event in events} == {0}
    assert {event["process"] for event in events} <= {f"process {dci}", f"dci:{dci}"}
    assert events[-1]["process"] == f"dci:{dci}"
