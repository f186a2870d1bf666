# SPDX-License-Identifier: MIT
"""Traces of storms of events, recorded with kov and read with babeltrace2: nothing is lost
uncounted or out of order."""

import json
import os
import re
import signal
import subprocess
from collections import Counter

import pytest

import ctf
from machine import ROOT
from servers import interrupt, owners, wait_owner
from waiting import PATIENCE, wait_for

pytestmark = pytest.mark.long

SAMPLES_BEGUN = 200000  # bytes of a recording: more than is written before the first samples
with open(os.path.join(ROOT, "trace/events/state.def"), encoding="utf-8") as described:
    STATES = set(re.findall(r"event\(STATE, \d+, (\w+)", described.read()))
STATES_MOST = 10000  # of a machine that has just begun


def own_counts(workload, key):
    return {int(name.split(".")[1]): int(value) for name, value in workload["report"].items()
            if name.startswith(f"{key}.")}


def record_storm(machine, folder, *options, events, mode="discard", majors="test0"):
    """--all: a timer of the storm may fire while its CPU runs for the monitor."""
    return machine.kov("trace", "record", "-o", str(folder), "-e", majors, "--mode", mode, "--pid",
                       "0", "--all", "--", "trace-storm", f"events={events}", *options)


def check_storm(recorded, folder, names=None):
    """Counts of the machine, the workload and babeltrace2 agree, CPU by CPU."""
    emitted = own_counts(recorded["workload"], "emitted")
    summary, complaints = ctf.read(folder)
    for cpu in recorded["cpus"]:
        number = cpu["cpu"]
        states = cpu["logged"] + cpu["discarded"] - emitted[number]
        seen = sum(summary.by_place[number, name] for name in STATES)
        # What a recording begins with is overwritten first.
        assert states == seen or seen < states < STATES_MOST and cpu["overwritten"] > 0, cpu
        assert cpu["received"] + cpu["overwritten"] == cpu["logged"], cpu
        assert summary.by_cpu[number] == cpu["received"], (cpu, summary.by_cpu)
        assert cpu["missing_packets"] == 0 or cpu["overwritten"] > 0, cpu
    assert summary.backwards == 0
    assert not summary.strange, summary.strange[:5]
    tests = {f"test{words}" for words in range(5)}
    assert set(summary.by_name) <= tests | STATES | set(names or ())
    return summary, complaints


def without_discards(complaints):
    """babeltrace2 tells of discarded events, as it should; everything else would be a complaint."""
    return [line for line in complaints.splitlines() if line and "iscarded" not in line]


@pytest.fixture(scope="module", name="roomy")
def boot_with_large_buffers(tmp_path_factory):
    """4 CPUs, buffers of 32 MB each: a million events of 0 to 4 words fit."""
    from machine import Machine
    with Machine(str(tmp_path_factory.mktemp("roomy")), "roomy", cpus=4, mem="1G",
                 append="trace-subbuffers=512") as machine:
        yield machine.wait_ready()


@pytest.mark.parametrize("events", [200000, pytest.param(1000000, marks=pytest.mark.minutes)])
def test_as_many_events_on_each_of_four_cpus(roomy, tmp_path, events):
    recorded = record_storm(roomy, tmp_path / "trace", events=events)
    summary, complaints = check_storm(recorded, tmp_path / "trace")
    assert [cpu["discarded"] for cpu in recorded["cpus"]] == [0] * 4
    assert summary.events >= 4 * events and complaints == ""
    assert all(count > 0 for count in own_counts(recorded["workload"], "timer").values())


def test_samples_nest_in_a_storm(roomy, tmp_path):
    """Sampled meanwhile: the performance monitor interrupt emits events between those of threads
    and timers."""
    samples = tmp_path / "samples"
    command = roomy.kov_command("record", "-o", str(samples), "-F", "2000", "-d", "600")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as sampling:
        wait_for(lambda: samples.exists() and samples.stat().st_size > SAMPLES_BEGUN, "samples")
        recorded = record_storm(roomy, tmp_path / "trace", events=100000, majors="test0,sample")
        sampling.send_signal(signal.SIGINT)
        said, complaint = sampling.communicate(timeout=PATIENCE)
        assert sampling.returncode == 0, said + complaint
    summary, complaints = ctf.read(tmp_path / "trace")
    assert complaints == "" and summary.backwards == 0 and not summary.strange, \
        (complaints, summary.strange[:3])
    for cpu, emitted in own_counts(recorded["workload"], "emitted").items():
        assert sum(summary.by_place[cpu, f"test{words}"] for words in range(5)) == emitted
        assert summary.by_place[cpu, "sample"] > 0
        assert summary.by_cpu[cpu] == recorded["cpus"][cpu]["received"] \
            == recorded["cpus"][cpu]["logged"]


def test_small_buffers_discard_and_count(machine4, tmp_path):
    recorded = record_storm(machine4, tmp_path / "trace", events=300000)
    _, complaints = check_storm(recorded, tmp_path / "trace")
    assert not without_discards(complaints), complaints


def test_overwritten_and_kept_are_all(machine4, tmp_path):
    recorded = record_storm(machine4, tmp_path / "trace", "words=4", events=400000,
                            mode="overwrite")
    _, complaints = check_storm(recorded, tmp_path / "trace")
    assert sum(cpu["overwritten"] for cpu in recorded["cpus"]) > 0, recorded["cpus"]
    assert not without_discards(complaints), complaints


