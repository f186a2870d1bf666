# SPDX-License-Identifier: MIT
"""System calls, page faults and calls in the trace: as many as a program made, and in their
order."""

import collections
import json
import os
import re

import pytest

import servers
from machine import BUILD, Machine

CALLS, PAGES = 1000, 64
NO_CPU, E_INVAL = 0x7ace, -1  # tests/guest/user/traced
MAJORS = "SYSCALL,FAULT,IPC,SCHED,TRACE,MEM"


def system_calls():
    """Their numbers."""
    with open(os.path.join(BUILD, "gen/syscalls/numbers.h"), encoding="utf-8") as numbers:
        return {name: int(number, 0)
                for name, number in re.findall(r"#define (SYS_\w+) (0x\w+)", numbers.read())}


NUMBERS = system_calls()


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
        self.events = []
        for event in shown["events"]:
            event["fields"] = {name: int(value, 0) if str(value).startswith("0x") else value
                               for name, value in event["fields"].items()}  # hexadecimal: texts
            if event["fields"].get("number") == NUMBERS["SYS_TRACE_SET_MASK"]:
                break  # from here on majors are switched off, one after the other
            self.events.append(event)

    def by_thread(self, *names):
        """By thread, or CPU of which it is not told yet who runs: what it did, in order."""
        running, done = {}, collections.defaultdict(list)
        for event in self.events:
            name, cpu = event["event"].split(":")[1], event["cpu"]
            if name == "switch":
                running[cpu] = event["fields"]["to"]
            if name in names:
                done[running.get(cpu, f"CPU {cpu}")].append((name, event["fields"]))
        return done.values()


@pytest.fixture(scope="module", params=[1, 2, 4], ids=lambda cpus: f"{cpus} CPUs", name="recording")
def _recording(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("traced")
    with Machine(str(folder), "traced", cpus=request.param) as machine:
        yield Recording(machine.wait_ready(), folder / "trace")


def test_each_system_call_and_its_result_is_there(recording):
    results = []
    for events in recording.by_thread("syscall_enter", "syscall_exit"):
        for (name, fields), (after, result) in zip(events, events[1:]):
            if name == "syscall_enter" and fields["argument"] == NO_CPU:
                assert after == "syscall_exit" and result["number"] == fields["number"]
                results.append(result["result"])
    assert results == [E_INVAL] * CALLS


def test_each_first_touch_of_a_page_is_a_fault(recording):
    """Other processes may have pages at the same addresses, but not all of these in one region."""
    touched = collections.defaultdict(list)
    for events in recording.by_thread("fault_enter", "fault_objects", "fault_exit"):
        for (name, fields), (after, objects), (last, end) in zip(events, events[1:], events[2:]):
            page = (fields.get("address", 0) - recording.memory) // recording.page
            if name == "fault_enter" and 0 <= page < PAGES:
                assert (after, last) == ("fault_objects", "fault_exit")
                assert end["address"] == fields["address"] and end["result"] == 0
                touched[objects["region"], objects["fcm"]].append(page)
    assert sum(sorted(pages) == list(range(PAGES)) for pages in touched.values()) == 1


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
    """A thread is in one system call at a time. One that waits for an event may have slept."""
    for events in recording.by_thread("syscall_enter", "syscall_exit"):
        for (name, fields), (after, result) in zip(events, events[1:]):
            if name == "syscall_enter" and fields["number"] != NUMBERS["SYS_WAIT"]:
                assert after == "syscall_exit" and result["number"] == fields["number"]


def test_regions_are_attached_to_what_serves_their_faults(recording):
    attached, ours, served = {}, 0, 0
    for event in recording.events:
        fields = event["fields"]
        if event["event"] == "MEM:region_attach":  # COIDs come again
            attached[fields["region"]] = fields["fcm"]
            ours += fields["start"] <= recording.memory \
                < fields["start"] + fields["pages"] * recording.page
        elif event["event"] == "FAULT:fault_objects" and fields["region"] in attached:
            assert attached[fields["region"]] == fields["fcm"]
            served += 1
    assert ours and served >= PAGES
