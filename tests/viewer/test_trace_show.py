# SPDX-License-Identifier: MIT
"""kov trace show, with babeltrace2 as the independent witness."""

import csv
import io
import json
import re
import signal
import subprocess

import dci_pb2 as dci
import pytest

import trace_folder
from conftest import KOV
from machine import PATIENCE
from machine import packet as played
from trace_folder import BY_NAME, HZ, packet

LINE = re.compile(r"^\[(\d+)\] (\w+): (?:\{ (.*?) \}), \{ (.*)\}$")


def fields_of(text):
    pairs = (part.split(" = ") for part in text.strip().split(", ") if part)
    return {name: value[1:-1] if value[0] == '"' else int(value, 0) for name, value in pairs}


def witness(folder):
    """Returns what babeltrace2 finds: (ticks, CPU, pid, name, fields) of each event."""
    done = subprocess.run(["babeltrace2", "--clock-cycles", "--no-delta", folder], check=True,
                          capture_output=True, text=True)
    events = []
    for line in done.stdout.splitlines():
        time, name, context, fields = LINE.match(line).groups()
        context = fields_of(context)
        events.append((int(time), context["cpu_id"], context.get("pid", 0), name,
                       fields_of(fields)))
    return events


def plain_fields(event):
    """Returns fields with numbers as texts, where they are shown in hexadecimal."""
    texts = [field.name for field in BY_NAME[event["event"].split(":")[1]].fields
             if field.type == "text"]
    return {name: int(value, 0) if isinstance(value, str) and name not in texts else value
            for name, value in event["fields"].items()}


def of_kov(document):
    return [(event["ticks"], event["cpu"], event["stream_pid"], event["event"].split(":")[1],
             plain_fields(event))
            for event in document["events"] if event["event"] != "lost"]


def approximate(events):
    """Returns the events with six digits for numbers beyond 2^63, as JSON has them."""
    return sorted((ticks, cpu, pid, name, sorted(
        (key, value if isinstance(value, str) or -2**63 <= value < 2**63 else f"{value:.6g}")
        for key, value in fields.items())) for ticks, cpu, pid, name, fields in events)


@pytest.mark.parametrize("seed", range(5))
def test_every_event_is_as_babeltrace2_reads_it(kov, tmp_path, seed):
    folder = trace_folder.random_folder(tmp_path / "trace", seed)
    shown = kov("trace", "show", folder, "--json")
    assert shown.code == 0 and "left out" not in shown.err, shown.err
    found, expected = of_kov(shown.json), witness(folder)
    assert len(found) == len(expected) == shown.json["shown"] > 100
    assert [event[0] for event in found] == sorted(event[0] for event in found)
    assert approximate(found) == approximate(expected)


@pytest.fixture
def folder(tmp_path):
    """Writes kernel events on two CPUs, and a process on one, ten ticks apart. CPU 1 has a loss."""
    switch, test1, response = BY_NAME["switch"], BY_NAME["test1"], BY_NAME["dci_response"]
    start = 10 * HZ
    return trace_folder.write(tmp_path / "trace", {
        (0, 0): [packet([(start, switch, [1, 2, 3, 4]), (start + 30, test1, [7])])],
        (0, 1): [packet([(start + 10, test1, [8])], cpu=1),
                 packet([(start + HZ, test1, [9])], cpu=1, sequence=3, discarded=5)],
        (7, 0): [packet([(start + 20, response, [1, 2, -3])], pid=7)],
    })


def rows(result):
    assert result.code == 0, result.err
    return list(csv.DictReader(io.StringIO(result.out)))


def shown_events(kov, folder, *options):
    return [(row["event"], row["text"]) for row in rows(kov("trace", "show", folder, "--csv",
                                                            *options))]


SWITCH = ("SCHED:switch", "from=1 to=2 from_priority=3 to_priority=4 reason=untold")
LOST = ("lost", "2 packets missing, 5 events discarded, until 11.000000000")
RESPONSE = ("DCI:dci_response", "client=1 bytes=2 error=E_NOENT")


def one(value):
    return "TEST:test1", f"a={value}"


def test_time_cpu_process_event_and_text(kov, folder):
    lines = kov("trace", "show", folder).out.splitlines()
    assert [line.split() for line in lines[:4]] == [
        ["TIME", "CPU", "PROCESS", "EVENT", "TEXT"],
        ["10.000000000", "0", "thread", "1", "SCHED:switch", "from=1", "to=2", "from_priority=3",
         "to_priority=4", "reason=untold"],
        ["10.000000019", "1", "–", "TEST:test1", "a=8"],
        ["10.000000019", "1", "kernel", "lost", "2", "packets", "missing,", "5", "events",
         "discarded,", "until", "11.000000000"],
    ]


