# SPDX-License-Identifier: MIT
"""Samples of processes: object work at 1:3 in two of them, and the kernel's work on their behalf.
By instructions, to the very one, and far from in step with the work: how much time anything takes
is up to the host."""

import subprocess

import pytest

import dci_client as dci
from chance import may_be
from conftest import MODELLED
from dci_client import pb
from machine import CONTROLLER
from servers import interrupt, wait_owner
from waiting import wait_for

FOR_EVER = 86400  # seconds
# samples: of each process so many that chance does not move a share by three percent
ENOUGH = 20000


@pytest.fixture(scope="module", name="recording")
def record_two_processes(pool, tmp_path_factory):
    """(pids, report by process and object) of two processes that run work-objects."""
    path = str(tmp_path_factory.mktemp("user") / "samples.kov")
    machine = pool.lend(**MODELLED)
    with dci.connect(machine.port, CONTROLLER) as client:
        pids = [client.start_program("work-objects", FOR_EVER, cpu)[1] for cpu in range(2)]
        command = machine.kov_command("record", "-o", path, "-e", "instructions", "--precise", "-c",
                                      "10007", "--randomise", "12", "-d", "86400", "--pid",
                                      ",".join(map(str, pids)))
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as recording:
            wait_owner(machine, "sampling")
            # each process has a CPU, which a busy host may keep waiting
            wait_for(lambda: min(client.overflows_by_cpu()) > ENOUGH)
            interrupt(recording)
        for pid in pids:
            client.request(kill=pb.KillRequest(pid=pid))
    return pids, path


def rows_of(machine, recording, pid):
    _, path = recording
    return machine.kov("report", "-i", path, "--sort", "process,object", "--pid",
                       str(pid))["tables"][0]["rows"]


def test_only_the_processes_asked_for_are_in_the_recording(modelled, recording):
    pids, path = recording
    rows = modelled.kov("report", "-i", path, "--sort", "process")["tables"][0]["rows"]
    assert {row["pid"] for row in rows} == set(pids)
    assert modelled.kov("report", "-i", path)["filtered"] > 0


def test_work_is_attributed_to_objects(modelled, recording):
    pids, _ = recording
    for pid in pids:
        samples = {}
        for row in rows_of(modelled, recording, pid):
            for implementation in ("Light", "Heavy"):
                if f"Work({implementation})" in row["object"]:
                    samples[implementation] = row["samples"]
                    assert row["coid_pid"] == pid
        assert may_be(samples["Heavy"], sum(samples.values()), 0.75), samples


def test_kernel_objects_stand_under_the_process_that_caused_their_work(modelled, recording):
    pids, _ = recording
    for pid in pids:
        kernel = [row for row in rows_of(modelled, recording, pid) if row.get("coid_pid") == 0]
        assert any(row["object"].startswith("Process(") for row in kernel), kernel


def test_functions_of_programs_have_names(modelled, recording):
    _, path = recording
    rows = modelled.kov("report", "-i", path, "--sort", "function")["tables"][0]["rows"]
    names = {row["function"] for row in rows}
    assert {"run", "turn"} & {name.split(" ")[0] for name in names}, names
