# SPDX-License-Identifier: MIT
"""Events that programs describe: listed, recorded, followed, as kov and babeltrace2 see them, and
lies about them refused."""

import json
import re
import subprocess

import pytest

import servers
from machine import Machine
from test_lttng import Live, Viewer
from waiting import PATIENCE, wait_for

COUNT = 100
NAMES = ["world", "a longer name, two words"]
NUMBERS = {"signed_one": -7, "bits": "0xbeef", "word": 1, "half": 2, "byte": 3, "last": 4}


@pytest.fixture(scope="module", name="machine")
def boot(tmp_path_factory):
    with Machine(str(tmp_path_factory.mktemp("programs")), "programs", cpus=2) as machine:
        yield machine.wait_ready()


def run(machine, *arguments):
    """The first minor of its events, as it says."""
    said = machine.kov_run("run", *arguments).stdout
    return int(re.search(r"from minor (\d+)", said)[1])


def listed(machine, group):
    return {event["name"].split(":")[1]: event for event in machine.kov("trace", "list")["events"]
            if event["name"].startswith(f"{group}:")}


def record(machine, folder, events, *programs):
    """All of them at the same time."""
    recorder = servers.started(machine, "trace", "record", "-o", str(folder), "-e", events, "-d",
                             "3600")
    servers.wait_owner(machine, "tracing")
    for run_one in [servers.started(machine, "run", *program) for program in programs]:
        _, complaint = run_one.communicate(timeout=PATIENCE)
        assert run_one.returncode == 0, complaint
    servers.interrupt(recorder)


def shown(machine, folder, *options):
    trace = machine.kov("trace", "show", *options, str(folder))
    assert trace["lost_packets"] == trace["discarded"] == 0
    return [(event["event"], event["fields"]) for event in trace["events"]]


def greetings(count):
    return [("tale:greeting", {"to": i, "name": NAMES[i % 2]}) for i in range(count)]


def tale(count):
    """What `described` logs."""
    return [("tale:begin", {}), *greetings(count), ("tale:numbers", NUMBERS)]


def babeltrace(folder):
    """The same as babeltrace2 sees it."""
    done = subprocess.run(["babeltrace2", "--no-delta", str(folder)], check=True, text=True,
                          capture_output=True, timeout=PATIENCE)
    assert done.stderr == ""
    return seen_by_babeltrace(done.stdout)


def seen_by_babeltrace(text):
    found = []
    for name, fields in re.findall(r"((?:tale|other):\w+): .*?\}, \{ ?(.*?) ?\}$", text,
                                   re.MULTILINE):
        found.append((name, dict(re.findall(r"(\w+) = (\"[^\"]*\"|[-\w]+)", fields))))
    return found


def as_text(events):
    def one(value):
        if isinstance(value, str) and value.startswith("0x"):
            return f"0x{int(value, 0):X}"
        return f'"{value}"' if isinstance(value, str) else str(value)
    return [(name, {key: one(value) for key, value in fields.items()}) for name, fields in events]


def test_the_program_begins_while_it_is_recorded(machine, tmp_path):
    """Nothing has described its events before: the recording's metadata knows them in the end."""
    assert not listed(machine, "tale")
    folder = tmp_path / "trace"
    record(machine, folder, "PROGRAM", ("described", str(COUNT)))
    events = shown(machine, folder)
    told = [fields for name, fields in events if name == "PROGRAM:described"]
    assert [(one["count"], one["provider"]) for one in told] == [(3, "tale")]
    assert [event for event in events if event[0].startswith("tale:")] == tale(COUNT)
    assert babeltrace(folder) == as_text(tale(COUNT))
    assert shown(machine, folder, "-e", "tale:numbers") == [("tale:numbers", NUMBERS)]
    assert shown(machine, folder, "--where", "name = world") == greetings(COUNT)[::2]


def test_a_recorder_that_is_killed_leaves_them_described(machine, tmp_path):
    """Nothing has described these before, and kov cannot ask in the end."""
    assert not listed(machine, "other")
    folder = tmp_path / "trace"
    recorder = servers.started(machine, "trace", "record", "-o", str(folder), "-e", "PROGRAM",
                               "-d", "3600")
    servers.wait_owner(machine, "tracing")
    run(machine, "described-other", str(COUNT))
    wait_for(lambda: any(folder.glob("stream_*_*")), "packets of the program")
    recorder.kill()
    recorder.communicate()
    assert [name for name, _ in babeltrace(folder)] == ["other:greeting"] * COUNT


