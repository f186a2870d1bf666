# SPDX-License-Identifier: MIT
"""kov stat -e by process and thread, of some processes, and without some."""

import signal
import subprocess
import time

import dci_pb2 as dci
import pytest

from conftest import KOV
from machine import E_INVAL, E_NOTSUP, PATIENCE, counted

ENDED, IDLE, OTHERS = 1, 2, 4


@pytest.fixture(name="busy")
def busy_machine(machine):
    """Returns a machine with processes, and tasks that count."""
    machine.add_processes()
    machine.tasks = {"init": (1, 0, 0, 100), "shell": (7, 0, 0, 400),
                     "gone\x1b": (9, 0, ENDED, 200), "": (0, 0, IDLE, 1),
                     "other": (0, 0, OTHERS, 3000)}
    return machine


def table(result, heading):
    """Returns the rows under the heading, split, up to an empty line."""
    lines = result.out.splitlines()
    begin = next(index for index, line in enumerate(lines) if line.endswith(heading))
    rows = lines[begin + 1:]
    return [row.split() for row in rows[:rows.index("") if "" in rows else len(rows)]]


def test_processes_are_listed_the_most_of_the_first_event_first(kov, busy):
    result = kov("stat", "-e", "larx,cycles", "--per-process", "-d", "0.1", machine=busy)
    assert result.code == 0, result.err
    assert busy.asked("count_start")[0].flags == dci.COUNT_BY_PROCESS
    assert table(result, "PROCESS") == [["1200", "1200", "shell:7"],
                                        ["600", "600", "gone?:9", "(ended)"],
                                        ["300", "300", "init:1"], ["3", "3", "idle"],
                                        ["9000", "9000", "others"]]
    assert "others: those that found no place" in result.out
    assert "36000  larx" in result.out, "the whole is told, too"


def test_metrics_of_each_process_follow(kov, busy):
    busy.task_of = lambda cpu, name, reading: dci.CountTask(pid=busy.tasks[name][0], name=name,
                                                            counts=[
        counted([(1, count)], 1)
        for count in ((10, 40) if name == "shell" else (0, 0) if name == "init" else (30, 60))])
    busy.tasks = {name: busy.tasks[name] for name in ("init", "shell")}
    busy.tasks["make"] = (8, 0, 0, 0)
    result = kov("stat", "-e", "instructions,cycles", "--per-process", "-d", "0.1", machine=busy)
    metrics = result.out.split("IPC PROCESS" if "IPC PROCESS" in result.out
                               else "IPC  PROCESS")[1].splitlines()
    assert [line.split() for line in metrics[1:4]] == [["0.5000", "make:8"], ["0.2500", "shell:7"],
                                                       ["–", "init:1"]]
    found = kov("stat", "-e", "instructions,cycles", "--per-process", "-d", "0.1", "--json",
                machine=busy).json
    assert {task["name"]: [metric["value"] for metric in task["metrics"]]
            for task in found["tasks"]} == {
        "make": [0.5], "shell": [0.25], "init": []}


def test_threads_have_their_numbers(kov, busy):
    busy.tasks = {"shell": (7, 3, 0, 5)}
    result = kov("stat", "-e", "larx", "--per-thread", "-d", "0.1", machine=busy)
    assert busy.asked("count_start")[0].flags == dci.COUNT_BY_THREAD
    assert table(result, "THREAD") == [["15", "shell:7/3"]]


def test_cpus_can_be_told_apart(kov, busy):
    busy.tasks = {"shell": (7, 0, 0, 5), "init": (1, 0, 0, 2)}
    result = kov("stat", "-e", "larx", "--per-process", "--per-cpu", "-d", "0.1", machine=busy)
    assert table(result, "PROCESS") == [
        ["1", "10", "shell:7"], ["0", "5", "shell:7"], ["1", "4", "init:1"], ["0", "2", "init:1"]]


def test_intervals_have_differences(kov, busy):
    result = kov("stat", "-e", "larx", "--per-process", "-I", "100", "-d", "0.5", "--json",
                 machine=busy)
    assert len(result.json["intervals"]) >= 2
    for interval in result.json["intervals"]:
        assert [task["events"][0]["count"] for task in interval["tasks"]] == [1200, 600, 300, 3,
                                                                              9000]
    kinds = [(task["kind"], task["ended"]) for task in result.json["tasks"]]
    assert kinds == [("process", False), ("process", True), ("process", False), ("idle", False),
                     ("others", False)]
    text = kov("stat", "-e", "larx", "--per-process", "-I", "100", "-d", "0.3", machine=busy)
    assert ["2.000", "1200", "shell:7"] in table(text, "PROCESS")


def test_estimates_are_marked(kov, busy):
    def task(cpu, name, reading):
        slices = [(1000, 500)] if name == "shell" else [(250, 125), (250, 125), (500, 250)]
        return dci.CountTask(pid=busy.tasks[name][0], name=name, counts=[
            counted(slices, 2000), counted([], 2000), counted([(2000, 500)], 2000)])

    busy.task_of = task
    busy.tasks = {"shell": (7, 0, 0, 0), "init": (1, 0, 0, 0)}
    result = kov("stat", "-e", "larx,cycles,stcx", "--per-process", "-d", "0.1", machine=busy)
    # Even slices, half of the time: on each CPU 5 rare events, rounded up; of both 8.5.
    assert table(result, "PROCESS") == [
        ["2000", "±", "0.5", "%", "–", "1000", "init:1"], ["~2000", "–", "1000", "shell:7"]]
    assert "~: scaled" in result.out


