# SPDX-License-Identifier: MIT
"""kov ps, kill, move, regions. Also processes in kov objects, stat, record and report."""

import dci_pb2 as dci
import pytest

from machine import E_NOENT, add_samples


@pytest.fixture
def busy(machine):
    machine.add_processes()
    return machine


def test_ps_lists_processes(kov, busy):
    lines = [line.split() for line in kov("ps", machine=busy).out.splitlines()]
    assert lines[0][:4] == ["PID", "PPID", "STATE", "CPU%"]
    assert lines[1][:5] == ["1", "0", "live", "11.1", "1.00"] and lines[1][-1] == "init"
    assert lines[2][:8] == ["7", "1", "live", "50.0", "2.00", "8000", "70", "0"]


def test_ps_sorts(kov, busy):
    for key, first in (("pid", "init"), ("cpu", "shell"), ("time", "shell"), ("mem", "shell"),
                       ("faults", "shell"), ("name", "init")):
        assert kov("ps", "--sort", key, machine=busy).out.splitlines()[1].split()[-1] == first, key
    assert kov("ps", "--sort", "size", machine=busy).code == 2


def test_ps_over_an_interval(kov, busy):
    processes = kov("ps", "-d", "0.1", "--json", machine=busy).json["processes"]
    assert [one["cpu_percent"] for one in processes] == [0, 0], \
        "nothing happened between the two lists"
    assert processes[1]["memory_bytes"] == 8192000 and processes[1]["object"] == "0x2010"


def test_kill_and_move(kov, busy):
    assert kov("kill", 7, "--status", 9, machine=busy).code == 0
    assert busy.asked("kill")[0].pid == 7 and busy.asked("kill")[0].status == 9
    assert kov("move", 7, 1, machine=busy).code == 0
    assert busy.asked("move")[0].cpu == 1
    for wrong in (["kill"], ["kill", "x"], ["kill", "0"], ["move", "7"], ["regions"]):
        assert kov(*wrong, machine=busy).code == 2, wrong
    busy.errors["kill"] = (E_NOENT, "no such process")
    result = kov("kill", 99, machine=busy)
    assert result.code == 1 and "no such process" in result.err


def test_regions(kov, busy):
    line = kov("regions", 7, machine=busy).out.splitlines()[1].split()
    assert line == ["10000000-10003000", "12", "8", "r-x", "private", "0x2030", "0x2040",
                    "bin/shell"]
    assert kov("regions", 7, "--json", machine=busy).json["regions"][0]["resident_bytes"] == 8192
    assert kov("regions", 9, machine=busy).code == 1


# ---- objects

def test_the_tree_goes_from_machine_to_process_to_objects(kov, busy):
    lines = [line[:60].rstrip() for line in kov("objects", machine=busy).out.splitlines()]
    assert lines[1:4] == ["machine", "|- kernel",
                          "|  |- Kernel(KernelRoot)                        0x1000"[:60].rstrip()]
    shell = lines.index("`- shell:7")
    assert lines[shell + 1] == "   |- in the kernel"
    assert lines[shell + 2].startswith("   |  `- Process(ProcessShared)")
    assert lines[shell + 3].startswith("   |     `- Region(RegionDefault)")
    assert lines[shell + 4] == "   `- in the process"
    assert lines[shell + 5].startswith("      `- Job(JobShared)")
    assert lines[shell + 6].startswith("         `- Job(JobShared)")


def test_one_process_with_both_its_sides(kov, busy):
    result = kov("objects", "--pid", 7, machine=busy)
    assert "init" not in result.out and "Thread(" not in result.out
    assert "Process(" in result.out and "Region(" in result.out and "Job(" in result.out
    assert result.out.splitlines()[-1].split()[0] == "4"
    assert kov("objects", "--pid", 0, "--json", machine=busy).json["count"] == 10


def test_objects_of_processes_are_selected_by_their_process(kov, busy):
    objects = kov("objects", "of shell:7", "--flat", "--json", machine=busy).json["objects"]
    assert [(entry["pid"], entry["coid"]) for entry in objects] == [(7, "0x1000"), (7, "0x1010")]


def test_a_stuck_process_is_told_and_the_rest_is_there(kov, busy):
    busy.stuck.add(1)
    result = kov("objects", machine=busy)
    assert result.code == 0
    assert "init:1  (did not answer within 1 s)" in result.out
    assert "Job(JobShared)" in result.out
    found = {one["name"]: (one["failure"], one["reason"])
             for one in kov("objects", "--json", machine=busy).json["processes"]}
    assert found == {"init": (-9, "did not answer within 1 s"), "shell": (0, None)}


@pytest.mark.parametrize("command", [("stat", "-d", "0.1"), ("record", "-d", "0.1"),
                                     ("top", "-n", "1", "-d", "0.1")],
                         ids=lambda command: command[0])
def test_each_command_tells_why_a_part_is_missing(kov, busy, command):
    busy.stuck.add(1)
    assert "init:1: did not answer within 1 s" in kov(*command, machine=busy).out
    found = kov(*command, "--json", machine=busy).json
    found = found["refreshes"][0] if "refreshes" in found else found
    assert found["failures"] == [{"pid": 1, "process": "init", "error": -9,
                                  "message": "did not answer within 1 s"}]


