# SPDX-License-Identifier: MIT
"""Sampling by hardware events through kov: several at once, precise or by interrupts, with
thresholds that change."""

import json
import math
import re
import subprocess

import pytest

import dci_client as dci
from chance import AT_ONCE, may_be, may_be_alike, trials_to_tell
from conftest import MODELLED
from machine import CONTROLLER, KERNEL
from servers import interrupt, started, wait_owner
from waiting import PATIENCE, wait_for

INSTRUCTIONS, LARX = 100000, 1000
BOTH = f"instructions@{INSTRUCTIONS},larx@{LARX}"


def record(machine, folder, *options):
    """(what record said, what report says) of the demo workload, in instructions and larx: with so
    many samples of its objects that none may have the share of another."""
    path = str(folder / "samples.kov")
    for seconds in (4, 16, 64):
        recorded = machine.kov("record", "-o", path, "-e", BOTH, *options, "--", "demo",
                               f"seconds={seconds}")
        result = recorded, machine.kov("report", "-i", path)
        if samples_of_demo(result) >= enough(recorded):
            break
    return result


@pytest.fixture(scope="module", name="interrupts")
def record_by_interrupts(pool, tmp_path_factory):
    return record(pool.lend(**MODELLED), tmp_path_factory.mktemp("interrupts"))


@pytest.fixture(scope="module", name="precise")
def record_precisely(pool, tmp_path_factory):
    return record(pool.lend(**MODELLED), tmp_path_factory.mktemp("precise"), "--precise")


@pytest.fixture(name="both", params=["interrupts", "precise"])
def either_recording(request):
    return request.getfixturevalue(request.param)


def event(result, name):
    return next(one for one in result["events"] if one["event"] == name)


def rows(report, name, key):
    return next(table["rows"] for table in report["tables"]
                if (table["event"], table["sort"]) == (name, [key]))


def demo_shares(recorded, reported):
    """[(work, samples)] of the demo's three objects."""
    report = recorded["workload"]["report"]
    work = {key.split(".")[1]: int(value)
            for key, value in report.items() if key.startswith("work.")}
    samples = {row["coid"]: row["samples"] for row in rows(reported, "instructions", "object")
               if "coid" in row}
    return sorted((share, samples[coid]) for coid, share in work.items())


def samples_of_demo(result):
    return sum(samples for _, samples in demo_shares(*result))


def at_once(recorded):
    return 1 if recorded["precise"] else AT_ONCE


def enough(recorded):
    """Samples that tell an object with a seventh of the work from one with two."""
    return trials_to_tell(1 / 7, 2 / 7, at_once(recorded))


def test_every_overflow_is_taken_lost_or_missed(both):
    recorded, reported = both
    for one in recorded["events"]:
        assert one["overflows"] > 0
        for cpu in one["cpus"]:
            assert cpu["overflows"] == cpu["taken"] + cpu["lost"] + cpu["missed"], one
            assert cpu["samples"] == cpu["taken"]
        assert event(reported, one["event"])["samples"] == one["samples"]


def test_precise_samples_are_never_missed(precise):
    assert precise[0]["precise"] and precise[0]["missed"] == 0


def test_instructions_divide_as_the_work(both):
    shares = demo_shares(*both)
    total = samples_of_demo(both)
    assert total >= enough(both[0]), shares
    for work, samples in shares:
        assert may_be(samples, total, work / 7, at_once(both[0])), shares


def test_precise_and_interrupt_mode_agree(interrupts, precise):
    """Of the samples that name one of the three objects, in the same proportions."""
    one, other = ([samples for _, samples in demo_shares(*recording)]
                  for recording in (interrupts, precise))
    for first, second in zip(one, other):
        assert may_be_alike((first, sum(one)), (second, sum(other)), (AT_ONCE, 1)), (one, other)


def test_events_are_samples_times_the_threshold(both):
    recorded, reported = both
    for name, threshold in (("instructions", INSTRUCTIONS), ("larx", LARX)):
        one = event(recorded, name)
        assert one["period"] == threshold and one["events"] == one["samples"] * threshold
        chance = 2.576 * math.sqrt(one["samples"]) * threshold
        unseen = (one["overflows"] - one["taken"]) * threshold  # these may be anywhere
        assert one["events_error"] == pytest.approx(chance + unseen, rel=1e-4)
        for row in rows(reported, name, "object"):
            assert row["events"] == row["samples"] * threshold


