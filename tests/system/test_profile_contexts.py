# SPDX-License-Identifier: MIT
"""Contexts of a program that profiles itself: counted by the program, read by itself, by kov, and
by babeltrace2."""

import re
import subprocess

import pytest

import servers
from machine import Machine
from waiting import PATIENCE

TRIGGERS = 1000
MASK = 2**64 - 1
HEAD = ["number", "behind", "source", "unknown"]
LINE = re.compile(r"contexts:(\w+): .*?\}, \{ ?(.*?) ?\}$", re.MULTILINE)


@pytest.mark.long
@pytest.mark.parametrize("options", [{"cpus": 1, "pmu": "model", "icount": True},
                                     {"cpus": 2, "pmu": "model"}, {"cpus": 4}],
                         ids=["exact", "2", "4-cycles"])
def test_events_are_what_the_program_counts(boot, options):
    """test-profile-contexts: triggers, timers and counters beside its own trace, and limits."""
    machine = boot("contexts", append="init=bin/test-profile-contexts", network=False, **options)
    status = machine.wait_end()
    if status != 0 or re.search(r"test-profile-contexts: \d+ passed, 0 failed",
                                machine.console) is None:
        machine.fail(f"exit status {status}")


def recorded_by(machine, folder):
    """What the program says while it is recorded."""
    recorder = servers.started(machine, "trace", "record", "-o", str(folder), "-e", "PROGRAM",
                               "-d", "3600")
    servers.wait_owner(machine, "tracing")
    said = machine.kov_run("run", "test-profile-contexts", "record").stdout
    servers.interrupt(recorder)
    assert re.search(r"\d+ passed, 0 failed", said), said
    return said


def witnessed(folder):
    """{event: its fields, each a dictionary of numbers} as babeltrace2 reads the recording."""
    done = subprocess.run(["babeltrace2", "--no-delta", str(folder)], check=True, text=True,
                          capture_output=True, timeout=PATIENCE)
    assert done.stderr == ""
    found = {}
    for name, fields in LINE.findall(done.stdout):
        found.setdefault(name, []).append(
            {key: int(value, 0) for key, value in re.findall(r"(\w+) = (-?\w+)", fields)})
    return found


def test_a_recording_has_each_event_with_its_fields(tmp_path):
    folder = tmp_path / "trace"
    with Machine(str(tmp_path), "contexts", cpus=2) as machine:
        said = recorded_by(machine.wait_ready(), folder)
        listed = {event["name"]: event["fields"]
                  for event in machine.kov("trace", "list")["events"]
                  if event["name"].startswith("contexts:")}
        shown = machine.kov("trace", "show", "-e", "contexts", str(folder))
    assert shown["lost_packets"] == shown["discarded"] == 0
    assert listed == {"contexts:picked": 8, "contexts:picked_2": 5, "contexts:place": 8,
                      "contexts:tick": 8, "contexts:tick_2": 5}
    source, thread = map(int, re.search(r"source (\d+), thread (\d+)", said).groups())
    found = witnessed(folder)
    assert [list(event) for event in found["picked"][:1]] == [[*HEAD, "a", "b", "turn", "thread"]]
    assert found["picked"] == [
        {"number": turn + 1, "behind": 0, "source": source, "a": 7 * turn, "b": MASK - turn,
         "unknown": 1 << 4 if (turn + 1) % 3 == 0 else 0, "turn": turn, "thread": thread}
        for turn in range(TRIGGERS)]
    third = [event["third"] for event in found["picked_2"]]
    assert [event["number"] for event in found["picked_2"]] == list(range(1, TRIGGERS + 1))
    assert [value for at, value in enumerate(third, 1) if at % 3] == [
        -at for at in range(1, TRIGGERS + 1) if at % 3]
    assert len(set(third[2::3])) == 1 and third[2] < 0  # the reason
    assert len(shown["events"]) == sum(map(len, found.values()))
    for timer, count in re.findall(r"timer (\d+): (\d+) events", said):
        numbers = [event["number"] for event in found["tick"] if event["source"] == int(timer)]
        assert numbers == list(range(1, int(count) + 1)) and numbers
    assert not any(event["source"] not in {source, *map(int, re.findall(r"timer (\d+):", said))}
                   for events in found.values() for event in events)