def test_only_some_processes_count(kov, busy):
    result = kov("stat", "-e", "larx", "--pid", "7,1", "-d", "0.1", machine=busy)
    assert result.code == 0, result.err
    assert busy.asked("count_start")[0].flags == dci.COUNT_BY_PROCESS
    assert result.out.splitlines()[1].split() == ["1500", "larx", "750"]
    assert "Only of shell:7, init:1" in result.out
    assert "PROCESS" not in result.out
    per_cpu = kov("stat", "-e", "larx", "--pid", "7", "--per-cpu", "--per-process", "-d", "0.1",
                  "--json", machine=busy).json
    assert [cpu["count"] for cpu in per_cpu["events"][0]["cpus"]] == [400, 800]
    assert {task["pid"] for task in per_cpu["tasks"]} == {7}
    assert per_cpu["pids"] == [7]
    intervals = kov("stat", "-e", "larx", "--pid", "7", "-I", "100", "-d", "0.4", "--json",
                    machine=busy).json
    assert {interval["events"][0]["count"] for interval in intervals["intervals"]} == {1200}


def test_what_the_kernel_does_for_nobody_can_be_chosen(kov, busy):
    result = kov("stat", "-e", "larx", "--pid", "0", "-d", "0.1", machine=busy)
    assert result.out.splitlines()[1].split()[:2] == ["3", "larx"], "others are not among them"
    assert "Only of the kernel alone" in result.out


def test_processes_are_left_out_for_the_length_of_the_command(kov, busy):
    result = kov("stat", "-e", "larx", "--exclude", "7,1", "-d", "0.1", machine=busy)
    assert result.code == 0, result.err
    order = [request.WhichOneof("body") for request in busy.requests]
    assert order.index("count_exclude") < order.index("count_start") < order.index("count_stop")
    assert order[-1] == "count_exclude"
    assert [list(request.pids) for request in busy.asked("count_exclude")] == [[7, 1], []]
    assert "Left out: init:1, shell:7" in result.out


def test_an_interrupt_takes_them_in_again(busy):
    with subprocess.Popen([KOV, "--port", str(busy.port), "stat", "-e", "larx", "--exclude", "7",
                           "-d", "60"],
                          stdout=subprocess.PIPE, text=True) as running:
        busy.wait_for("count_start")
        assert busy.left_out == [7]
        time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0
    assert "Left out: shell:7" in out
    assert busy.left_out == []


def test_what_cannot_be_counted_leaves_nobody_out(kov, busy):
    busy.errors["count_start"] = (E_INVAL, "no")
    assert kov("stat", "-e", "larx", "--exclude", "7", "-d", "0.1", machine=busy).code == 1
    assert busy.left_out == []


def test_what_others_leave_out_is_told(kov, busy):
    busy.left_out = [9]
    result = kov("stat", "-e", "larx", "-d", "0.1", machine=busy)
    assert "Left out: pid 9" in result.out
    assert kov("stat", "-e", "larx", "-d", "0.1", "--json", machine=busy).json["excluded"] == [9]


@pytest.mark.parametrize("arguments, code, text", [
    (["--pid", "99"], 1, "--pid 99: there is no such process"),
    (["--exclude", "1,99"], 1, "--exclude 99: there is no such process"),
    (["--exclude", "0"], 2, "'0' is no number of a process"),
    (["--pid", "7,"], 2, "'' is no number"),
    (["--pid", "shell"], 2, "'shell' is no number"),
    (["--pid", "7,7"], 2, "twice"),
    (["--pid", "7", "--exclude", "1,7"], 2, "the same process, 7"),
    (["--pid", ",".join(map(str, range(33)))], 2, "at most 32"),
    (["--per-process", "--per-thread"], 2, "either"),
])
def test_wrong_usage_is_told_and_counts_nothing(kov, busy, arguments, code, text):
    result = kov("stat", "-e", "larx", *arguments, machine=busy)
    assert result.code == code
    assert text in result.err
    assert not busy.asked("count_start") and not busy.asked("count_exclude")


@pytest.mark.parametrize("arguments", [["--per-process"], ["--per-thread"], ["--exclude", "7"],
                                       ["--pid", "1,7"]])
def test_objects_have_no_such_options(kov, busy, arguments):
    result = kov("stat", *arguments, machine=busy)
    assert result.code == 2 and "--event" in result.err
    assert not busy.asked("dref_enable")


def test_an_older_machine_is_told(kov, busy):
    busy.errors["count_exclude"] = (E_NOTSUP, "request is not known to this server")
    result = kov("stat", "-e", "larx", "--exclude", "7", "-d", "0.1", machine=busy)
    assert result.code == 1 and "cannot leave processes out" in result.err
    assert not busy.asked("count_start")


def test_tasks_that_were_not_asked_for_are_refused(kov, busy):
    busy.misbehaviour["count_tasks"] = lambda session, request: session.respond(
        request, count_tasks=dci.CountTasksReply(tasks=[dci.CountTask(counts=[dci.Count()] * 3)]))
    assert kov("stat", "-e", "larx", "--per-process", "-d", "0.1", machine=busy).code == 3

    def flood(session, request):
        task = dci.CountTask(counts=[dci.Count()])
        for part in range(5):
            session.respond(request, more=part < 4,
                            count_tasks=dci.CountTasksReply(tasks=[task] * 4000))

    busy.misbehaviour["count_tasks"] = flood
    result = kov("stat", "-e", "larx", "--per-process", "-d", "0.1", machine=busy)
    assert result.code == 3 and "more than" in result.err