def test_the_trace_tells_whose_counts_are_missing(kov, busy):
    def answer(session, request):
        session.respond(request, more=True, trace_stat=dci.TraceStatReply(
            stuck=[dci.StuckProcess(pid=7, error=-13,
                                    message="answered nonsense: a record that is cut off")]))
        session.do_trace_stat(request)
    busy.misbehaviour["trace_stat"] = answer
    assert "pid 7: answered nonsense: a record that is cut off" in kov("trace", "stat",
                                                                       machine=busy).out
    found = kov("trace", "stat", "--json", machine=busy).json
    assert found["stuck"] == 1 and found["failures"][0]["pid"] == 7


def test_classes_of_a_process(kov, busy):
    assert [one["class"] for one in kov("classes", "--pid", 7, "--json",
                                        machine=busy).json["classes"]] == ["Job"]


# ---- counting

def test_counts_are_of_processes_and_kernel(kov, busy):
    def reply(session, request):
        first = len(busy.asked("dref_read")) == 1
        for pid, count in ((0, 5), (7, 9)):
            session.respond(request, more=True, dref_read=dci.DrefReadReply(
                begin=1, end=2, pid=pid,
                counts=[dci.DrefCount(coid=0x1000, cpu=0,
                                      invocations=count * (1 if first else 3))]))
        session.respond(request, dref_read=dci.DrefReadReply())

    busy.misbehaviour["dref_read"] = reply
    rows = kov("stat", "-d", "0.1", "--json", machine=busy).json["objects"]
    assert [(row["pid"], row["class"], row["drefs"]) for row in rows] == [(7, "Job", 18),
                                                                          (0, "Kernel", 10)]
    assert busy.asked("dref_enable")[0].scope == dci.SCOPE_ALL


# ---- samples

@pytest.fixture
def sampled(busy):
    kernel = dci.SAMPLE_KERNEL | dci.SAMPLE_ATTRIBUTED
    add_samples(busy, {(0x1000, 0x100): 30}, pid=7, flags=dci.SAMPLE_ATTRIBUTED)
    add_samples(busy, {(0x2010, 0x200): 10}, pid=7, flags=kernel)
    add_samples(busy, {(0x1010, 0x300): 60}, pid=0, flags=kernel)
    return busy


def test_a_report_shows_kernel_objects_under_their_process(kov, sampled):
    assert kov("record", "-d", "0.1", machine=sampled).code == 0
    lines = [line.split() for line in kov("report").out.splitlines()]
    start = lines.index(["OVERHEAD", "SAMPLES", "MASKED", "EVENTS", "+-", "PROCESS", "OBJECT"])
    assert lines[start + 1] == ["60.00", "%", "60", "0", "60000000", "33.26", "%", "kernel"]
    assert lines[start + 3] == ["40.00", "%", "40", "0", "40000000", "40.73", "%", "shell:7"]
    assert lines[start + 4] == ["30.00", "%", "30", "0", "30000000", "47.03", "%", "Job(JobShared)",
                                "0x1000", "of", "shell:7"]
    assert lines[start + 5] == ["10.00", "%", "10", "0", "10000000", "81.46", "%",
                                "Process(ProcessShared)", "0x2010"]


def test_a_report_of_one_process(kov, sampled):
    kov("record", "-d", "0.1", machine=sampled)
    rows = kov("report", "--pid", 7, "--sort", "process,object", "--json").json["tables"][0]["rows"]
    assert [(row["pid"], row["coid_pid"], row["coid"], row["samples"]) for row in rows] == [
        (7, 7, "0x1000", 30), (7, 0, "0x2010", 10)]


def test_pids_to_sample_are_told_to_the_machine(kov, sampled):
    sampled.sampling_stats[0].filtered = 0
    kov("record", "-d", "0.1", "--pid", "7,9", "--except-pid", "1", machine=sampled)
    start = sampled.asked("sampling_start")[0]
    assert list(start.pids) == [7, 9] and list(start.except_pids) == [1]
    for wrong in ("x", "7,", ",".join(str(pid) for pid in range(40))):
        assert kov("record", "--pid", wrong, machine=sampled).code == 2, wrong


def test_samples_that_were_not_asked_for_add_up(kov, sampled):
    sampled.sampling_stats[0].taken += 11
    sampled.sampling_stats[0].filtered = 11
    assert kov("record", "-d", "0.1", "--pid", "7", machine=sampled).code == 0
    assert "11 samples of other processes" in kov("report").out
    sampled.sampling_stats[0].filtered = 10
    assert kov("record", "-d", "0.1", "--pid", "7", machine=sampled).code == 1


def test_programs_without_a_file_are_told_once(kov, sampled):
    kov("record", "-d", "0.1", machine=sampled)
    result = kov("report", "--sort", "function")
    assert result.code == 0
    assert result.err.count("program 'shell'") == 1
    assert "0x100" in result.out


def test_names_pass_whole(kov, machine):
    machine.processes = [dci.Process(pid=7, name="\u00e9t\u00e9<b>\u202egpj;x")]
    shown = kov("ps", machine=machine).out
    assert "\u00e9t\u00e9<b>\\u202egpj;x" in shown and "\u202e" not in shown
    assert kov("ps", "--json", machine=machine).json["processes"][0]["name"] == \
        machine.processes[0].name


def test_characters_that_turn_the_text_are_escaped_wherever_they_are_printed(kov, machine):
    """In a tree, and in a message."""
    machine.processes = [dci.Process(pid=7, name="fs\u202egpj")]
    for shown in (kov("objects", machine=machine), kov("ps", "\u202egpj", machine=machine)):
        assert "\\u202egpj" in shown.out + shown.err and "\u202e" not in shown.out + shown.err
