# SPDX-License-Identifier: MIT
"""Machines that run loads of bin/costs while something is measured, inside or by a client
(scripts/costs)."""

import importlib.machinery
import importlib.util
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BOOT_SECONDS = 300
POLL_SECONDS = 0.3      # of the host's time, between two scans of kov
COST = re.compile(r"^COST (\S+) (\d+) (\d+)")
PART = re.compile(r"^PART (\d+)")


def load_bench():
    """The script that measures paths: it knows how results are kept."""
    loader = importlib.machinery.SourceFileLoader("bench", os.path.join(ROOT, "scripts/bench"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench", loader))
    loader.exec_module(module)
    return module


sys.dont_write_bytecode = True
bench = load_bench()


class Impossible(Exception):
    """This build or this machine cannot measure that; says why."""


class Progress:
    """A line for each machine that is booted, and how far we are. boots: how many there will be;
    None: not known."""

    def __init__(self, boots):
        self.boots, self.done, self.start = boots, 0, time.monotonic()

    def step(self, what):
        self.done += 1
        boots = f"/{self.boots}" if self.boots else ""
        seconds = time.monotonic() - self.start
        print(f"[{self.done}{boots}, {seconds:.0f} s] {what}", file=sys.stderr, flush=True)


class Poller(threading.Thread):
    """Asks the machine for all objects, again and again, and counts the answers."""

    def __init__(self, kov, port):
        super().__init__(daemon=True)
        self.command = [kov, "--port", port, "--token", "costs", "objects"]
        self.answers, self.stopping = 0, threading.Event()

    def run(self):
        while not self.stopping.wait(POLL_SECONDS):
            done = subprocess.run(self.command, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, timeout=60, check=False)
            self.answers += done.returncode == 0


class Recorder(threading.Thread):
    """Samples by the events of the five metrics, at the thresholds of S000 §4.3.1, as soon as the
    machine answers and until it ends."""

    def __init__(self, kov, port):
        super().__init__(daemon=True)
        self.command = [kov, "--port", port, "--token", "costs", "record", "--config", "S000",
                        "-d", str(BOOT_SECONDS), "-o"]
        self.answers, self.stopping = 0, threading.Event()

    def run(self):
        with tempfile.TemporaryDirectory() as folder:
            while not self.stopping.wait(POLL_SECONDS):
                subprocess.run(self.command + [os.path.join(folder, "samples.kov")],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               timeout=2 * BOOT_SECONDS, check=False)


def listen(machine, client):
    """Reads the console until the machine ends: ({load: [(ns, events)]}, all of it).

    What a load took is the median of its parts, times their number: now and then one has something
    to do for others.
    """
    costs, console, parts, before = {}, [], [], 0
    for raw in machine.stdout:
        line = raw.replace("\r", "").strip()
        console.append(line)
        if line.startswith("BEGIN "):
            parts, before = [], client.answers if client else 0
        if match := PART.match(line):
            parts.append(int(match[1]))
        if match := COST.match(line):
            nanoseconds = statistics.median(parts) * len(parts) if parts else int(match[2])
            costs.setdefault(match[1], []).append((nanoseconds, client.answers - before if client
                                                   else int(match[3])))
    return costs, console


def run(build, measuring, loads, plugin, processor):
    """Boots a machine of one CPU, on a processor of the host, that runs loads, each once: {load:
    ns}."""
    found = run_all(build, measuring, loads, plugin, False, cpus=1,
                    prefix=("taskset", "--cpu-list", str(processor)))
    return {load: runs[0][0] for load, runs in found.items()}


def run_all(build, measuring, loads, plugin, counted, client=None, program="costs", cpus=2,
            prefix=()):
    """Boots a machine that runs loads, some of them several times: {load: [(ns, events)]}.

    counted: a nanosecond is an instruction, of one CPU. client: Poller or Recorder. prefix: the
    command to start it by.
    """
    port = str(bench.free_port())
    command = bench.qemu(os.path.join(build, "orrery-bench.elf"), "--cpus",
                         "1" if counted else str(cpus), "--pmu", "model" if plugin else "none",
                         *(["--icount"] if counted else []), *(["--port", port] if client else []),
                         "--append", f"run=bin/{program},{measuring},{','.join(loads)} oneshot "
                         "quiet trace=none controller=costs")
    # What the emulator says could come within a line of the console: it is kept apart.
    said = tempfile.TemporaryFile("w+", errors="replace")
    machine = subprocess.Popen([*prefix, *command], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=said, text=True, errors="replace")
    limit = threading.Timer(BOOT_SECONDS, machine.kill)
    asking = client(os.path.join(build, "kov"), port) if client else None
    try:
        limit.start()
        if asking:
            asking.start()
        costs, console = listen(machine, asking)
    finally:
        limit.cancel()
        if asking:
            asking.stopping.set()
        machine.kill()
        machine.wait()
        if asking:
            asking.join()
    cannot = [line for line in console if line.startswith("costs: cannot ")]
    if cannot:
        raise Impossible(cannot[0].removeprefix("costs: "))
    if set(costs) != set(loads):
        said.seek(0)
        print("\n".join(console), "--- emulator:", said.read(), sep="\n")
        bench.fail(f"a machine (costs {measuring} {' '.join(loads)}) ended without a result "
                   f"for {set(loads) - set(costs)}")
    return {load: runs[1:] or runs for load, runs in costs.items()}
