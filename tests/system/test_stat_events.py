# SPDX-License-Identifier: MIT
"""Hardware events through kov, on machines with the model unit and without it."""

import contextlib
import json
import signal
import subprocess

import pytest

from chance import AT_ONCE, certainly, may_be, trials_to_tell
from machine import pid_of
from servers import interrupt, kill, owners, wait_owner, wait_up
from waiting import PATIENCE, wait_for


def counts(result):
    """{(event, mode): its entry}."""
    return {(event["event"], event["mode"]): event for event in result["events"]}


def test_events_are_listed_with_their_counters(modelled):
    events = {event["name"]: event for event in modelled.kov("events")["events"]}
    assert {"instructions", "cycles", "larx", "stcx", "branches", "mispredicted",
            "itlb-miss"} <= set(events)
    assert all(event["meaning"] and bool(event["counters"]) == event["counted"]
               for event in events.values())
    assert not events["run-cycles"]["counted"], "they are sampled only"
    assert not events["instructions"]["modelled"] and events["cycles"]["modelled"]


def test_user_and_kernel_are_the_whole_to_the_instruction(modelled):
    result = modelled.kov("stat", "-e", "instructions,instructions:u,instructions:k",
                          "--", "demo", "seconds=1")
    found = counts(result)
    for cpu in range(2):
        whole, user, kernel = (found["instructions", mode]["cpus"][cpu]
                               for mode in ("all", "user", "kernel"))
        assert whole["measured"] == whole["total"] > 0 and whole["error"] == 0
        assert whole["count"] == user["count"] + kernel["count"]
        assert kernel["count"] > 1000000, "the workload runs in the kernel of each CPU"


def test_counts_of_the_whole_hold_those_of_parts(modelled):
    found, seconds = {}, 2
    while not found or any(entry["measured"] == 0 for entry in found.values()):
        # the busier the host, the less of it is the machine's
        found = counts(modelled.kov("stat", "-e", "branches,taken", "-e",
                                    "instructions,stcx,stcx-failed", "-d", str(seconds)))
        seconds *= 2
    for entry in found.values():
        assert entry["measured"] <= entry["total"]
    assert found["instructions",
                 "all"]["measured"] == found["instructions",
                                             "all"]["total"], "it measures the turns"
    assert found["stcx-failed", "all"]["count"] <= found["stcx", "all"]["count"]


def test_intervals_and_the_rest_are_the_whole(modelled):
    result = modelled.kov("stat", "-e", "instructions,larx", "-I", "200", "--", "demo", "seconds=2")
    assert len(result["intervals"]) >= 1
    for index, whole in enumerate(result["events"]):
        parts = [interval["events"][index]["count"] for interval in result["intervals"]]
        assert all(parts), "something happens in every interval"
        assert sum(parts) <= whole["count"]
    times = [interval["time"] for interval in result["intervals"]]
    assert times == sorted(times) and times[-1] <= result["seconds"]


def test_metrics_are_within_what_they_can_be(modelled):
    result = modelled.kov("stat", "-e", "all", "--slice", "100000", "--", "demo", "seconds=3")
    metrics = {metric["metric"]: metric["value"] for metric in result["metrics"]}
    assert set(metrics) == {"IPC", "lock acquisition", "spin contention", "branch misprediction",
                            "TLB miss rate"}
    assert 0 < metrics.pop("IPC") <= 1, "the model's core completes one instruction a cycle at most"
    assert all(0 <= value <= 100 for value in metrics.values())


def test_one_cpu_can_be_counted(modelled):
    result = modelled.kov("stat", "-e", "instructions", "-C", "1", "-d", "0.5")
    assert [cpu["cpu"] for cpu in result["events"][0]["cpus"]] == [1]


def check_sum_of_parts(whole, parts):
    """The parts are no more than the whole but for their errors, where all are known."""
    errors = [one["error"] for one in [whole, *parts]]
    if None not in errors:
        assert sum(part["count"] for part in parts) <= whole["count"] + certainly(sum(errors)) \
            + len(parts)


def test_rows_of_intervals_have_errors_that_hold(modelled):
    result = modelled.kov("stat", "-e", "instructions", "-e", "branches,taken", "-e",
                          "loads,stores", "--slice", "100000", "-I", "500", "--", "demo",
                          "seconds=4")
    rows = [cpu for interval in result["intervals"] for event in interval["events"]
            for cpu in event["cpus"]]
    whole = [row for row in rows if row["measured"] == row["total"]]
    parts = [row for row in rows if row["measured"] < row["total"] and row["total"] > 50 * 100000]
    assert whole and all(row["error"] in (0, 1)
                         for row in whole), "1: what was read before was a rounded estimate"
    assert all(row["error"] != 0 for row in parts), "what was measured in part may be off"
    # A busy host ends turns late, so that an event may have had one alone: then nothing is known.
    known = [row for row in parts if row["error"] is not None]
    assert known, "turns say how far off they may be"
    assert sum(row["error"] < row["count"] / 2
               for row in known) > len(known) / 2, "which is not far"
    for index, event in enumerate(result["events"]):
        check_sum_of_parts(event, [interval["events"][index] for interval in result["intervals"]])


