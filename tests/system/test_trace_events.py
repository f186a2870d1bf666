# SPDX-License-Identifier: MIT
"""System calls, page faults and calls in the trace: as many as a program made, and in their order."""

import collections
import json

import pytest

import servers

CALLS, PAGES = 1000, 64
NO_CPU, E_INVAL = 0x7ace, -1  # tests/guest/user/traced
MAJORS = "SYSCALL,FAULT,IPC,SCHED,TRACE"
SYS_WAIT = 0x100


class Recording:
    """Of a run of `traced`: its events, and where it said that its pages are."""

    def __init__(self, machine, folder):
        recorder = servers.started(machine, "trace", "record", "-o", str(folder), "-e", MAJORS,
                                 "-d", "3600")
        servers.wait_owner(machine, "tracing")
        said = machine.kov_run("run", "traced", str(CALLS), str(PAGES)).stdout.split()
        servers.interrupt(recorder)
        self.memory, self.page = (int(word, 0) for word in said)
        shown = json.loads(machine.kov_run("--json", "trace", "show", str(folder)).stdout)
        assert shown["lost_packets"] == shown["discarded"] == 0
        self.events = shown["events"]
        for event in self.events:  # hexadecimal ones are texts
            event["fields"] = {name: int(value, 0) if isinstance(value, str) else value
                               for name, value in event["fields"].items()}

    def by_cpu(self, *names):
        events = collections.defaultdict(list)
        for event in self.events:
            if event["event"].split(":")[1] in names:
                events[event["cpu"]].append((event["event"].split(":")[1], event["fields"]))
        return events.values()


@pytest.fixture(scope="module", params=[1, 2, 4], ids=lambda cpus: f"{cpus} CPUs", name="recording")
def _recording(request, tmp_path_factory):
    from machine import Machine
    folder = tmp_path_factory.mktemp("traced")
    with Machine(str(folder), "traced", cpus=request.param) as machine:
        yield Recording(machine.wait_ready(), folder / "trace")


def test_each_system_call_and_its_result_is_there(recording):
    results = []
    for events in recording.by_cpu("syscall_enter", "syscall_exit"):
        for (name, fields), (after, result) in zip(events, events[1:]):
            if name == "syscall_enter" and fields["argument"] == NO_CPU:
                assert after == "syscall_exit" and result["number"] == fields["number"]
                results.append(result["result"])
    assert results == [E_INVAL] * CALLS


def test_each_first_touch_of_a_page_is_a_fault(recording):
    """At least: other processes may have pages at the same addresses."""
    begun, ended = (collections.Counter(
        (fields["address"] - recording.memory) // recording.page
        for events in recording.by_cpu(name) for _, fields in events
        if name == "fault_enter" or fields["result"] == 0)
                    for name in ("fault_enter", "fault_exit"))
    for page in range(PAGES):
        assert begun[page] >= 1 and ended[page] >= 1, page


def test_calls_have_both_ends(recording):
    """Whoever does not get a call or an answer at once takes it once."""
    seen = collections.defaultdict(list)
    for event in recording.events:
        name = event["event"].split(":")[1]
        if name in ("ipc_call", "ipc_take", "ipc_reply", "ipc_take_reply"):
            seen[event["fields"]["call"]].append((name, event["fields"]))
    whole = [events for events in seen.values() if events[0][0] == "ipc_call"]
    assert len(whole) > 20
    for events in whole[:-1]:
        names = [name for name, _ in events]
        handed = events[0][1]["handed"]
        assert names.count("ipc_call") == 1 and names.count("ipc_reply") <= 1, names
        assert names.count("ipc_take") == (0 if handed else min(1, len(names) - 1)), names


def test_what_begins_ends(recording):
    """On each CPU: at a time, one thread is in one system call, and what has an end has one."""
    for events in recording.by_cpu("syscall_enter", "syscall_exit", "switch"):
        inside = {}
        current = None
        for name, fields in events:
            if name == "switch":
                current = fields["to"]
                if inside.get(current) == SYS_WAIT:  # its sleep is over, and so is the call
                    del inside[current]
            elif name == "syscall_enter":
                assert current is None or current not in inside, fields
                inside[current] = fields["number"]
            elif current in inside:
                assert inside.pop(current) == fields["number"]