@pytest.mark.parametrize("options, expected", [
    ((), [SWITCH, one(8), LOST, RESPONSE, one(7), one(9)]),
    (("--cpu", "0"), [SWITCH, RESPONSE, one(7)]),
    # What the kernel did in thread 2 was for the process that logs while it runs.
    (("--pid", "7"), [LOST, RESPONSE, one(7)]),
    (("--pid", "7", "--cpu", "0"), [RESPONSE, one(7)]),
    (("--pid", "0", "--cpu", "0"), []),
    (("-n", "2"), [SWITCH, one(8)]),
    (("--cpu", "0", "-e", "switch"), [SWITCH]),
    (("--cpu", "0", "-e", "TEST,3"), [SWITCH, one(7)]),
    (("--cpu", "0", "-e", "dci:dci_response"), [RESPONSE]),
    (("--from", "10.000000039"), [LOST, RESPONSE, one(7), one(9)]),
    (("--from", "+0.000000040"), [LOST, one(7), one(9)]),
    (("--from", "+0.5", "--to", "11"), [LOST, one(9)]),
    (("--to", "10.000000018"), [SWITCH]),
    (("--to", "10.000000019"), [SWITCH, one(8), LOST]),
    (("--from", "20"), []),
    (("--cpu", "0", "--where", "error < 0"), [RESPONSE]),
    (("--cpu", "0", "--where", "error=-3", "--where", "bytes >= 3"), []),
    (("--where", "a>0x7", "--where", "a != 9"), [one(8), LOST]),
])
def test_only_what_is_wanted(kov, folder, options, expected):
    assert shown_events(kov, folder, *options) == expected


def test_a_loss_is_an_interval(kov, folder):
    shown = kov("trace", "show", folder, "--json").json
    [lost] = [event for event in shown["events"] if event["event"] == "lost"]
    assert (lost["ticks"], lost["until_ticks"]) == (10 * HZ + 10, 11 * HZ)
    assert (lost["cpu"], lost["packets"], lost["discarded"]) == (1, 2, 5)
    assert (shown["lost_packets"], shown["discarded"]) == (2, 5)


@pytest.mark.parametrize("options, message", [
    (("--from", "soon"), "--from soon"), (("--to", "1.2.3"), "--to 1.2.3"),
    (("--from", "1.1234567891"), "nine digits"), (("--where", "a"), "--where 'a'"),
    (("--where", "a ~ 3"), "--where 'a ~ 3'"), (("--where", "nothing = 3"), "no event of this"),
    (("-e", "nothing"), "'nothing'"), (("-e", "switch,"), "''"), (("-n", "0"), "--count"),
])
def test_a_wrong_option_is_refused(kov, folder, options, message):
    result = kov("trace", "show", folder, *options)
    assert result.code == 2 and message in result.err and result.out == "", result.err


def test_events_of_another_build_are_read_by_its_metadata(kov, folder):
    text = (folder / "metadata").read_text()
    (folder / "metadata").write_text(text.replace("uint64 _a;", "hex64 _zebra;"))
    result = kov("trace", "show", folder, "--csv", "-e", "test1", "--cpu", "0")
    assert [row["text"] for row in rows(result)] == ["zebra=0x7"]


def test_an_event_that_is_not_described_is_shown_as_unknown(kov, folder):
    text = (folder / "metadata").read_text()
    gone = re.sub(r'event \{ name = "test1".*?\}; \};', "", text, flags=re.DOTALL)
    (folder / "metadata").write_text(gone)
    assert ("unknown", "id=0x10001 words=1") in shown_events(kov, folder)


def test_a_packet_that_is_cut_off_is_told_and_the_rest_is_shown(kov, folder):
    stream = folder / "stream_1"
    stream.write_bytes(stream.read_bytes()[:-1])
    result = kov("trace", "show", folder, "--csv")
    assert "byte 65536 of stream_1 is left out: it is cut off" in result.err
    assert one(9) not in [(row["event"], row["text"]) for row in rows(result)]


def spoil(path, offset, value):
    data = path.read_bytes()
    path.write_bytes(data[:offset] + value + data[offset + len(value):])


