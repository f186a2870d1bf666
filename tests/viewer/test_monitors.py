# SPDX-License-Identifier: MIT
"""kov monitor: what a played machine recorded is in the folder, counted exactly, and drawn cell by
cell."""

import random
import subprocess

import pytest

import dci_pb2 as dci
import trace_folder
from power_program import CROSS
from trace_folder import HZ

MS = HZ // 1000
LEAVES, COMES, STAYS = range(3)  # include/orrery/monitors.h
PREEMPTED, EVENT, TIME = 1, 7, 11  # trace/include/trace/reasons.h
BEGIN = HZ  # machine.monitored


SWITCH, WAKE, FAULT, SYSCALL, BLOCK, _, _, SENSOR = range(8)


def record(ms, id, what, reason=EVENT, lost=0, kind=SWITCH):
    return dci.MonitorRecord(time=BEGIN + int(ms * MS), id=id, kind=kind, reason=reason, lost=lost,
                             word0=what)


TURNS = [record(2, 1, COMES), record(4, 1, LEAVES, TIME), record(6, 1, COMES, TIME),
         record(7, 1, STAYS, PREEMPTED), record(8, 1, LEAVES, PREEMPTED)]


@pytest.fixture(name="watched")
def of_ten_ms(machine):
    machine.metadata = trace_folder.metadata()
    machine.processes = [dci.Process(pid=2, name="fs"), dci.Process(pid=7, name="cc")]
    machine.monitored = BEGIN, BEGIN + 10 * MS
    machine.records = {0: (TURNS, 0)}
    return machine


def taken(kov, machine, *options, token="look"):
    return kov("--token", token, "monitor", "record", "-d", "0.1", "-o", "trace", *options,
               machine=machine)


def recorded(kov, machine, *options, **more):
    done = taken(kov, machine, "--json", *(options or ["-p", "2"]), **more)
    assert done.code == 0, done.err
    return done.json


def shown(kov, *options):
    done = kov("monitor", "show", "trace", "--json", *options)
    assert done.code == 0 and done.err == "", done.err
    return done.json


def strips(kov, *options):
    return {(row["name"], row["cpu"]): row["strip"] for row in shown(kov, *options)["threads"]}


def test_each_cell_is_what_the_thread_did(kov, watched):
    recorded(kov, watched)
    assert strips(kov, "-w", "10") == {("fs:2", 0): "??██tt██░░"}
    assert strips(kov, "-w", "10", "--ascii") == {("fs:2", 0): "??##tt##--"}
    assert strips(kov, "-w", "4", "--from", "+0.003", "--to", "+0.007") == {("fs:2", 0): "█tt█"}


def test_a_time_that_ends_before_it_begins_is_refused(kov, watched):
    recorded(kov, watched)
    refused = kov("monitor", "show", "trace", "--from", "+2", "--to", "+1")
    assert refused.code == 2 and refused.out == "" and "is behind --to +1" in refused.err


def test_what_it_did_first_is_told_by_its_first_record(kov, watched):
    watched.records = {0: ([record(3, 1, LEAVES)], 0), 1: ([record(5, 1, STAYS)], 0)}
    recorded(kov, watched)
    assert strips(kov, "-w", "10") == {("fs:2", 0): "███eeeeeee", ("fs:2", 1): "██████████"}


def test_the_summary_is_of_the_same_times(kov, watched):
    recorded(kov, watched)
    row, = shown(kov, "--summary")["threads"]
    assert row["switches"] == 2 and row["to_itself"] == 1 and row["runs"] == 2
    assert row["run_ticks"] == 4 * MS == 2 * row["longest_slice_ticks"]
    assert row["longest_ready_ticks"] == 2 * MS and row["blocked_ticks"] == 2 * MS
    assert row["unknown_ticks"] == 2 * MS and row["pid"] == 2
    assert "TO ITSELF" in kov("monitor", "show", "trace", "--summary").out


