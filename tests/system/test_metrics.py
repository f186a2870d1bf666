# SPDX-License-Identifier: MIT
"""What `kov serve --metrics` exposes, as Prometheus' own reader takes it, beside what kov says."""

import urllib.error

import pytest

from waiting import wait_for

METRICS = {"IPC", "lock acquisition", "spin contention", "branch misprediction", "TLB miss rate"}


def refused(exposed, token, url=None):
    with pytest.raises(urllib.error.HTTPError) as error:
        exposed.ask(token, url)
    return error.value.code


def test_only_its_own_token_reads_them(modelled, expose):
    exposed = expose("--metrics", one=modelled.port)
    assert exposed.of("orrery_up", machine="one")
    for token in (None, "", "0" * 32, exposed.token[:-1], exposed.controller):
        assert refused(exposed, token) == 401
    closed = expose(one=modelled.port)
    assert closed.url is None
    for token in (None, exposed.token, closed.controller):
        assert refused(closed, token, f"{closed.origin}/metrics") == 404


def instructions(exposed):
    return sum(exposed.of("orrery_events_total", event="instructions"))


def burn(machine, exposed, turns):
    """By hand: nine instructions a turn (tests/guest/user/test-pmu/tests.h). They are counted up
    to a second later. Where the connection was lost, counts begin anew."""
    before = instructions(exposed)
    machine.kov_run("run", "test-pmu", "burn", f"{turns:08}")
    wait_for(lambda: not before <= instructions(exposed) < before + 9 * turns,
             "they are counted, or begin anew")
    return before < instructions(exposed) < before + 100 * turns


def processes(machine, exposed):
    """Those that both tell alike at about the same time, or None."""
    told = {one["pid"]: one["name"] for one in machine.kov("ps")["processes"]}
    found = exposed.read()
    seconds = found.get("orrery_process_cpu_seconds_total", {})
    names = {int(dict(labels)["pid"]): dict(labels)["name"] for labels in seconds}
    count = found.get("orrery_processes", {}).get((("machine", "one"),))
    return told if names == told and count == len(told) else None


def test_counts_and_processes_are_those_that_kov_tells(modelled, expose):
    exposed = expose("--metrics", one=modelled.port)
    wait_for(lambda: exposed.of("orrery_up", machine="one") == [1], "the machine is up")
    wait_for(lambda: all(burn(modelled, exposed, turns) for turns in (10000000, 20000000)),
             "a program's instructions are counted")
    told = wait_for(lambda: processes(modelled, exposed), "the processes are those of kov ps")
    assert len(told) > 5
    # Of the last second, in which each may have been measured or not.
    wait_for(lambda: exposed.of("orrery_metric", metric="IPC"), "IPC was measured")
    known = {dict(labels)["metric"] for labels in exposed.read().get("orrery_metric", {})}
    assert known <= METRICS, known


def test_the_hot_object_is_exposed(boot, expose):
    machine = boot("hot", cpus=2, pmu="model",
                   append="workload=contention:work=100-1-1-1,pause=60000,seconds=3600"
                   ).wait_ready()
    exposed = expose("--metrics", hot=machine.port)

    def hottest():
        rows = exposed.read().get("orrery_object_events_per_second", {})
        larx = {labels: value for labels, value in rows.items() if ("event", "larx") in labels}
        assert len(larx) <= 20
        return larx and dict(max(larx, key=larx.get))

    def told_by_kov():
        rows = machine.kov("locks", "--period", "10000", "--duration", "3")["objects"]
        most = max((row for row in rows if "coid" in row), key=lambda row: row["samples"],
                   default={"samples": 0})
        return most["samples"] >= 20 and most

    told = wait_for(told_by_kov, "enough samples of contention")
    # Of ten seconds, some of which may have had few samples.
    wait_for(lambda: (hottest() or {}).get("object") == told["coid"], "the object is the hottest")
    assert "ContendedObject" in told["object"]


def test_a_machine_that_is_lost_is_not_up_and_nothing_else(boot, modelled, expose):
    machine = boot("lost", cpus=1).wait_ready()
    exposed = expose("--metrics", lost=machine.port, kept=modelled.port)
    wait_for(lambda: exposed.of("orrery_boot_info", machine="lost"), "the machine is known")
    machine.process.kill()
    machine.process.wait()
    wait_for(lambda: exposed.of("orrery_up", machine="lost") == [0], "the loss")
    of_lost = {name for name, rows in exposed.read().items()
               for labels in rows if ("machine", "lost") in labels}
    assert of_lost == {"orrery_up"}
    machine.start()
    wait_for(lambda: exposed.of("orrery_up", machine="lost") == [1], "it is up again")
    wait_for(lambda: exposed.of("orrery_up", machine="kept") == [1], "the other one is up")
