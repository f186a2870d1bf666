# SPDX-License-Identifier: MIT
"""Everything at once on 4 CPUs: objects come and go while clients sample, trace and scan. Then nothing is missing.

ORRERY_SOAK_SECONDS sets how long; some seconds by default.
"""

import os
import subprocess
import time

SECONDS = int(os.environ.get("ORRERY_SOAK_SECONDS", "10"))
LEAK_BYTES = 32 << 20  # what caches and grown buffers may keep


def classes(machine):
    return {(found["class"], found["implementation"]): found["live"] for found in machine.kov("classes")["classes"]
            if not found["class"].startswith("Dci")}


def start(machine, folder, *arguments):
    """Starts a kov whose output goes to a file: it may be longer than a pipe holds."""
    said = open(folder / f"{arguments[0]}.out", "w+", encoding="utf-8")
    return subprocess.Popen(machine.kov_command("--json", *arguments), stdout=said, stderr=subprocess.STDOUT), said


def rounds_of_clients(machine, folder, deadline):
    """Samples and traces in turns of some seconds until the deadline; every kov checks its own counts."""
    number = 0
    while time.monotonic() < deadline:
        number += 1
        clients = [
            start(machine, folder, "record", "-o", str(folder / "samples"), "-d", "3", "-F", "1000"),
            start(machine, folder, "trace", "record", "-o", str(folder / f"trace{number}"), "-d", "3",
                  "-e", "sample,obj_create", "--mode", "overwrite"),
            start(machine, folder, "stat", "-d", "3"),
        ]
        while any(client.poll() is None for client, _ in clients):
            machine.kov_run("objects", "--flat")
        for client, said in clients:
            said.seek(0)
            assert client.returncode == 0, (client.args, said.read()[-2000:])
            said.close()
    return number


def test_everything_at_once(boot, tmp_path):
    machine = boot(cpus=4).wait_ready()
    machine.kov("workload", "run", "churn:seconds=1")  # fills the allocators' caches
    warm = tmp_path / "warm"
    warm.mkdir()
    rounds_of_clients(machine, warm, time.monotonic() + 1)  # gives the servers the buffers and threads that this work takes
    time.sleep(1)
    before, free_before = classes(machine), machine.kov("hello")["system"]["free_bytes"]
    runs = [str(machine.kov("workload", "start", name)["workload"]["id"]) for name in ("churn:pause=100", "demo")]
    rounds = rounds_of_clients(machine, tmp_path, time.monotonic() + SECONDS)
    for run in runs:
        ended = machine.kov("workload", "stop", run)["workload"]
        assert ended["result"] == 0 and not ended["running"], ended
        machine.kov_run("workload", "stop", run)
    time.sleep(1)  # what was destroyed last is reclaimed
    assert rounds > 0 and classes(machine) == before
    assert machine.kov("hello")["system"]["free_bytes"] > free_before - LEAK_BYTES
    assert "PANIC" not in machine.console