def test_it_is_ready_from_its_wake_up_on(kov, watched):
    late = record(9, 2, 2 * MS, kind=WAKE)  # told when it runs
    watched.records = {0: (TURNS[:2] + [record(5, 1, 0, TIME, kind=WAKE)] + TURNS[2:], 0),
                       1: ([record(3, 2, LEAVES), late, record(9, 2, COMES)], 0)}
    recorded(kov, watched, "-p", "2,7")
    assert strips(kov, "-w", "10") == {("fs:2", 0): "??██t░██░░", ("cc:7", 1): "███eeee░░█"}
    fs, cc = shown(kov, "--summary")["threads"]
    assert fs["longest_ready_ticks"] == 2 * MS and fs["blocked_ticks"] == MS
    assert cc["longest_ready_ticks"] == 2 * MS and cc["wakes"] == fs["wakes"] == 1


def test_a_wake_up_may_be_the_first_that_is_known(kov, watched):
    watched.records = {0: ([record(4, 1, 0, kind=WAKE), record(5, 1, COMES)], 0),
                       1: ([record(2, 1, 5 * HZ, kind=WAKE), record(5, 1, COMES)], 0)}
    recorded(kov, watched)
    assert strips(kov, "-w", "10") == {("fs:2", 0): "????░█████", ("fs:2", 1): "░░░░░█████"}


def test_other_kinds_are_counted_and_change_nothing(kov, watched):
    more = [record(4.5, 1, 0x1000, kind=FAULT), record(5, 1, 27, kind=SYSCALL),
            record(5.5, 1, 28, kind=SYSCALL), record(5.6, 1, 2, kind=BLOCK),
            record(5.7, 1, 3, kind=BLOCK)]
    watched.records = {0: (TURNS[:2] + more + TURNS[2:], 0), 1: ([record(1, 1, 9, kind=FAULT)], 0)}
    recorded(kov, watched, "-p", "2", "-e", "all")
    assert strips(kov, "-w", "10") == {("fs:2", 0): "??██tt██░░", ("fs:2", 1): "??????????"}
    row, other = shown(kov, "--summary")["threads"]
    assert [row[key] for key in ("wakes", "faults", "syscalls", "blocks")] == [0, 1, 2, 1]
    assert other["faults"] == 1 and other["switches"] == 0
    names = [event["event"] for event in kov("trace", "show", "trace", "--json").json["events"]]
    assert [names.count(f"MONITOR:{kind}") for kind in ("switch", "fault", "syscall", "block")] \
        == [5, 2, 2, 2]


@pytest.mark.parametrize("options, kinds", [
    ([], 0xc3), (["-e", "switch"], 1), (["-e", "block,fault"], 0x14), (["-e", "all"], 0xff)])
def test_kinds_are_chosen(kov, watched, options, kinds):
    recorded(kov, watched, "-p", "2", *options)
    track, = (request.monitor_track for request in watched.requests
              if request.WhichOneof("body") == "monitor_track")
    assert track.kinds == kinds


def test_two_lines_of_a_meter(kov, watched):
    recorded(kov, watched)
    text = kov("monitor", "show", "trace", "-w", "10", "--meter", "+0.002,+0.0075").out
    lines = text.splitlines()
    mark, apart = (line for line in lines if "A" in line and "B" in line and "THREAD" not in line)
    picture = next(line for line in lines if "fs:2" in line)
    assert picture[mark.index("A")] == "█" and mark.index("B") - mark.index("A") == 5
    assert apart.strip() == "A to B: 5.500 ms"


def test_lost_records_are_counted_and_not_guessed(kov, watched):
    watched.records = {0: (TURNS[:2] + [record(8, 1, COMES, lost=3)], 0)}
    watched.last_records = {0: ([], 2)}
    cpu, other = recorded(kov, watched)["cpus"]
    assert (cpu["fired"], cpu["read"], cpu["lost"], cpu["unread"]) == (8, 3, 5, 0)
    assert other["fired"] == 0 and other["events"] == 1 and other["packets"] == 2  # what it costs
    document = shown(kov, "-w", "10")
    assert document["discarded"] == 5
    assert document["threads"][0]["strip"] == "??██????" + "??"
    events = kov("trace", "show", "trace", "--json").json["events"]
    assert sum(event["discarded"] for event in events if event["event"] == "lost") == 5