# ---- processes ---------------------------------------------------------------------------------


def tasks_of(result, **wanted):
    return [task for task in result["tasks"]
            if all(task[key] == value for key, value in wanted.items())]


@contextlib.contextmanager
def working(machine):
    """A process with threads that compute, on its CPUs: its number."""
    with subprocess.Popen(machine.kov_command("run", "work-objects", "600"),
                          stdout=subprocess.DEVNULL) as client:
        try:
            while not any(one["name"].endswith("work-objects")
                          for one in machine.kov("ps")["processes"]):
                assert client.poll() is None
            yield next(one["pid"] for one in machine.kov("ps")["processes"]
                       if one["name"].endswith("work-objects"))
        finally:
            client.terminate()


def let_work(machine, pid, seconds=0.5):
    """Until a process has had its CPUs for so long."""
    def used():
        return next(one["cpu_seconds"] for one in machine.kov("ps")["processes"]
                    if one["pid"] == pid)

    begin = used()
    wait_for(lambda: used() > begin + seconds, "work")


@pytest.mark.parametrize("by", ["--per-process", "--per-thread"])
def test_tasks_add_up_to_the_whole_to_the_instruction(modelled, by):
    with working(modelled) as pid:
        result = modelled.kov("stat", "-e", "instructions,instructions:u,larx", by, "--per-cpu",
                              "-d", "2")
    for index, event in enumerate(result["events"]):
        for cpu in event["cpus"]:
            parts = [task["events"][index]["count"] for task in tasks_of(result, cpu=cpu["cpu"])]
            assert sum(parts) == cpu["count"]
    worker = tasks_of(result, pid=pid)
    assert worker and all("work-objects" in task["name"] for task in worker)
    assert sum(task["events"][1]["count"]
               for task in worker) > result["events"][1]["count"] / 2, "it does most of the work"
    first = [task["events"][0]["count"] for task in result["tasks"] if task["kind"] != "others"]
    assert first == sorted(first, reverse=True)


