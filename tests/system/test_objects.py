# SPDX-License-Identifier: MIT
"""The object scan as kov shows it, and DREF counts against a workload's own account."""

import collections
import json

import pytest

from waiting import wait_for


def by_coid(machine):
    return {found["coid"]: found
            for found in machine.kov("objects", "--pid", "0", "--flat")["objects"]}


def roots_of(objects):
    """Classes of the objects that no other one names."""
    children = {child for found in objects.values() for child in found["children"]}
    return [objects[coid]["class"] for coid in set(objects) - children], children - set(objects)


def test_services_are_objects_of_one_tree(machine2):
    def scan():
        """None when something was made or ended while the scan was on its way: its parent, or a
        child, was not seen."""
        objects = by_coid(machine2)
        return objects if roots_of(objects) == (["Kernel"], set()) else None

    scanned = wait_for(scan, "a scan in which all objects are one tree")
    classes = {found["class"] for found in scanned.values()}
    assert {"Kernel", "ObjectManager", "Thread", "PageAllocator", "TraceManager",
            "PmuManager"} <= classes, classes


def test_live_counts_of_classes_equal_the_scan(machine2):
    """Objects come and go, also while they are scanned: each class agrees once at least, whenever
    it rests."""
    agreed = set()

    def all_have_agreed():
        live = {(found["class"], found["implementation"]): found["live"]
                for found in machine2.kov("classes")["classes"]}
        scanned = {(found["class"], found["implementation"]): found["objects"]
                   for found in machine2.kov("objects", "--pid", "0")["classes"]}
        agreed.update(name for name in scanned if scanned[name] == live.get(name))
        print({name: (count, live.get(name))
               for name, count in scanned.items() if name not in agreed})
        return len(scanned) > 10 and scanned.keys() <= agreed

    wait_for(all_have_agreed, "counts that equal the scan")


def last_run(machine, number):
    return next(run for run in machine.kov("workload", "list")["runs"] if run["id"] == int(number))


def test_objects_of_a_workload_come_and_go(machine2):
    def demo_objects():
        return machine2.kov("objects", "--flat", "--class", "DemoObject")["count"]

    before = demo_objects()
    run = str(machine2.kov("workload", "start", "demo")["workload"]["id"])
    assert demo_objects() == before + 3
    objects = by_coid(machine2)
    manager = next(found for found in objects.values() if found["class"] == "WorkloadManager")
    assert [objects[child]["class"]
            for child in manager["children"]].count("DemoObject") == before + 3
    told = last_run(machine2, run)
    assert (told["command"], told["running"], told["ended"]) == ("demo", True, None)
    ended = machine2.kov("workload", "stop", run)["workload"]
    told = last_run(machine2, run)
    assert not told["running"] and 0 < told["began"] < told["ended"]
    assert not ended["running"] and ended["result"] == 0 and "rounds" in ended["report"], ended
    machine2.kov_run("workload", "stop", run)  # ended: gives its objects back
    wait_for(lambda: demo_objects() == before, "the end of its objects")


def storm_counts(report):
    return {key.split(".")[1]: int(value)
            for key, value in report.items() if key.startswith("dref.")}


@pytest.mark.parametrize("objects, loops", [(1, 1000), (8, 100000), (32, 20011)])
def test_dref_counts_equal_the_workloads_own(machine4, objects, loops):
    stat = machine4.kov("stat", "--", "dref-storm", f"objects={objects}", f"loops={loops}")
    own = storm_counts(stat["workload"]["report"])
    counted = {row["coid"]: row["drefs"] for row in stat["objects"] if row["coid"] in own}
    assert sum(own.values()) == machine4.cpus * loops
    assert counted == {coid: count for coid, count in own.items() if count > 0}
    misses = {row["misses"] for row in stat["objects"] if row["coid"] in own}
    assert misses == {machine4.cpus}  # the first call on each CPU


def test_patching_under_load_breaks_nothing(machine2):
    """The benchmark `hook` patches a thousand times; here 200, but the trace points too, as a
    viewer would have it."""
    ended = machine2.kov("workload", "run", "patch-storm:rounds=200")["workload"]
    assert ended["result"] == 0, ended
    assert int(ended["report"]["rounds"]) == 200
    assert int(ended["report"]["failed"]) == 0
    assert int(ended["report"]["calls"]) >= 2 * 4 * 200


def classes(machine):
    """How many objects of each class the whole machine has."""
    return collections.Counter(found["class"] for found in by_coid(machine).values())


def churn(machine):
    """Runs it once: the classes before."""
    before = classes(machine)
    ended = machine.kov("workload", "run", "churn:seconds=1")["workload"]
    report = ended["report"]
    assert ended["result"] == 0 and int(report["failed"]) == 0, ended
    assert report["created"] == report["destroyed"] and int(report["created"]) > 1000, report
    return before


def test_churn_leaves_nothing_behind(machine4):
    """A server may grow at any time, by an object that it keeps; after each run it would be one
    more only if runs left them."""
    for _ in range(5):
        before = churn(machine4)
        try:
            # pylint: disable=cell-var-from-loop
            wait_for(lambda: not classes(machine4) - before, "the end of what has come", seconds=30)
            return
        except TimeoutError:
            kept = classes(machine4) - before
    raise AssertionError(f"each run leaves objects behind: {kept}")


def test_bad_workload_commands_say_what_is_wrong(machine2):
    for command, complaint in [("nonesuch", "no workload"),
                               ("demo:work=0-1-2", "list of 3 numbers"),
                               ("demo:x=1", "no such parameter")]:
        done = machine2.kov_run("workload", "start", command, check=False)
        assert done.returncode == 1 and complaint in done.stderr, done


def test_json_and_text_agree(machine2):
    text = machine2.kov_run("objects", "--flat").stdout
    for found in json.loads(machine2.kov_run("--json", "objects", "--flat").stdout)["objects"]:
        if found["class"] == "PageAllocator":
            assert found["coid"] in text and "PageAllocator" in text
