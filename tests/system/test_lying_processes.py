# SPDX-License-Identifier: MIT
"""Ten processes of each kind that lies to the monitor, alive at once: every list is complete for
everybody else, and tells each liar with a reason; on a machine where a nanosecond is an
instruction, so that a busy host does not count."""

import re
import subprocess
import time

import pytest

import dci_client as dci
from dci_client import pb
from machine import CONTROLLER
from waiting import wait_for

TEN = 10
SECONDS = 3  # of the machine, for a whole list
KEPT = {"first": 30, "second": 300}  # objects of processes that tell the truth
SILENT = "did not answer within 1 s|took longer than 1 s for its answers"
ENDLESS = f"{SILENT}|has more to tell"
NONSENSE = "answered nonsense: "
# That of another list is told for some seconds when it is one of these;
# and some may still be starting.
REMEMBERED = f"{SILENT}|{NONSENSE}|has not started"
# What each kind may be told to have done when its objects were asked for;
# None: nothing is wrong with those.
REASONS = {
    "silent": SILENT, "late": SILENT, "slow": SILENT, "exits": None,
    "again": "refused: ", "errors": f"refused: |{NONSENSE}", "memory": "refused: ",
    "missing": "refused: |has ended",
    "huge": f"refused: |{NONSENSE}", "others": ENDLESS, "endless": ENDLESS, "backwards": NONSENSE,
    "still": NONSENSE, "random": f"{NONSENSE}|refused: |{SILENT}", "numbers": NONSENSE,
    "children": NONSENSE, "logs": ENDLESS,
    "packets": ENDLESS, "names": None, "map": None, "full": None,
    "unstarted": "has not started", "stuck": SILENT,  # last: they keep the CPU busy
}
# Names of processes are made printable by the kernel; this kind has one that was not.
STRANGE_NAME = re.compile(r"31m<b>")


def wait_until_stuck(client):
    """The last ones have begun what they do, and do not answer as the library would."""
    hz = client.system().timebase_hz

    def all_stuck():
        listed = client.list("processes", "processes", pb.ProcessesRequest())
        return all(one.cpu_ticks > hz / 20 for one in listed if one.name == "stuck")

    wait_for(all_stuck, "the stuck ones")


@pytest.fixture(name="besieged", scope="module")
def machine_with_liars(tmp_path_factory):
    from machine import Machine  # pylint: disable=import-outside-toplevel

    with Machine(str(tmp_path_factory.mktemp("liars")), "liars", cpus=1, icount=True) as machine:
        machine.wait_ready()
        with dci.connect(machine.port, CONTROLLER, timeout=300) as client:
            kept = {}
            for count in KEPT.values():
                run, pid = client.start_program("keep-objects", count)
                client.output_of(run, b"objects\n")
                kept[pid] = count
            for kind in REASONS:
                run, _ = client.start_program("liars", kind, TEN)
                client.output_of(run, b"started")
            wait_until_stuck(client)
            yield machine, client, kept


def living(client):
    """{pid: kind} of the liars that are alive, and the pids of all others."""
    listed = client.list("processes", "processes", pb.ProcessesRequest())
    found = {one.pid: one.name for one in listed if one.name in REASONS}
    found.update({one.pid: "names" for one in listed if STRANGE_NAME.search(one.name)})
    return found, {one.pid for one in listed} - found.keys()


def liars(client):
    return living(client)[0]


def assert_all_alive(kinds):
    counts = {kind: list(kinds.values()).count(kind) for kind in REASONS}
    # starting again, or at the end of their memory
    mortal = {kind: counts[kind] for kind in ("exits", "full")}
    assert counts == {**dict.fromkeys(REASONS, TEN), **mortal}


def ask_in_one(client, *bodies):
    """Asks all in one go, between two questions for the time: ([responses of each], seconds of the
    machine for all)."""
    ids = [client.send(**body)
           for body in ({"system": pb.SystemRequest()}, *bodies, {"system": pb.SystemRequest()})]
    answers = [list(client.responses(number)) for number in ids]
    begin, end = answers[0][0].system, answers[-1][0].system
    return answers[1:-1], (end.time - begin.time) / begin.timebase_hz


def check_failures(client, failures, kinds):
    """Whoever is told to have failed is a liar, and for what it does. Some have come and gone since
    kinds were listed."""
    alive, honest = living(client)
    assert not failures.keys() & honest, {pid: failures[pid] for pid in failures.keys() & honest}
    for pid, reason in failures.items():
        kind = kinds.get(pid)
        assert kind is None or re.search(f"{REASONS[kind] or SILENT}|{REMEMBERED}",
                                         reason), f"{kind}: {reason}"
    for kind, wanted in REASONS.items():
        if wanted is not None and kind not in ("exits", "missing"):
            missing = {pid for pid in kinds if kinds[pid] == kind
                       and pid in alive} - failures.keys()
            assert not missing, f"{kind}: nothing is said of {missing}"


