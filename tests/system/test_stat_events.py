# SPDX-License-Identifier: MIT
"""Hardware events through kov, on machines with the model unit and without it."""

import subprocess

import pytest

from conftest import pid_of


@pytest.fixture(scope="module", name="modelled")
def modelled_machine(tmp_path_factory):
    """A machine with the model unit."""
    from machine import Machine

    with Machine(str(tmp_path_factory.mktemp("modelled")), "modelled", cpus=2, pmu="model") as machine:
        yield machine.wait_ready()


def counts(result):
    """{(event, mode): its entry}."""
    return {(event["event"], event["mode"]): event for event in result["events"]}


def test_events_are_listed_with_their_counters(modelled):
    events = {event["name"]: event for event in modelled.kov("events")["events"]}
    assert {"instructions", "cycles", "larx", "stcx", "branches", "mispredicted", "itlb-miss"} <= set(events)
    assert all(event["counters"] and event["meaning"] for event in events.values())
    assert not events["instructions"]["modelled"] and events["cycles"]["modelled"]


def test_user_and_kernel_are_the_whole_to_the_instruction(modelled):
    result = modelled.kov("stat", "-e", "instructions,instructions:u,instructions:k", "--", "demo", "seconds=1")
    found = counts(result)
    for cpu in range(2):
        whole, user, kernel = (found["instructions", mode]["cpus"][cpu] for mode in ("all", "user", "kernel"))
        assert whole["measured"] == whole["total"] > 0 and whole["error"] == 0
        assert whole["count"] == user["count"] + kernel["count"]
        assert kernel["count"] > 1000000, "the workload runs in the kernel of each CPU"


def test_counts_of_the_whole_hold_those_of_parts(modelled):
    found = counts(modelled.kov("stat", "-e", "branches,taken", "-e", "instructions,stcx,stcx-failed", "-d", "2"))
    for entry in found.values():
        assert 0 < entry["measured"] <= entry["total"]
    assert found["instructions", "all"]["measured"] == found["instructions", "all"]["total"], "it measures the turns"
    assert found["stcx-failed", "all"]["count"] <= found["stcx", "all"]["count"]


def test_intervals_and_the_rest_are_the_whole(modelled):
    result = modelled.kov("stat", "-e", "instructions,larx", "-I", "200", "--", "demo", "seconds=2")
    assert len(result["intervals"]) >= 3
    for index, whole in enumerate(result["events"]):
        parts = [interval["events"][index]["count"] for interval in result["intervals"]]
        assert all(parts), "something happens in every interval"
        assert sum(parts) <= whole["count"]
    times = [interval["time"] for interval in result["intervals"]]
    assert times == sorted(times) and times[-1] <= result["seconds"]


def test_metrics_are_within_what_they_can_be(modelled):
    result = modelled.kov("stat", "-e", "all", "--slice", "100000", "--", "demo", "seconds=3")
    metrics = {metric["metric"]: metric["value"] for metric in result["metrics"]}
    assert set(metrics) == {"IPC", "lock acquisition", "spin contention", "branch misprediction", "TLB miss rate"}
    assert 0 < metrics.pop("IPC") <= 1, "the model's core completes one instruction a cycle at most"
    assert all(0 <= value <= 100 for value in metrics.values())


def test_one_cpu_can_be_counted(modelled):
    result = modelled.kov("stat", "-e", "instructions", "-C", "1", "-d", "0.5")
    assert [cpu["cpu"] for cpu in result["events"][0]["cpus"]] == [1]


def test_what_has_no_room_in_any_turn_is_named(modelled):
    done = modelled.kov_run("stat", *["-e", "larx:u,larx:k"] * 16, "-d", "1", check=False)
    assert done.returncode == 1
    assert "larx" in done.stderr and "only counter" in done.stderr


def test_one_session_that_ends_with_its_client(modelled):
    with subprocess.Popen(modelled.kov_command("stat", "-e", "larx", "-d", "600")) as first:
        try:
            modelled.kov_run("hello")
            while not any(client["counting"] for client in modelled.kov("server")["clients"]):
                assert first.poll() is None
            done = modelled.kov_run("stat", "-e", "larx", "-d", "0.1", check=False)
            assert done.returncode == 1 and "counts already" in done.stderr
        finally:
            first.kill()
    modelled.kov_run("stat", "-e", "larx", "-d", "0.1")


def test_a_server_that_dies_ends_its_session(modelled):
    pid = pid_of(modelled, "dci")
    with subprocess.Popen(modelled.kov_command("stat", "-e", "larx", "-d", "600"), stderr=subprocess.DEVNULL) as first:
        try:
            while not any(client["counting"] for client in modelled.kov("server")["clients"]):
                assert first.poll() is None
            modelled.kov_run("kill", str(pid), check=False)  # its own server: the answer may not come
            assert first.wait(30) == 3
        finally:
            first.kill()
    modelled.wait_console(f"dci (pid {pid}) ended")
    modelled.wait_ready()
    modelled.kov_run("stat", "-e", "larx", "-d", "0.1")


def test_without_the_unit_that_is_said(boot):
    machine = boot("plain").wait_ready()
    assert machine.kov("events")["events"] == []
    done = machine.kov_run("stat", "-e", "instructions", "-d", "0.1", check=False)
    assert done.returncode == 2 and "without the model unit" in done.stderr