def test_long_silence_and_many_records_keep_their_times(kov, watched):
    """Times of 32 bits wrap, and packets fill."""
    times = [20000, 45000, *(60000 + 0.01 * n for n in range(5000))]
    watched.monitored = BEGIN, BEGIN + 70 * HZ
    watched.records = {1: ([record(ms, 1, n % 2 == 0) for n, ms in enumerate(times)], 0)}
    recorded(kov, watched)
    events = [event for event in kov("trace", "show", "trace", "--json").json["events"]
              if event["event"] == "MONITOR:switch"]
    assert [event["ticks"] for event in events] == [BEGIN + int(ms * MS) for ms in times]


def test_more_running_than_cpus_is_found(kov, watched):
    recorded(kov, watched)
    assert kov("monitor", "show", "trace", "--check").code == 0
    watched.records = {1: ([record(1, 1, COMES), record(2, 2, COMES), record(3, 1, LEAVES)], 0)}
    done = kov("--token", "look", "monitor", "record", "-d", "0.1", "-o", "bad", "-p", "2,7",
               machine=watched)
    assert done.code == 0, done.err
    wrong = kov("monitor", "show", "bad", "--check")
    assert wrong.code == 1 and "first at 1.002000000 on CPU 1: id 1 and id 2" in wrong.err


def test_targets_have_ids_and_names(kov, watched):
    watched.records = {0: ([record(1 + n, 1 + n, LEAVES) for n in range(3)], 0)}
    recorded(kov, watched, "-p", "7,2/33,0,7")
    tracks = [request.monitor_track for request in watched.requests
              if request.WhichOneof("body") == "monitor_track"]
    assert [(track.pid, track.thread, track.id) for track in tracks] \
        == [(7, 0, 1), (2, 33, 2), (0, 0, 3)]
    assert [row["name"] for row in shown(kov)["threads"]] == ["cc:7", "fs:2/33", "kernel"]
    assert not watched.monitors


def test_babeltrace2_reads_what_kov_reads(kov, watched, tmp_path):
    watched.records = {0: (TURNS[:3] + [record(7, 1, STAYS, lost=4)] + TURNS[4:], 0)}
    recorded(kov, watched)
    done = subprocess.run(["babeltrace2", tmp_path / "trace"], capture_output=True, text=True,
                          timeout=120, check=True)
    switches = [line for line in done.stdout.splitlines() if "MONITOR:switch" in line]
    assert len(switches) == len(TURNS) and "reason = 11, lost = 0, word0 = 0x1" in switches[2]
    assert "discarded 4 events" in done.stderr.lower()
    assert "name = \"fs\"" in done.stdout


def test_sums_that_do_not_add_up_fail(kov, watched):
    def lie(session, request):
        session.respond(request, monitor_read=dci.MonitorReadReply(
            cpu=1, stat=dci.MonitorStat(fired=9, lost=2)))
    watched.misbehaviour["monitor_read"] = lie
    done = taken(kov, watched, "-p", "2")
    assert done.code == 1 and "CPU 1: 9 records, but 0 read, 0 unread and 2 lost" in done.err


@pytest.mark.parametrize("reply, message", [
    (dci.MonitorReadReply(cpu=99, stat=dci.MonitorStat()), "CPU 99 came, which cannot be"),
    (dci.MonitorReadReply(records=[record(2, 1, COMES), record(1, 1, COMES)],
                          stat=dci.MonitorStat()), "out of order"),
    (dci.MonitorReadReply(records=[dci.MonitorRecord(time=2 * HZ, kind=77)],
                          stat=dci.MonitorStat()), "kind 77"),
    (dci.MonitorReadReply(), "cannot be"),
])
def test_nonsense_is_refused(kov, watched, reply, message):
    watched.misbehaviour["monitor_read"] = \
        lambda session, request: session.respond(request, monitor_read=reply)
    done = taken(kov, watched, "-p", "2")
    assert done.code == 3 and message in done.err, done.err


