# SPDX-License-Identifier: MIT
"""kov workload and kov poweroff."""

import os
import signal
import subprocess

from conftest import KOV
from machine import PATIENCE, dci


def test_list(kov, machine):
    result = kov("workload", "list", machine=machine)
    assert result.out.splitlines()[1].split() == ["demo", "work=1-2-4,", "seconds=0"]
    assert kov("workload", "list", "--json", machine=machine).json["workloads"][1]["name"] == "idle"


def test_list_has_what_ran_whoever_started_it(kov, machine):
    machine.workload_runs = [
        dci.WorkloadRun(id=3, command="demo:work=1", running=True, began=70),
        dci.WorkloadRun(id=18, command="idle\033[31m", result=-12, began=50, ended=60)]
    lines = kov("workload", "list", machine=machine).out.splitlines()
    assert [line.split() for line in lines[-2:]] == [["3", "running", "demo:work=1"],
                                                     ["18", "ended", "idle?[31m"]]
    runs = kov("workload", "list", "--json", machine=machine).json["runs"]
    assert [(run["ended"], run["error"], run["began"]) for run in runs] == [(None, 0, 70),
                                                                            (60, -12, 50)]


def test_run_waits_for_the_end_and_prints_the_account(kov, machine):
    machine.workload_duration = 3
    result = kov("workload", "run", "demo", "work=1-2", machine=machine)
    assert result.code == 0
    assert result.out.splitlines() == ["workload 7 ended", "  calls 70", "  mode fast"]
    assert len(machine.asked("workload_status")) == 4


def test_run_tells_a_failure(kov, machine):
    machine.workload_result = -12
    result = kov("workload", "run", "demo", machine=machine)
    assert result.code == 1
    assert "input/output error" in result.err


def test_an_interrupt_stops_the_workload(machine, tmp_path):
    machine.workload_duration = 10**9
    command = [KOV, "--port", str(machine.port), "workload", "run", "demo"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    machine.wait_for("workload_status")
    os.kill(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert machine.workload_stopped
    assert "calls 70" in out


def test_start_status_stop(kov, machine):
    machine.workload_duration = 10**9
    assert kov("workload", "start", "demo", "--json", machine=machine).json["workload"]["id"] == 7
    assert "is running" in kov("workload", "status", "7", machine=machine).out
    assert "ended" in kov("workload", "stop", "7", machine=machine).out


def test_a_report_cannot_harm_the_terminal(kov, machine):
    machine.workload_report = "calls \033[31m70\n"
    assert "\033" not in kov("workload", "run", "demo", machine=machine).out


def test_a_command_that_is_too_long_is_wrong_usage(kov, machine):
    assert kov("workload", "run", "demo", "work=" + "1" * 300, machine=machine).code == 2


def test_poweroff(kov, machine):
    assert kov("poweroff", machine=machine).code == 0
    assert len(machine.asked("power_off")) == 1
    assert kov("poweroff", "--json", machine=machine).json == {"powered_off": True}


def test_an_observer_may_not_power_off(kov, machine):
    assert kov("--token", "look", "poweroff", machine=machine).code == 1