EVERYTHING = {"scope": pb.SCOPE_ALL}
PROCESSES = {"processes": pb.ProcessesRequest()}
OBJECTS = {"objects": pb.ObjectsRequest(classes=True, **EVERYTHING)}
DREF_READ = {"dref_read": pb.DrefReadRequest(**EVERYTHING)}
# What the commands ask, but for the time that they measure.
# The first is asked while nobody is known to lie.
COMMANDS = {
    "stat": [PROCESSES, OBJECTS, {"dref_enable": pb.DrefEnableRequest(on=True, **EVERYTHING)},
             DREF_READ, DREF_READ, {"dref_enable": pb.DrefEnableRequest(on=False, **EVERYTHING)},
             PROCESSES, OBJECTS],
    "objects": [PROCESSES, OBJECTS],
    "record": [PROCESSES, OBJECTS, {"sampling_start": pb.SamplingStartRequest(
        events=[pb.SampledEvent(event=pb.PMU_EVENT_CYCLES, period=1000000)])},
        {"sampling_stop": pb.SamplingStopRequest()}, PROCESSES, OBJECTS],
    "locks --sleep": [PROCESSES, OBJECTS,
                      {"sleep_locks_enable": pb.SleepLocksEnableRequest(on=True)},
                      {"sleep_locks_read": pb.SleepLocksReadRequest()},
                      {"sleep_locks_enable": pb.SleepLocksEnableRequest(on=False)}],
    "trace stat": [{"trace_stat": pb.TraceStatRequest(**EVERYTHING)}],
}


def check_objects(client, answers, kinds, kept):
    replies = [answer.objects for answer in answers]
    kinds.update(liars(client))
    check_failures(client, {one.pid: one.failure.message
                            for one in replies if one.HasField("failure")}, kinds)
    for pid, count in kept.items():
        assert sum(len(reply.objects) for reply in replies if reply.pid == pid) > count


@pytest.mark.parametrize("command", COMMANDS)
def test_lists_are_complete_and_told_in_time(besieged, capsys, command):
    """All questions of a command, in one go: at most 3 s of the machine."""
    _, client, kept = besieged
    kinds = liars(client)
    assert_all_alive(kinds)
    answers, seconds = ask_in_one(client, *COMMANDS[command])
    with capsys.disabled():
        print(f"\n{len(kinds)} liars, what `kov {command}` asks: {seconds:.2f} s of the machine")
    for body, answer in zip(COMMANDS[command], answers):
        if body is OBJECTS:
            check_objects(client, answer, kinds, kept)
    assert seconds <= SECONDS


def failures_of(scan):
    return {one["pid"]: one["reason"] for one in scan["processes"] if one["failure"] != 0}


def timed(machine, *arguments):
    begin = time.monotonic()
    return machine.kov(*arguments), time.monotonic() - begin


def test_kov_objects_shows_all_others_and_why_some_are_missing(besieged, capsys):
    machine, client, kept = besieged
    kinds = liars(client)
    scan, seconds = timed(machine, "objects")
    kinds.update(liars(client))
    check_failures(client, failures_of(scan), kinds)
    for pid, count in kept.items():
        assert sum(one["pid"] == pid and one["class"] == "Kept" for one in scan["objects"]) == count
    assert {one["pid"] for one in scan["objects"]} >= {0, 1}
    text = machine.kov_run("objects").stdout
    assert re.search(r"silent:\d+  \(did not answer within 1 s\)", text), text[-3000:]
    assert re.search(r"still:\d+  \(answered nonsense: [a-z]", text), text[-3000:]
    assert "\x1b" not in text
    with capsys.disabled():
        print(f"\nkov objects: {seconds:.2f} s of the host")


@pytest.mark.parametrize("command", [("stat", "-d", "0.1"), ("record", "-d", "0.1"),
                                     ("locks", "--sleep", "-d", "0.5"),
                                     ("trace", "stat")], ids=lambda command: " ".join(command[:2]))
def test_kov_goes_on_and_tells_who_failed(besieged, capsys, tmp_path, command):
    machine, client, kept = besieged
    kinds = liars(client)
    more = ("-o", str(tmp_path / "samples.kov")) if command[0] == "record" else ()
    found, seconds = timed(machine, *command, *more)
    failures = {one["pid"]: one["message"] for one in found["failures"]}
    _, honest = living(client)
    assert not failures.keys() & honest, {pid: failures[pid] for pid in failures.keys() & honest}
    assert {pid for pid, kind in kinds.items() if kind == "silent"} <= failures.keys()
    assert all(failures.values()) and kept.keys() <= honest
    with capsys.disabled():
        print(f"\nkov {' '.join(command)}: {seconds:.2f} s of the host, {len(failures)} liars told")


def test_kov_top_goes_on(besieged):
    machine, _, _ = besieged
    top = subprocess.run(machine.kov_command("top", "-d", "0.5", "-n", "2"), capture_output=True,
                         text=True, timeout=300, check=False)
    assert top.returncode == 0 and "did not answer within 1 s" in top.stdout, \
        top.stdout + top.stderr


def test_the_server_is_the_same_afterwards(besieged):
    machine, client, _ = besieged
    first = client.hello(CONTROLLER).started
    with dci.connect(machine.port, CONTROLLER) as another:
        assert another.hello(CONTROLLER).started == first  # or the first client would be lost
    assert_all_alive(liars(client))