def test_a_kept_monitor_records_and_stays(kov, watched):
    created = kov("monitor", "create", "-p", "2", "--token", "orrery", machine=watched)
    assert created.code == 0 and created.out == "monitor 1\n", created.err
    listed = kov("monitor", "list", "--token", "look", "--json", machine=watched).json["monitors"]
    assert [(row["monitor"], row["kept"], row["running"], row["tracks"]) for row in listed] \
        == [(1, True, False, "2")]
    cpu = recorded(kov, watched, "1", token="orrery")["cpus"][0]
    assert cpu["fired"] == cpu["read"] == len(TURNS)
    assert strips(kov, "-w", "10") == {("fs:2", 0): "??██tt██░░"}
    assert list(watched.monitors) == [1]
    assert kov("monitor", "stop", "1", "--token", "orrery", machine=watched).code == 0
    assert not watched.monitors
    gone = kov("monitor", "stop", "1", "--token", "orrery", machine=watched)
    assert gone.code == 1 and "cannot stop the monitor" in gone.err


def test_a_monitor_that_runs_goes_on_and_its_older_records_come(kov, watched):
    kov("monitor", "create", "-p", "2", "--token", "orrery", machine=watched)
    kept = watched.monitors[1]
    kept.running = True
    kept.fill({0: ([record(-3, 1, COMES), record(-2, 1, LEAVES)], 0)})
    kept.fired[1] = 7  # which others have read
    cpu, other = recorded(kov, watched, "1", token="orrery")["cpus"]
    assert cpu["fired"] == cpu["read"] == 2 + len(TURNS) and other["fired"] == 0
    assert kept.running
    assert strips(kov, "-w", "13") == {("fs:2", 0): "█eeee██tt██░░"}


def test_an_observer_has_none_kept(kov, watched):
    refused = kov("monitor", "create", "--token", "look", machine=watched)
    assert refused.code == 1 and "only a controller" in refused.err


@pytest.mark.parametrize("options, code, message", [
    ([], 2, "name processes"), (["-p", "x"], 2, "must be PID"), (["-p", "2/0"], 2, "must be PID"),
    (["-p", "2,"], 2, "must be PID"), (["-p", "9"], 1, "cannot track process 9"),
    (["-p", ",".join(map(str, range(33)))], 2, "at most 32"), (["z"], 2, "no number"),
    (["5"], 1, "no monitor 5"), (["-p", "2", "-e", "switch,sleep"], 2, "'sleep' is none of"),
    (["-p", "2", "-e", ""], 2, "is none of"), (["-p", "2", "--bytes", "100"], 2, "--bytes"),
])
def test_what_cannot_be_is_refused(kov, watched, tmp_path, options, code, message):
    refused = taken(kov, watched, *options)
    assert refused.code == code and message in refused.err, refused.err
    assert not (tmp_path / "trace").exists()


def test_another_folder_is_no_recording(kov, tmp_path):
    trace_folder.random_folder(tmp_path / "trace", 1)
    refused = kov("monitor", "show", "trace")
    assert refused.code == 1 and "no folder of `kov monitor record`" in refused.err


# ---- compensation: each record takes half a millisecond ------------------------------------------

HALF = MS // 2


@pytest.fixture(name="costly")
def with_costs(watched):
    watched.monitor_cost = 64 * HALF
    return watched


def compensated(kov, *options):
    return shown(kov, "--compensate", *options)


COUNTS = "switches", "to_itself", "wakes", "faults", "syscalls", "blocks"