def test_a_process_that_ends_is_still_told_of(modelled):
    with subprocess.Popen(modelled.kov_command("stat", "-e", "instructions", "--per-process", "-d",
                                               "86400", "--json"),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as counting:
        while not any(client["counting"] for client in modelled.kov("server")["clients"]):
            assert counting.poll() is None
        assert modelled.kov_run("run", "echo", "hello").stdout == "hello\n"
        result = json.loads(interrupt(counting)[0])
    (echo,) = [task for task in tasks_of(result, ended=True) if task["name"].endswith("echo")]
    assert echo["events"][0]["count"] > 1000


def test_only_some_processes_are_counted(modelled):
    with working(modelled) as pid:
        for one in (pid, pid_of(modelled, "net")):
            some = modelled.kov("stat", "-e", "instructions:u,instructions:k", "--per-process",
                                "--pid", str(one), "-d", "1")
            assert some["pids"] == [one]
            check_sum_of_tasks(some)
            assert {task["pid"] for task in some["tasks"] if task["events"][0]["count"]} == {one}


def check_sum_of_tasks(result):
    """All that was counted is the tasks'."""
    for index, event in enumerate(result["events"]):
        assert event["count"] == sum(task["events"][index]["count"] for task in result["tasks"]) > 0


def check_counted_again(machine, pid):
    """As a part of the whole, for the host may be slower than it was before: the process does most
    of what is done."""
    result = machine.kov("stat", "-e", "instructions:u", "--per-process", "-d", "1")
    assert result["excluded"] == []
    own = sum(task["events"][0]["count"] for task in tasks_of(result, pid=pid))
    assert own > result["events"][0]["count"] / 2 > 0


@pytest.mark.parametrize("by", ["--per-process", "--per-thread"])
def test_a_process_is_left_out_and_counted_again(modelled, by):
    with working(modelled) as pid:
        without = modelled.kov("stat", "-e", "instructions:u,instructions:k", "--exclude", str(pid),
                               by, "-d", "1")
        assert without["excluded"] == [pid]
        check_sum_of_tasks(without)
        assert not [task for task in tasks_of(without, pid=pid)
                    if any(event["count"] for event in task["events"])]
        check_counted_again(modelled, pid)


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_however_the_client_ends_all_are_counted_again(modelled, end):
    with working(modelled) as pid:
        with subprocess.Popen(modelled.kov_command("stat", "-e", "larx", "--exclude", str(pid),
                                                   "-d", "600"),
                              stdout=subprocess.DEVNULL) as client:
            while not any(one["counting"] for one in modelled.kov("server")["clients"]):
                assert client.poll() is None
            client.send_signal(end)
            client.wait(PATIENCE)
        while any(one["counting"] for one in modelled.kov("server")["clients"]):
            pass
        check_counted_again(modelled, pid)


# ---- objects -----------------------------------------------------------------------------------

THRESHOLD = 100000


def demo_objects(result):
    """[(work, what is told of its instructions)] of the demo's three objects."""
    report = result["workload"]["report"]
    work = {key.split(".")[1]: int(value)
            for key, value in report.items() if key.startswith("work.")}
    found = {one["coid"]: one for one in result["objects"] if one["pid"] == 0}
    return sorted((share, found[coid]["events"][0]) for coid, share in work.items())


@pytest.mark.parametrize("options", [(), ("--precise",)])
def test_objects_have_the_instructions_of_their_work(modelled, options):
    at_once = 1 if options else AT_ONCE
    enough = trials_to_tell(1 / 7, 2 / 7, at_once)  # one object's share from another's
    for seconds in (4, 16, 64):
        result = modelled.kov("stat", "-e", f"instructions@{THRESHOLD}", "--per-object", *options,
                              "--", "demo", f"seconds={seconds}")
        objects = demo_objects(result)
        total = sum(one["samples"] for _, one in objects)
        if total >= enough:
            break
    assert [work for work, _ in objects] == [1, 2, 4]
    assert total >= enough and result["estimated"]
    for work, one in objects:
        assert one["count"] == one["samples"] * THRESHOLD
        assert may_be(one["samples"], total, work / 7, at_once), objects
    assert sum(one["events"][0]["count"]
               for one in result["objects"]) == result["events"][0]["events"]
    # The share of [idle] is of all, the others' of all that is not idle.
    assert sum(one["events"][0]["share"] for one in result["objects"]
               if one["missing"] != "[idle]") == pytest.approx(100, abs=0.01)


def test_objects_have_metrics(modelled):
    result = modelled.kov("stat", "-e", f"instructions@{THRESHOLD},cycles@{10 * THRESHOLD}",
                          "--per-object", "--", "demo", "seconds=3")
    found = [one for one in result["objects"] if one["metrics"]]
    for one in found:
        instructions, cycles = (event["count"] for event in one["events"])
        assert [(metric["metric"], metric["value"]) for metric in one["metrics"]] == [
            ("IPC", pytest.approx(instructions / cycles, rel=1e-5))]
    busiest = max(found, key=lambda one: one["events"][1]["samples"])
    ipc = busiest["metrics"][0]
    assert 0 < ipc["value"] <= 1 + certainly(ipc["error"]), "one instruction a cycle at most"


def test_what_has_no_room_in_any_turn_is_named(modelled):
    done = modelled.kov_run("stat", *["-e", "larx:u,larx:k"] * 16, "-d", "1", check=False)
    assert done.returncode == 1
    assert "larx" in done.stderr and "only counter" in done.stderr


def test_sessions_share_the_counters_and_end_with_their_clients(modelled):
    """What both count is counted once, what fits no turn at the same time takes turns."""
    others = []
    try:
        for events in ("larx:u", "larx:k", "instructions,loads"):
            others.append(subprocess.Popen(modelled.kov_command("stat", "-e", events, "-d", "600"),
                                           stderr=subprocess.DEVNULL))
            wait_owner(modelled, "counting", len(others))
        together = modelled.kov("stat", "-e", "instructions,larx,stores", "--", "demo",
                                "seconds=2")
        assert all(event["count"] > 0 for event in together["events"]), together
    finally:
        for one in others:
            one.kill()
            one.wait()
    wait_for(lambda: not owners(modelled, "counting"), "nobody to count")
    alone = modelled.kov("stat", "-e", "instructions,larx,stores", "-d", "0.1")
    assert [event["error"] for event in alone["events"]] == [0, 0, 0], alone


def test_a_server_that_dies_ends_its_session(modelled):
    with subprocess.Popen(modelled.kov_command("stat", "-e", "larx", "-d", "600"),
                          stderr=subprocess.DEVNULL) as first:
        try:
            while not any(client["counting"] for client in modelled.kov("server")["clients"]):
                assert first.poll() is None
            pid = kill(modelled, "dci")
            assert first.wait(PATIENCE) == 3
        finally:
            first.kill()
    modelled.wait_console(f"dci (pid {pid}) ended")
    wait_up(modelled, "dci", pid)
    modelled.kov_run("stat", "-e", "larx", "-d", "0.1")


def test_without_the_unit_that_is_said(boot):
    machine = boot("plain").wait_ready()
    assert [(event["name"], event["counted"])
            for event in machine.kov("events")["events"]] == [("run-cycles", False)]
    done = machine.kov_run("stat", "-e", "instructions", "-d", "0.1", check=False)
    assert done.returncode == 2 and "without the model unit" in done.stderr