def test_its_events_are_listed_and_stay(machine):
    first = run(machine, "described", "1")
    events = listed(machine, "tale")
    assert {name: event["fields"] for name, event in events.items()} == {
        "begin": 0, "greeting": 2, "numbers": 6}
    assert events["greeting"]["format"] == "to=%lu name=%s"
    assert [run(machine, "described", "1") for _ in range(5)] == [first] * 5
    assert listed(machine, "tale") == events


def test_two_programs_at_once(machine, tmp_path):
    folder = tmp_path / "trace"
    run(machine, "described", "1")
    run(machine, "described-other", "1")
    record(machine, folder, "tale,other", ("described", "7"), ("described-other", "3"))
    assert shown(machine, folder, "-e", "tale") == tale(7)
    assert shown(machine, folder, "-e", "other") == [("other:greeting", {"from": hex(i)})
                                                     for i in range(3)]
    both = shown(machine, folder, "-e", "tale,other")
    assert len(both) == 12 and babeltrace(folder) == as_text(both)


def test_a_running_machine_is_followed(machine):
    with subprocess.Popen(machine.kov_command("--json", "trace", "show", "-n", "4", "-e",
                                              "tale:greeting"), stdout=subprocess.PIPE,
                          text=True) as follower:
        servers.wait_owner(machine, "tracing")
        run(machine, "described", "4")
        said, _ = follower.communicate(timeout=PATIENCE)
    events = [(event["event"], event["fields"]) for event in json.loads(said)["events"]
              if event["event"] != "lost"]
    assert events == greetings(4)


def test_lies_are_refused_and_limited(machine, tmp_path):
    """Readers see what was true before and after, and a program has as many numbers as one may
    have."""
    run(machine, "described", "1")
    before = machine.kov("trace", "list")["events"]
    said = machine.kov_run("run", "described", "lie").stdout
    assert "0 lies were believed" in said, said
    assert machine.kov("trace", "list")["events"] == before
    assert "64 events" in machine.kov_run("run", "described", "take", "n").stdout
    events = machine.kov("trace", "list")["events"]
    assert events[:len(before)] == before
    assert [event["name"] for event in events[len(before):]] == [f"liar:n{i}" for i in range(64)]
    folder = tmp_path / "trace"
    record(machine, folder, "PROGRAM", ("described", "2"))
    assert shown(machine, folder, "-e", "tale") == tale(2)
    assert babeltrace(folder) == as_text(tale(2))


def test_who_finds_no_number_left_logs_that(tmp_path):
    with Machine(str(tmp_path), "full", cpus=2) as machine:
        machine.wait_ready()
        for number in range(16):
            said = machine.kov_run("run", "described", "take", f"n{number}_").stdout
            assert f"{64 if number else 61} events" in said, said  # with its own three
        record(machine, tmp_path / "trace", "PROGRAM", ("described-other", "9"))
        assert shown(machine, tmp_path / "trace", "-e", "PROGRAM") == [
            ("PROGRAM:undescribed", {"event": 0, "provider": "other"})] * 9
        assert len(listed(machine, "liar")) == 1024 - 3


@pytest.mark.parametrize("known", [False, True], ids=["new", "known"])
def test_babeltrace2_follows_a_program_that_begins_later(tmp_path, known):
    """It never meets an event that it does not know."""
    with Machine(str(tmp_path), "later", cpus=2) as machine:
        machine.wait_ready()
        if known:
            run(machine, "described", "1")
        live = Live(machine, tmp_path / "trace", "-e", "SCHED,PROGRAM")
        viewer = Viewer(live, tmp_path, "seen")
        viewer.wait_for_events()
        run(machine, "described", "20")
        run(machine, "described-other", "1")
        wait_for(lambda: "other:greeting" in viewer.path.read_text(encoding="utf-8"),
                 "events of both programs")
        (_, late, left), _ = live.end()
        lines, complaints = viewer.end()
        assert (late, left, complaints) == (0, 0, "")
        seen = seen_by_babeltrace("\n".join(lines))
        assert seen == as_text([*tale(20), ("other:greeting", {"from": "0x0"})])