def test_estimates_agree_with_a_count_of_the_same_work(exact, tmp_path):
    """The same workload again, counted: instructions an iteration of the demo. Where a cycle is an
    instruction, what happens beside it does not depend on the host, and counting makes hardly any
    of its own."""
    counted = exact.kov("stat", "-e", "instructions", "--", "demo", "seconds=1")
    recorded = exact.kov("record", "-o", str(tmp_path / "x"), "-e", f"instructions@{INSTRUCTIONS}",
                         "--", "demo", "seconds=1")
    reported = exact.kov("report", "-i", str(tmp_path / "x"))

    def iterations(result):
        return sum(int(value) for key, value in result["workload"]["report"].items()
                   if key.startswith("iterations."))

    one = event(recorded, "instructions")
    taken = sum(samples
                for _, samples in demo_shares(recorded, reported)) * one["overflows"] / one["taken"]
    estimate = taken * INSTRUCTIONS / iterations(recorded)
    assert estimate == pytest.approx(counted["events"][0]["count"] / iterations(counted), rel=0.1)


def functions_with_larx():
    """The kernel's, as it is disassembled."""
    text = subprocess.run(["powerpc64-linux-gnu-objdump", "-d", KERNEL], stdout=subprocess.PIPE,
                          text=True, timeout=PATIENCE, check=True).stdout
    return {re.match(r"\.?([^>]+)>:", function)[1] for function in text.split("\n\n")
            for function in function.split(" <", 1)[1:]
            if re.search(r"\tl[bhwd]arx ", function) and re.match(r"\.?([^>]+)>:", function)}


def test_larx_are_found_in_functions_that_take_locks(modelled, tmp_path):
    """To the instruction; an interrupt may come later, in the demo's loop, too. The waiters' loop
    takes one each turn."""
    path = str(tmp_path / "samples.kov")
    run = str(modelled.kov("workload", "start", "demo")["workload"]["id"])
    try:
        modelled.kov("record", "-o", path, "-e", f"larx@{LARX}", "--precise", "--pid", "0", "--",
                     "contention", "seconds=2")
    finally:
        modelled.kov_run("workload", "stop", run)
    report = modelled.kov("report", "-i", path, "--sort", "function")
    functions = {row["function"]: row["samples"] for row in rows(report, "larx", "function")}
    assert "spin_lock_slow" in functions, functions  # its spin_wait is part of it
    assert functions.keys() <= functions_with_larx(), functions


def test_user_and_kernel_are_sampled_by_themselves(modelled, tmp_path):
    path = str(tmp_path / "samples.kov")
    events = f"instructions:u@{INSTRUCTIONS},instructions:k@{INSTRUCTIONS}"
    modelled.kov("record", "-o", path, "-e", events, "--precise", "--", "demo", "seconds=1")
    report = modelled.kov("report", "-i", path, "--sort", "function", "-e", "instructions:k")
    assert [table["mode"] for table in report["tables"]] == ["kernel"]
    assert any(row["function"] == "work_object_spin_inner" for row in report["tables"][0]["rows"])
    user = modelled.kov("report", "-i", path, "--sort", "function", "-e",
                        "instructions:u")["tables"][0]["rows"]
    assert not any(row["function"].startswith("work_object_spin") for row in user)


def test_a_threshold_changes_while_it_runs(modelled, tmp_path):
    """Each sample stands for as many events as the threshold was when it was taken."""
    path = str(tmp_path / "samples.kov")
    run = str(modelled.kov("workload", "start", "demo")["workload"]["id"])
    try:
        command = modelled.kov_command("--json", "record", "-o", path, "-e", "instructions@4000000",
                                       "--precise", "-d", "86400")
        with subprocess.Popen(command,
                              stdout=subprocess.DEVNULL) as recorder, \
                                  dci.connect(modelled.port, CONTROLLER) as client:
            wait_owner(modelled, "sampling")
            wait_for(lambda: client.overflows() > 10)
            modelled.kov_run("threshold", "instructions", "100000")
            assert [one["period"] for one in modelled.kov("threshold")["events"]] == [100000]
            before = client.overflows()
            wait_for(lambda: client.overflows() > 5 * before)
            recorder.terminate()
            assert recorder.wait(PATIENCE) == 0
    finally:
        modelled.kov_run("workload", "stop", run)
    one = event(modelled.kov("report", "-i", path), "instructions")
    assert one["changes"] == 1
    # so many have the new threshold
    late = (one["samples"] * 4000000 - one["events"]) / (4000000 - 100000)
    early = one["samples"] - late
    assert late == int(late) and early > 5 and late >= 4 * early, one


