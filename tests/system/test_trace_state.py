# SPDX-License-Identifier: MIT
"""A recording stands by itself: it begins with what there was, as kov finds it by other ways, and
names what comes later."""

import json
from collections import defaultdict

import pytest

import servers
from machine import Machine
from waiting import wait_for

PATIENT = "3600"


@pytest.fixture(scope="module", params=[1, 2, 4], ids=lambda cpus: f"{cpus} CPUs", name="machine")
def _machine(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("state")
    with Machine(str(folder), "state", cpus=request.param) as machine:
        yield machine.wait_ready()


@pytest.fixture(scope="module", name="recording")
def _recording(machine, tmp_path_factory):
    """Of majors that tell of no process by themselves, while one comes and goes."""
    folder = str(tmp_path_factory.mktemp("state") / "trace")

    def all_started():
        """The DCI server answers before the last ones are loaded."""
        listed = machine.kov("ps")["processes"]
        return all(one["dispatchers"] for one in listed if one["pid"] != 0) and listed

    before = wait_for(all_started, "all processes have started")
    objects = machine.kov("objects", "--pid", "0")["objects"]
    recorder = servers.started(machine, "trace", "record", "-o", folder, "-e", "irq", "-d", PATIENT)
    servers.wait_owner(machine, "tracing")
    machine.kov_run("run", "test-hello")
    servers.interrupt(recorder)
    shown = json.loads(machine.kov_run("--json", "trace", "show", folder).stdout)
    assert shown["lost_packets"] == shown["discarded"] == 0
    events = defaultdict(list)
    for event in shown["events"]:
        events[event["event"]].append(event["fields"])
    return folder, before, objects, events


def test_it_begins_with_the_processes(recording):
    _, before, _, events = recording
    names = {event["pid"]: event["name"] for event in events["STATE:process_name"]}
    told = {event["pid"]: event for event in events["STATE:state_process"]}
    for process in before:
        one = told[process["pid"]]
        assert (one["parent"], one["coid"]) == (process["parent"], process["object"])
        assert names[process["pid"]] == process["name"]
        cpus = {event["cpu"] for event in events["STATE:state_dispatcher"]
                if event["pid"] == process["pid"]}
        assert sum(1 << cpu for cpu in cpus) == process["dispatchers"], process
    assert events["STATE:state_end"][0]["processes"] == len(told)


def test_it_begins_with_the_threads(machine, recording):
    """Each is an object of class Thread; each dispatcher has one."""
    _, _, objects, events = recording
    threads = {event["thread"]: event for event in events["STATE:state_thread"]}
    assert events["STATE:state_end"][0]["threads"] == len(threads)
    coids = {event["coid"] for event in threads.values()}
    known = {one["coid"] for one in objects if one["class"] == "Thread"}
    assert known and known <= coids
    assert {event["thread"] for event in events["STATE:state_dispatcher"]} <= threads.keys()
    named = {event["thread"] for event in events["STATE:thread_name"]}
    assert threads.keys() <= named
    cpus = {event["cpu"] for event in threads.values()}
    assert cpus == set(range(machine.kov("hello")["system"]["cpus"]))


def test_it_begins_with_the_objects(recording):
    """What both look at has the same class. Objects of calls come and go; those with children
    stay."""
    _, _, objects, events = recording
    classes = {event["class_id"]: event["name"] for event in events["STATE:class_name"]}
    told = {event["coid"]: classes[event["class_id"]] for event in events["STATE:state_object"]}
    assert events["STATE:state_end"][0]["objects"] == len(told)
    kernels = {one["coid"]: one for one in objects if one["pid"] == 0}
    assert len(kernels.keys() & told.keys()) > 0.9 * len(kernels)
    for coid in kernels.keys() & told.keys():
        assert told[coid] == kernels[coid]["class"]
    children = defaultdict(set)
    for event in events["STATE:state_child"]:
        children[event["parent"]].add(event["child"])
    root = next(one for one in objects if one["class"] == "Kernel")
    assert set(root["children"]) <= children[root["coid"]]


def test_what_comes_later_is_named(recording):
    folder, before, _, events = recording
    later = [event for event in events["STATE:process_name"]
             if event["pid"] not in {process["pid"] for process in before}]
    assert "test-hello" in {event["name"] for event in later}


def test_tools_say_the_names(machine, tmp_path):
    folder = str(tmp_path / "trace")
    machine.kov("trace", "record", "-o", folder, "-e", "sched", "-d", "0.5")
    shares = machine.kov("trace", "sched", folder)["threads"]
    assert {"dci:", "[idle]"} <= {row["process"].rstrip("0123456789") for row in shares}
    assert all(row["process"] == f"{row['name']}:{row['pid']}" for row in shares if row["name"])
    shown = machine.kov("trace", "show", folder, "--where", "name = dci")["events"]
    assert [event["event"] for event in shown] == ["STATE:process_name"]