@pytest.mark.parametrize("offset, value, message", [
    (0, b"none", "magic"), (40, b"\xff" * 8, "contents"), (80, b"\xff" * 4, "as many events"),
    (88 + 4, b"\0" * 4, "beyond its end"), (88, b"\xff", "later than its end"),
    (65536 + 68, b"\0" * 4, "out of order"), (65536 + 87, b"\0", "another stream"),
])
def test_a_damaged_packet_is_named_and_left_out(kov, folder, offset, value, message):
    path = folder / "stream_1"
    spoil(path, offset, value)
    result = kov("trace", "show", folder, "--csv")
    assert "of stream_1 is left out" in result.err and message in result.err, result.err
    assert SWITCH in [(row["event"], row["text"]) for row in rows(result)]


@pytest.mark.parametrize("name", ["nowhere", "trace/stream_0"])
def test_what_is_no_trace_is_refused(kov, folder, tmp_path, name):
    result = kov("trace", "show", tmp_path / name)
    assert result.code == 1 and "cannot open the folder" in result.err
    (folder / "metadata").unlink()
    result = kov("trace", "show", folder)
    assert result.code == 1 and "metadata" in result.err


def test_any_time_of_a_long_trace_needs_its_packets_only(kov, tmp_path):
    """The one event at the end of a thousand packets is found, though all other packets are damaged
    inside."""
    event, step = BY_NAME["test1"], 2**32
    packets = [packet([(step * i, event, [i])], sequence=i, size=4096) for i in range(1, 1001)]
    good, bad = packets[-1], [data[:92] + b"\0\0\0\0" + data[96:] for data in packets[:-1]]
    folder = trace_folder.write(tmp_path / "trace", {(0, 0): [*bad, good]})
    result = kov("trace", "show", folder, "--from", str(step * 1000 // HZ), "--csv")
    assert [json.loads(row["text"][2:]) for row in rows(result)] == [1000]


def follow(machine, *options):
    command = [KOV, "--port", str(machine.port), "trace", "show", "--csv", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def times(lines):
    return [int(line.split(",")[1]) for line in lines]


@pytest.fixture
def tracing(machine):
    machine.packets = [(0, played(0, 0, [10, 20, 30])), (1, played(1, 0, [15, 25]))]
    machine.last_packets = [(0, played(0, 1, [40])), (1, played(1, 2, [35], discarded=6))]
    return machine


def test_a_machine_is_followed_until_an_interrupt(tracing):
    """An event comes as soon as no CPU can have an earlier one. The rest comes in the end."""
    with follow(tracing) as shown:
        lines = [shown.stdout.readline() for _ in range(5)]
        assert times(lines[1:]) == [10, 15, 20, 25]
        shown.send_signal(signal.SIGINT)
        rest, err = shown.communicate(timeout=PATIENCE)
    assert shown.returncode == 0, err
    assert times(rest.splitlines()) == [25, 30, 35, 40]
    assert "1 packets missing, 6 events discarded" in rest.splitlines()[0]
    subscription = tracing.asked("trace_subscribe")[0]
    assert subscription.mode == dci.TRACE_MODE_KEEP and not subscription.set_mask
    assert subscription.flush_ms > 0


def test_following_ends_when_there_is_enough(tracing):
    tracing.metadata = trace_folder.metadata()
    with follow(tracing, "-n", "3", "-e", "TEST") as shown:
        out, err = shown.communicate(timeout=PATIENCE)
    assert shown.returncode == 0 and times(out.splitlines()[1:]) == [10, 15, 20], err
    subscription = tracing.asked("trace_subscribe")[0]
    # The trace's own; what is wanted; scheduling and state, which tell whose the events are.
    assert subscription.set_mask and subscription.mask == 0b11 | 1 << 3 | 1 << 17
    assert tracing.asked("trace_unsubscribe")


def test_one_process_is_followed_with_what_the_kernel_does_for_it(tracing):
    """So the kernel's packets are wanted too."""
    tracing.add_processes()
    tracing.packets.append((1, played(1, 7 << 32, [11, 12])))
    with follow(tracing, "-n", "2", "--pid", "7") as shown:
        out, err = shown.communicate(timeout=PATIENCE)
    assert shown.returncode == 0 and times(out.splitlines()[1:]) == [11, 12], err
    assert tracing.asked("trace_subscribe")[0].scope == dci.SCOPE_ALL


@pytest.mark.parametrize("bad", [
    (0, b""), (9, played(9, 0, [1])), (1, played(0, 0, [1])), (0, played(0, 0, [1])[:200]),
    (0, played(0, 0, [1])[:88].ljust(4096, b"\xff")),
])
def test_a_damaged_packet_ends_following(tracing, bad):
    tracing.packets = [bad, (1, played(1, 0, [2])), (0, played(0, 1, [3]))]
    with follow(tracing) as shown:
        _, err = shown.communicate(timeout=PATIENCE)
    assert shown.returncode in (1, 3) and "damaged" in err


def test_times_are_not_for_a_running_machine(kov, tracing):
    assert kov("trace", "show", "--from", "1", machine=tracing).code == 2


# ---- locks in objects --------------------------------------------------------------------------

ALL_MAJORS = (1 << 20) - 1
NO_OBJECTS = ALL_MAJORS & ~sum(1 << one.number for one in trace_folder.MAJORS if one.name == "OBJ")


def locked(*events, majors=ALL_MAJORS):
    """Events after a state with an object at 0x5000, of 0x100 bytes."""
    state = [(1, BY_NAME["state_begin"], (majors,)), (2, BY_NAME["class_name"], (9, "Thing")),
             (3, BY_NAME["state_object"], (0x840, 9, 0x100, 0x5000)),
             (4, BY_NAME["state_end"], (0, 0, 1))]
    return [*state, *((when, BY_NAME[name], values) for when, name, values in events)]


def words_of_locks(kov, folder):
    shown = kov("trace", "show", folder, "-e", "LOCKHOLD", "--json").json["events"]
    held = kov("trace", "locks", folder, "--json").json["holds"]
    return ([event["names"].get("lock") for event in shown if event["event"] != "lost"],
            {row["lock_name"] for row in held})


def hold(when, lock):
    return [(when, "lock_take", (lock, 0, 1, 2, 3)), (when + 1, "lock_release", (lock, 0))]


OBJECT_LOCKS = {
    "in an object": (locked(*hold(10, 0x5010)), ["Thing:0x840+0x10"] * 2, {"Thing:0x840+0x10"}),
    "its first and last word": (locked(*hold(10, 0x5000), *hold(20, 0x50f8)),
                                ["Thing:0x840+0x0"] * 2 + ["Thing:0x840+0xf8"] * 2,
                                {"Thing:0x840+0x0", "Thing:0x840+0xf8"}),
    "beside it": (locked(*hold(10, 0x4ff8), *hold(20, 0x5100)), [None] * 4, {"0x4ff8", "0x5100"}),
    "without OBJ": (locked(*hold(10, 0x5010), majors=NO_OBJECTS), [None] * 2, {"0x5010"}),
    "gone": (locked((5, "obj_reclaim", (0x840,)), *hold(10, 0x5010)), [None] * 2, {"0x5010"}),
    "memory that is used again": (
        locked(*hold(10, 0x5010), (20, "obj_reclaim", (0x840,)),
               (30, "obj_create", (0x880, 9, 0x40, 0x5000)), *hold(40, 0x5010), *hold(50, 0x5050)),
        ["Thing:0x840+0x10"] * 2 + ["Thing:0x880+0x10"] * 2 + [None] * 2, {"0x5010", "0x5050"}),
    "a process's own": (locked(*hold(10, 0x7010)), [None] * 2, {"0x7010"}),
}


@pytest.mark.parametrize("case", OBJECT_LOCKS)
def test_a_lock_is_named_by_the_object_in_which_it_lies(kov, tmp_path, case):
    events, shown, held = OBJECT_LOCKS[case]
    streams = {(0, 0): [packet(events)]}
    # A process may log what it likes; it names nothing of the kernel's.
    streams[7, 0] = [packet([(6, BY_NAME["obj_create"], (0x8c0, 9, 0x100, 0x7000))], 7)]
    assert words_of_locks(kov, trace_folder.write(tmp_path / "trace", streams)) == (shown, held)


def test_where_events_are_missing_no_lock_is_named(kov, tmp_path):
    packets = [packet(locked(*hold(10, 0x5010))),
               packet([(when, BY_NAME[name], values) for when, name, values in hold(30, 0x5010)],
                      sequence=2)]
    folder = trace_folder.write(tmp_path / "trace", {(0, 0): packets})
    shown, held = words_of_locks(kov, folder)
    assert shown == ["Thing:0x840+0x10"] * 2 + [None] * 2 and held == {"0x5010"}


def test_an_endpoint_that_is_made_meanwhile_has_a_name(kov, tmp_path):
    events = locked((5, "process_name", (7, "maker")), (6, "ipc_endpoint", (0xabc, 7)),
                    (7, "ipc_send", (0xabc, 3, 0, 0)))
    folder = trace_folder.write(tmp_path / "trace", {(0, 0): [packet(events)]})
    shown = kov("trace", "show", folder, "-e", "IPC", "--json").json["events"]
    assert [event["names"]["endpoint"] for event in shown] == ["maker:7:0xabc"] * 2