@pytest.mark.parametrize("words", range(5))
def test_events_of_each_length(machine2, tmp_path, words):
    recorded = record_storm(machine2, tmp_path / "trace", f"words={words}", "nest=0", events=20000)
    summary, complaints = check_storm(recorded, tmp_path / "trace")
    own = {name: count for name, count in summary.by_name.items() if name not in STATES}
    assert own == {f"test{words}": 40000} and complaints == ""


def test_all_majors_at_once(machine4, tmp_path):
    recorded = machine4.kov("trace", "record", "-o", str(tmp_path / "trace"), "-e", "all", "--pid",
                            "0", "--", "churn:seconds=1")
    summary, complaints = ctf.read(tmp_path / "trace")
    assert {"obj_create", "obj_destroy", "obj_miss",
            "switch"} <= set(summary.by_name), summary.by_name
    assert summary.backwards == 0 and not without_discards(complaints), complaints
    for cpu in recorded["cpus"]:
        assert summary.by_cpu[cpu["cpu"]] == cpu["received"], cpu


@pytest.mark.minutes
def test_ten_million_events_on_one_cpu(boot, tmp_path):
    machine = boot(cpus=1, mem="1G", append="trace-subbuffers=4096").wait_ready()
    recorded = record_storm(machine, tmp_path / "trace", events=10000000)
    cpu = recorded["cpus"][0]
    found, complaints = ctf.count(tmp_path / "trace")
    emitted = own_counts(recorded["workload"], "emitted")[0]
    states = machine.kov("trace", "show", str(tmp_path / "trace"), "-e", "STATE")["shown"]
    assert cpu["logged"] + cpu["discarded"] == emitted + states and emitted >= 10000000, cpu
    assert found == cpu["received"] == cpu["logged"], (found, cpu)
    assert not without_discards(complaints), complaints


def test_the_list_of_events_is_the_images_own(machine2):
    events = machine2.kov("trace", "list")["events"]
    names = [event["name"] for event in events]
    assert len(set(names)) == len(names)
    for wanted in ("SCHED:switch", "OBJ:obj_create", "OBJ:obj_destroy", "OBJ:obj_miss",
                   "MEM:page_alloc", "MEM:page_free", "LOCK:lock_contended", "TIMER:timer_fire",
                   "IRQ:ipi_send", "NET:net_receive", "DCI:dci_request", "PMU:sample",
                   "EXC:exc_enter"):
        assert wanted in names, names
    for event in events:
        assert event["format"].count("%") == event["fields"], event


def test_streams_of_kernel_and_processes_merge_in_time_order(machine2, tmp_path):
    """The DCI server's own events come from its process, those of the switches to it from the
    kernel."""
    folder = tmp_path / "trace"
    recorded = machine2.kov("trace", "record", "-o", str(folder), "-d", "2", "--all")
    server = next(one for one in machine2.kov("ps")["processes"] if one["name"] == "dci")
    streams = {path.name for path in folder.iterdir()}
    assert {"metadata", "stream_0",
            "stream_1"} < streams and f"stream_{server['pid']}_0" in streams, streams
    own = next(one for one in recorded["processes"] if one["pid"] == server["pid"])
    assert own["received"] + own["overwritten"] + own["unread"] == own["logged"] > 0, own
    summary, complaints = ctf.read(folder)
    assert summary.backwards == 0 and not summary.strange, summary.strange[:5]
    assert not without_discards(complaints), complaints
    assert {"switch", "dci_request"} <= set(summary.by_name), summary.by_name
    shown = machine2.kov("trace", "show", str(folder))["events"]
    assert Counter((event["cpu"], event["event"].split(":")[1]) for event in shown
                   if event["event"] != "lost") == summary.by_place
    did = machine2.kov("trace", "show", str(folder), "--activity")["intervals"]
    assert {"idle", "run", "fault", "interrupt"} <= {interval["activity"] for interval in did}


def test_a_running_machine_is_followed(machine2):
    """Its events come in the order of time, from both CPUs, and the mask is as it was."""
    mask = machine2.kov("trace", "stat")["mask"]
    shown = machine2.kov("trace", "show", "-n", "3000", "-e", "SCHED,IRQ")
    events = [event for event in shown["events"] if event["event"] != "lost"]
    times = [event["ticks"] for event in events]
    assert len(events) == shown["shown"] == 3000 and times == sorted(times)
    assert {event["cpu"] for event in events} == {0, 1}
    assert {event["event"].split(":")[0] for event in events} <= {"SCHED", "IRQ"}
    assert machine2.kov("trace", "stat")["mask"] == mask


def test_each_recording_has_all_that_a_process_logs_in_it(machine2, tmp_path):
    """The same process begins to number its packets and to count anew with each: the kernel has to
    follow."""
    server = next(one for one in machine2.kov("ps")["processes"] if one["name"] == "fs")
    for number in range(3):
        folder = tmp_path / f"trace{number}"
        command = machine2.kov_command("--json", "trace", "record", "-o", str(folder), "-e",
                                       "obj_create", "--mode", "discard", "-d", "600")
        wait_for(lambda: not owners(machine2, "tracing"), "the one before to be gone")
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as recording:
            wait_owner(machine2, "tracing")
            machine2.kov_run("run", "cp", "/etc/manifest", f"/tmp/{number}")
            said, _ = interrupt(recording)
        own = next(one for one in json.loads(said)["processes"] if one["pid"] == server["pid"])
        assert own["received"] == own["logged"] > 0, (number, own)