def counts(document):
    return {(row["name"], row["cpu"]): [row.get(key) for key in COUNTS]
            for row in document["threads"]}


def test_each_time_is_less_the_cost_of_the_records_before_it(kov, costly):
    """The events are at 2, 3.5, 5, 5.5 and 6, and the end is at 7.5."""
    costly.system.cpu_count = 1
    recorded(kov, costly)
    document = compensated(kov, "-w", "15", "--meter", "+0.002,+0.0055")
    row, = document["threads"]
    assert row["strip"] == "????███ttt██░░░"
    assert row["run_ticks"] == row["longest_slice_ticks"] + 2 * HALF == 5 * HALF
    assert row["blocked_ticks"] == row["ready_ticks"] == 3 * HALF
    assert row["unknown_ticks"] == 4 * HALF
    assert document["to_ticks"] == BEGIN + 15 * HALF
    cpu, = document["compensated"]
    assert (cpu["cpu"], cpu["records"], cpu["cost_ticks"], cpu["less_ticks"]) \
        == (0, 5, 5 * HALF, 5 * HALF)
    assert document["approximate"] is False
    assert document["meter"]["strip"].rstrip() == "    A      B"
    assert document["meter"]["apart_ticks"] == 7 * HALF
    for options in ((), ("--summary",)):
        text = kov("monitor", "show", "trace", "--compensate", *options).out
        assert text.endswith("compensated: 2.500 ms on CPU 0 for 5 records\n"), text
        assert counts(compensated(kov, *options)) == counts(shown(kov, *options))


def test_records_of_the_fast_path_have_a_cost_of_their_own(kov, costly):
    """The events are at 2, 3.5, 5.375, 5.875 and 6.75. The second and the fourth take a quarter."""
    costly.system.cpu_count, costly.monitor_cost_fast = 1, 16 * HALF
    turns = [dci.MonitorRecord() for _ in TURNS]
    for n, (turn, slow) in enumerate(zip(turns, TURNS)):
        turn.CopyFrom(slow)
        turn.word1 = n % 2
    costly.records = {0: (turns, 0)}
    recorded(kov, costly)
    document = compensated(kov)
    row, = document["threads"]
    assert row["run_ticks"] == (3.5 - 2 + 6.75 - 5.375) * MS
    assert document["compensated"][0]["cost_ticks"] == 3 * HALF + 2 * HALF // 4


def test_a_part_is_chosen_by_compensated_times(kov, costly):
    costly.system.cpu_count = 1
    recorded(kov, costly)
    document = compensated(kov, "-w", "5", "--from", "+0.0035", "--to", "+0.006")
    row, = document["threads"]
    assert row["strip"] == "ttt██" and document["to_ticks"] == BEGIN + 12 * HALF
    row, = compensated(kov, "--to", "+0.0051")["threads"]
    assert (row["switches"], row["to_itself"]) == (2, 0)  # at 2 and 5


def test_of_one_moment_nothing_comes_before_the_other(kov, costly):
    """Both records of a switch get the time before the first was written."""
    costly.system.cpu_count = 1
    costly.records = {0: ([record(2, 1, COMES), record(4, 1, LEAVES), record(4, 2, COMES),
                           record(6, 2, LEAVES)], 0)}
    recorded(kov, costly, "-p", "2,7")
    document = compensated(kov, "-w", "16", "--check")
    assert {row["name"]: row["strip"] for row in document["threads"]} \
        == {"fs:2": "????███" + 9 * "e", "cc:7": "???????██" + 7 * "e"}


