# SPDX-License-Identifier: MIT
"""A program's name passes whole: from its file on the host through the kernel to tables, exports,
and traces that babeltrace2 reads."""

import json
import os
import shutil
import subprocess

import pytest

from machine import PROGRAMS
from servers import started
from waiting import PATIENCE

NAME = "été<b>"


@pytest.fixture(name="pid")
def _start(machine2, tmp_path):
    """A process of that name, which works until it is killed."""
    path = tmp_path / NAME
    shutil.copy(os.path.join(PROGRAMS, "work-objects"), path)

    def found():
        return [one["pid"] for one in machine2.kov("ps")["processes"] if one["name"] == NAME]

    with started(machine2, "run", str(path), "86400", "0") as client:
        machine2.wait_for(found, f"a process {NAME}")
        pid, = found()
        yield pid
        machine2.kov_run("kill", str(pid))
        client.communicate(timeout=PATIENCE)


def test_tables_and_exports_have_the_name(machine2, pid, tmp_path):
    assert any(line.endswith(f" {NAME}") for line in machine2.kov_run("ps").stdout.splitlines())
    path = str(tmp_path / "samples.kov")
    machine2.kov_run("record", "-d", "1", "-o", path)
    assert f" {NAME}:{pid}\n" in machine2.kov_run("report", "-i", path).stdout
    stacks = machine2.kov_run("export", "-i", path, "-f", "folded").stdout.splitlines()
    assert any(stack.startswith(f"{NAME}:{pid};") for stack in stacks), stacks
    samples = machine2.kov_run("export", "-i", path, "-f", "perf-script").stdout.splitlines()
    assert any(line.split()[:1] == [NAME] for line in samples if not line.startswith("\t"))


def test_traces_have_the_name(machine2, pid, tmp_path):
    folder, chrome = tmp_path / "trace", tmp_path / "chrome.json"
    machine2.kov_run("trace", "record", "-d", "0.5", "-e", "STATE,SCHED", "-o", str(folder))
    shown = subprocess.run(["babeltrace2", str(folder)], check=True, capture_output=True,
                           timeout=PATIENCE, env={**os.environ, "LC_ALL": "C.UTF-8"})
    assert f'pid = {pid}, name = "{NAME}"' in shown.stdout.decode() and not shown.stderr
    machine2.kov_run("trace", "export", "-f", "chrome", str(folder), "-o", str(chrome))
    names = [one["args"]["name"] for one in json.loads(chrome.read_text())["traceEvents"]
             if one["ph"] == "M" and one["name"] == "process_name"]
    assert f"{NAME} {pid}" in names
    assert f"{NAME}:{pid}" in machine2.kov_run("trace", "threads", "--summary", str(folder)).stdout