@pytest.mark.parametrize("how", [(), ("--precise",)])
def test_counting_and_sampling_side_by_side(modelled, tmp_path, how):
    """Two that count and one that samples, each right about a program whose events are known."""
    turns, period, slack = 4000000, 1000, 2000
    path = str(tmp_path / "samples.kov")
    long = ("-d", "86400")
    by_process = ("stat", "--per-process", *long, "-e")
    with started(modelled, "--json", *by_process, "larx:u,stores:u") as one, \
            started(modelled, "--json", "record", "-o", path, "-e",
                    f"larx:u@{period},instructions@100000", "--randomise", "0", *how,
                    *long) as samples, \
            started(modelled, "--json", *by_process, "instructions:u,larx:u") as other:
        wait_owner(modelled, "counting", 2)
        wait_owner(modelled, "sampling")
        modelled.kov_run("run", "test-pmu", "burn", f"{turns:08}")
        counted, more, recorded = (json.loads(interrupt(client)[0])
                                   for client in (one, other, samples))

    def own(result):
        (task,) = [task for task in result["tasks"] if task["name"].endswith("test-pmu")]
        assert all(event["error"] == 0 for event in task["events"]), task
        return [event["count"] for event in task["events"]]

    larx, stores = own(counted)
    instructions, again = own(more)
    # By hand: what a turn has (tests/guest/user/test-pmu/tests.h).
    assert turns <= larx <= turns + slack and larx == again, (larx, again)
    assert 2 * turns <= stores <= 2 * turns + 100 * slack, stores
    assert 9 * turns <= instructions <= 9 * turns + 500 * slack, instructions
    (sampled,) = [one for one in recorded["events"] if one["event"] == "larx"]
    assert sampled["overflows"] == sampled["taken"] + sampled["lost"] + sampled["missed"], sampled
    rows_of = modelled.kov("report", "-i", path, "--sort", "process", "-e", "larx:u")
    pid = next(task["pid"] for task in counted["tasks"] if task["name"].endswith("test-pmu"))
    (row,) = [row for row in rows_of["tables"][0]["rows"] if row["pid"] == pid]
    lost = sampled["lost"] + sampled["missed"]
    assert turns / period - 10 - lost <= row["samples"] <= turns / period + 10, (row, sampled)


def test_sampling_that_excludes_what_is_counted_steadily_is_refused_by_name(modelled, tmp_path):
    """What samples keeps its counter: who counts an event that needs the same one is told so."""
    with started(modelled, "--json", "record", "-o", str(tmp_path / "x"), "-e", "larx:u@1000", "-d",
                 "86400") as samples:
        wait_owner(modelled, "sampling")
        refused = modelled.kov_run("stat", "-e", "larx:k", "-d", "0.1", check=False)
        interrupt(samples)
    assert refused.returncode == 1 and "larx:u" in refused.stderr and "larx:k" in refused.stderr
    modelled.kov_run("stat", "-e", "larx:k", "-d", "0.1")


@pytest.mark.parametrize("options",
                         [("-e", "nonsense"), ("-e", "larx@15", "--precise"), ("-e", "larx@999"),
                          ("-e", "larx@2147483648"), ("-e", "run-cycles", "--precise")])
def test_absurd_events_are_refused(modelled, tmp_path, options):
    done = modelled.kov_run("record", "-o", str(tmp_path / "x"), "-d", "0.1", *options, check=False)
    assert done.returncode == 2 and done.stderr.startswith("kov: "), done


def test_without_the_unit_run_cycles_are_there(boot, tmp_path):
    machine = boot("plain").wait_ready()
    done = machine.kov_run("record", "-o", str(tmp_path / "x"), "-e", "larx", "-d", "0.1",
                           check=False)
    assert done.returncode == 2 and "without the model unit" in done.stderr
    assert machine.kov("record", "-o", str(tmp_path / "y"), "-e", "run-cycles", "-d",
                       "1")["samples"] > 0


def test_one_cpu_is_sampled_while_all_are_counted(modelled, tmp_path):
    """Each CPU has the plan of all sessions, and samples only for those that are there."""
    with started(modelled, "--json", "stat", "-e", "larx,stores,instructions", "-d",
                 "86400") as counting:
        wait_owner(modelled, "counting")
        recorded = modelled.kov("record", "-o", str(tmp_path / "x"), "--cpus", "2", "-e",
                                "loads@10000,stores@10000", "--", "dref-storm",
                                "loops=1000000")
        with started(modelled, "--json", "stat", "-e", "loads", "-d", "86400") as more:
            wait_owner(modelled, "counting", 2)
            interrupt(more)
        counted = json.loads(interrupt(counting)[0])
    for one in recorded["events"]:
        assert {cpu["cpu"] for cpu in one["cpus"] if cpu["samples"] > 0} == {1}, one
    assert all(event["count"] > 0 and event["error"] == 0 for event in counted["events"]), counted
