# SPDX-License-Identifier: MIT
"""Samples of processes: object work at 1:3 in two of them, and the kernel's work on their behalf. By instructions, and
far from in step with the work: how much time anything takes is up to the host."""

import pytest

import dci_client as dci
from machine import CONTROLLER, Machine

SECONDS = 5


@pytest.fixture(scope="module", name="machine2")
def boot_with_the_model_unit(tmp_path_factory):
    with Machine(str(tmp_path_factory.mktemp("machine2")), "model2", cpus=2, pmu="model") as machine:
        yield machine.wait_ready()


@pytest.fixture(scope="module", name="recording")
def record_two_processes(machine2, tmp_path_factory):
    """(pids, report by process and object) of two processes that run work-objects."""
    path = str(tmp_path_factory.mktemp("user") / "samples.kov")
    with dci.connect(machine2.port, CONTROLLER) as client:
        pids = [client.start_program("work-objects", SECONDS + 5, cpu)[1] for cpu in range(2)]
        machine2.kov("record", "-o", path, "-e", "instructions", "-c", "100000", "--randomise", "16", "-d", str(SECONDS),
                     "--pid", ",".join(map(str, pids)))
    return pids, path


def rows_of(machine, recording, pid):
    _, path = recording
    return machine.kov("report", "-i", path, "--sort", "process,object", "--pid", str(pid))["tables"][0]["rows"]


def test_only_the_processes_asked_for_are_in_the_recording(machine2, recording):
    pids, path = recording
    rows = machine2.kov("report", "-i", path, "--sort", "process")["tables"][0]["rows"]
    assert {row["pid"] for row in rows} == set(pids)
    assert machine2.kov("report", "-i", path)["filtered"] > 0


def test_work_is_attributed_to_objects_within_three_percent(machine2, recording):
    pids, _ = recording
    for pid in pids:
        samples = {}
        for row in rows_of(machine2, recording, pid):
            for implementation in ("Light", "Heavy"):
                if f"Work({implementation})" in row["object"]:
                    samples[implementation] = row["samples"]
                    assert row["coid_pid"] == pid
        assert sum(samples.values()) > 500, samples
        share = samples["Heavy"] / sum(samples.values())
        assert share == pytest.approx(0.75, abs=0.03), samples


def test_kernel_objects_stand_under_the_process_that_caused_their_work(machine2, recording):
    pids, _ = recording
    for pid in pids:
        kernel = [row for row in rows_of(machine2, recording, pid) if row.get("coid_pid") == 0]
        assert any(row["object"].startswith("Process(") for row in kernel), kernel


def test_functions_of_programs_have_names(machine2, recording):
    _, path = recording
    rows = machine2.kov("report", "-i", path, "--sort", "function")["tables"][0]["rows"]
    names = {row["function"] for row in rows}
    assert {"run", "turn"} & {name.split(" ")[0] for name in names}, names
