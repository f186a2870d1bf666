# SPDX-License-Identifier: MIT
"""The object scan as kov shows it, and DREF counts against a workload's own account."""

import json

import pytest


def by_coid(machine):
    return {found["coid"]: found for found in machine.kov("objects", "--flat")["objects"]}


def test_services_are_objects_of_one_tree(machine2):
    objects = by_coid(machine2)
    classes = {found["class"] for found in objects.values()}
    assert {"Kernel", "ObjectManager", "Thread", "PageAllocator", "TraceManager", "PmuManager"} <= classes, classes
    children = {child for found in objects.values() for child in found["children"]}
    assert children <= set(objects), children - set(objects)
    roots = [objects[coid] for coid in set(objects) - children]
    assert [root["class"] for root in roots] == ["Kernel"], roots


def test_live_counts_of_classes_equal_the_scan(machine2):
    objects = machine2.kov("objects")
    classes = {found["class"]: found["live"] for found in machine2.kov("classes")["classes"]}
    scanned = {found["class"]: found["objects"] for found in objects["classes"]}
    # The connection that asks may be an object itself, so these come and go.
    stable = {name: count for name, count in scanned.items() if name not in ("DciClient", "DciConnection")}
    assert {name: classes[name] for name in stable} == stable


def test_objects_of_a_workload_come_and_go(machine2):
    def demo_objects():
        return machine2.kov("objects", "--flat", "--class", "DemoObject")["count"]

    before = demo_objects()
    run = str(machine2.kov("workload", "start", "demo")["workload"]["id"])
    assert demo_objects() == before + 3
    objects = by_coid(machine2)
    manager = next(found for found in objects.values() if found["class"] == "WorkloadManager")
    assert [objects[child]["class"] for child in manager["children"]].count("DemoObject") == before + 3
    ended = machine2.kov("workload", "stop", run)["workload"]
    assert not ended["running"] and ended["result"] == 0 and int(ended["report"]["rounds"]) > 0, ended
    machine2.kov_run("workload", "stop", run)  # ended: gives its objects back
    assert demo_objects() == before


def storm_counts(report):
    return {key.split(".")[1]: int(value) for key, value in report.items() if key.startswith("dref.")}


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
    """The benchmark `hook` patches a thousand times; here the trace points too, as a viewer would have it."""
    ended = machine2.kov("workload", "run", "patch-storm:rounds=1000", timeout=240)["workload"]
    assert ended["result"] == 0, ended
    assert int(ended["report"]["rounds"]) == 1000
    assert int(ended["report"]["failed"]) == 0
    assert int(ended["report"]["calls"]) >= 2 * 4 * 1000


def test_churn_leaves_nothing_behind(machine4):
    before = len(by_coid(machine4))
    ended = machine4.kov("workload", "run", "churn:seconds=2")["workload"]
    report = ended["report"]
    assert ended["result"] == 0 and int(report["failed"]) == 0, ended
    assert report["created"] == report["destroyed"] and int(report["created"]) > 1000, report
    assert len(by_coid(machine4)) <= before + 1  # the workload's threads have ended


def test_bad_workload_commands_say_what_is_wrong(machine2):
    for command, complaint in [("nonesuch", "no workload"), ("demo:work=0-1-2", "list of 3 numbers"),
                               ("demo:x=1", "no such parameter")]:
        done = machine2.kov_run("workload", "start", command, check=False)
        assert done.returncode == 1 and complaint in done.stderr, done


def test_json_and_text_agree(machine2):
    text = machine2.kov_run("objects", "--flat").stdout
    for found in json.loads(machine2.kov_run("--json", "objects", "--flat").stdout)["objects"]:
        if found["class"] == "PageAllocator":
            assert found["coid"] in text and "PageAllocator" in text