@pytest.mark.parametrize("seed", range(5))
def test_any_recording_of_one_cpu(kov, costly, seed):
    chance = random.Random(seed)
    costly.system.cpu_count, costly.monitor_cost = 1, chance.randrange(1, 64 * HALF)
    times = sorted(chance.randrange(100 * MS) for _ in range(200))
    costly.monitored = BEGIN, BEGIN + 110 * MS
    costly.records = {0: ([dci.MonitorRecord(time=BEGIN + time, id=1, reason=EVENT,
                                             word0=COMES if n % 2 == 0 else LEAVES)
                           for n, time in enumerate(times)], 0)}
    recorded(kov, costly)
    moved = [0]
    for n, time in enumerate(times):
        moved.append(max(moved[-1], time - n * costly.monitor_cost // 64))
    run = sum(leaves - comes for comes, leaves in zip(moved[1::2], moved[2::2]))
    document = compensated(kov)
    row, = document["threads"]
    assert row["run_ticks"] == run and row["switches"] == 100
    assert document["to_ticks"] - BEGIN \
        == max(moved[-1], 110 * MS - 200 * costly.monitor_cost // 64)


def test_lost_records_cost_nothing(kov, costly):
    """The events are at 2, 3.5, and 7 behind the loss. The loss begins at 3.5. The end is at
    8.5."""
    costly.system.cpu_count = 1
    costly.records = {0: (TURNS[:2] + [record(8, 1, COMES, lost=300)], 0)}
    recorded(kov, costly)
    document = compensated(kov, "-w", "17")
    assert document["threads"][0]["strip"] == "????███???????███"
    assert document["discarded"] == 300
    assert document["compensated"][0]["cost_ticks"] == 3 * HALF


def test_a_wake_up_is_not_before_the_cpu_it_comes_from(kov, costly):
    """CPU 0 has saved 2 ms, and CPU 1 half of one. At 7 CPU 1 wakes a thread of CPU 0, which is at
    6.5 there."""
    costly.records = {0: ([record(1, 1, COMES), record(2, 1, LEAVES), record(3, 1, COMES),
                           record(4, 1, LEAVES), record(8, 1, MS, kind=WAKE),
                           record(8, 1, COMES)], 0),
                      1: ([record(1, 2, COMES)], 0)}
    recorded(kov, costly, "-p", "2,7")
    document = compensated(kov, "-w", "19")  # CPU 1 ends at 9.5, CPU 0 at 8.5
    assert {row["name"]: row["strip"].rstrip() for row in document["threads"]} \
        == {"fs:2": "??█e█eeeeeeee░░██", "cc:7": "??" + 17 * "█"}
    assert [cpu["less_ticks"] for cpu in document["compensated"]] == [3 * HALF, HALF]
    assert document["approximate"] is True
    assert counts(document) == counts(shown(kov))
    assert "approximate" in kov("monitor", "show", "trace", "--compensate").out
    assert "approximate" not in kov("monitor", "show", "trace").out


def test_a_cpu_that_saved_less_gives_nothing_up(kov, costly):
    """The wake-up at 6 is at 5.5. The thread comes at 7.5."""
    costly.records = {0: ([record(n, 1, COMES if n % 2 else LEAVES) for n in range(1, 6)], 0),
                      1: ([record(0.5, 2, LEAVES), record(8, 2, 2 * MS, kind=WAKE),
                           record(8, 2, COMES)], 0)}
    recorded(kov, costly, "-p", "2,7")
    document = compensated(kov, "-w", "17")  # CPU 1 ends at 8.5, CPU 0 at 7.5
    assert {row["name"]: row["strip"].rstrip() for row in document["threads"]} \
        == {"fs:2": "??█e█e" + 9 * "█", "cc:7": "█" + 10 * "e" + "░░░░██"}
    assert [cpu["less_ticks"] for cpu in document["compensated"]] == [5 * HALF, 3 * HALF]


def test_a_thread_does_not_come_before_it_left_another_cpu(kov, costly):
    """The thread leaves CPU 1 at 4.5. CPU 0 has saved 2.5 ms when it comes there at 6, and keeps
    1.5."""
    def told(ms, what):
        word0 = 3 << 32 | what
        return dci.MonitorRecord(time=BEGIN + int(ms * MS), id=1, kind=6, reason=EVENT,
                                 word0=word0, word1=int.from_bytes(b"mult1\0\0\0", "big"))
    costly.records = {0: ([record(n, 1, COMES if n % 2 else LEAVES) for n in range(1, 6)]
                          + [told(6, COMES), told(8, LEAVES)], 0),
                      1: ([told(1, COMES), told(5, LEAVES)], 0)}
    recorded(kov, costly)
    document = compensated(kov, "-w", "18")  # CPU 1 ends at 9, CPU 0 at 7.5
    assert [row["strip"].rstrip() for row in document["threads"] if "mult1" in row["name"]] \
        == ["  " + 10 * "█" + "eee"]
    assert [cpu["less_ticks"] for cpu in document["compensated"]] == [5 * HALF, 2 * HALF]


@pytest.mark.parametrize("cost, message", [
    ((0, 0), "does not tell what a record of CPU 0 costs"), ((640, 0), "does not tell"),
    ((1 << 40, 640), "which cannot be"), ((640, 1 << 40), "which cannot be")])
def test_without_a_cost_nothing_is_compensated(kov, costly, cost, message):
    costly.monitor_cost, costly.monitor_cost_fast = cost
    recorded(kov, costly)
    refused = kov("monitor", "show", "trace", "--compensate")
    assert refused.code == 1 and message in refused.err and refused.out == "", refused.err
    assert strips(kov, "-w", "10") == {("fs:2", 0): "??██tt██░░"}


def test_an_older_folder_does_not_tell_the_cost(kov, costly, tmp_path):
    recorded(kov, costly)
    metadata = tmp_path / "trace" / "metadata"
    text = metadata.read_bytes()
    assert text.count(b"STATE:monitor_cost") == 1
    metadata.write_bytes(text.replace(b"STATE:monitor_cost", b"STATE:monitor_past"))
    refused = kov("monitor", "show", "trace", "--compensate")
    assert refused.code == 1 and "does not tell" in refused.err


def test_without_records_there_is_nothing_to_compensate(kov, costly):
    costly.records = {}
    recorded(kov, costly)
    document = compensated(kov)
    assert document["compensated"] == document["threads"] == []
    assert document["to_ticks"] == BEGIN + 10 * MS


# ---- sensors -----------------------------------------------------------------------------------

SENSORS = """\
static const struct { unsigned long number; char name[24]; } names[]
    __attribute__((section(".sensor_names"), used)) = {{3, "phase"}, {255, "pass\\xc3\\xa9"}};
void _start(void) {}
"""


@pytest.fixture(name="programs")
def folder_of_a_program_with_sensors(tmp_path):
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "fs.c").write_text(SENSORS)
    subprocess.run([CROSS + "gcc", "-g", "-nostdlib", "-static", "-o", folder / "fs.elf",
                    folder / "fs.c"], check=True)
    return folder


def test_names_of_sensors_stand_in_the_recording(kov, watched, programs, tmp_path):
    """Also where only a later part is shown, and where the program's file is no longer there."""
    watched.records = {0: ([record(ms, 1, 7, reason=number, kind=SENSOR)
                            for ms, number in ((2, 3), (3, 255), (4, 4), (5, 3))], 0)}
    recorded(kov, watched, "-p", "2", "-e", "sensor", "--programs", programs)
    nowhere = tmp_path / "nowhere"
    nowhere.mkdir()
    for options, expected in (((), {"phase": 2, "passé": 1, "sensor 4": 1}),
                              (("--from", "+0.0035"), {"phase": 1, "sensor 4": 1})):
        done = kov("monitor", "show", "trace", "--json", "--programs", nowhere, *options)
        assert done.code == 0, done.err
        assert {row["name"]: row["count"] for row in done.json["sensors"]} == expected


def test_a_program_without_a_file_is_recorded_all_the_same(kov, watched, tmp_path):
    done = taken(kov, watched, "-p", "2", "--programs", tmp_path)
    assert done.code == 0 and done.err == ""
