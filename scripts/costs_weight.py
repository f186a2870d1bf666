# SPDX-License-Identifier: MIT
"""What watching weighs on a machine (scripts/costs): instructions a second of the monitor's servers
and of idle CPUs, packets, and the emulator's processor time."""

import collections
import contextlib
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import threading
import time

from costs_machine import BOOT_SECONDS, ROOT, Impossible, Progress, bench

TOKEN = "costs"
SETTLE_SECONDS = 5   # from the start of whoever watches until the measurement
SECONDS = 10         # of a measurement
TRACE_SECONDS = 10
TRACE_HEADER = struct.Struct(">48xQQIIQI4x")  # of a packet, from its size to its count of events
READINGS = (100, 5000)  # ms from one reading of the metrics to the next, of two runs
METRICS = "S000"     # the configuration with the events of the five metrics
# What a page watches when it is opened: its frame, the objects with their heat, the metrics.
TOPICS = [
    {"kind": "status"}, {"kind": "marks"}, {"kind": "objects"}, {"kind": "processes"},
    {"kind": "heat", "measure": "run-cycles", "seconds": 10},
    {"kind": "metric", "metric": "IPC", "of": "m"},
    {"kind": "metric", "metric": "lock acquisition", "of": "m"},
    {"kind": "metric", "metric": "spin contention", "of": "m"},
    {"kind": "metric", "metric": "branch misprediction", "of": "m"},
    {"kind": "metric", "metric": "TLB miss rate", "of": "m"},
]
COLUMNS = ("dci", "net", "idle", "packets in", "packets out", "emulator")


class Machine:
    """A machine of two CPUs with the model unit."""

    def __init__(self, build, load):
        self.kov_path, self.port = os.path.join(build, "kov"), str(bench.free_port())
        command = bench.qemu(os.path.join(build, "orrery.elf"), "--cpus", "2", "--pmu", "model",
                             "--port", self.port, "--append", f"controller={TOKEN} quiet")
        self.said = tempfile.TemporaryFile("w+", errors="replace")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.said,
                                        stderr=subprocess.STDOUT)
        self.load = load

    def __enter__(self):
        try:
            self.wait_until_up()
            self.loading = self.start("stat", "-d", str(BOOT_SECONDS * 10), "--", *self.load) \
                if self.load else None
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise
        return self

    def wait_until_up(self):
        deadline = time.monotonic() + BOOT_SECONDS
        while self.kov("hello", check=False).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.said.seek(0)
                bench.fail(f"the machine does not answer: {self.said.read()[-2000:]}")
            time.sleep(0.2)

    def __exit__(self, *_):
        end(self.loading)
        self.process.kill()
        self.process.wait()

    def command(self, *arguments):
        return [self.kov_path, "--port", self.port, "--token", TOKEN, "--timeout", "60",
                *arguments]

    def kov(self, *arguments, check=True):
        done = subprocess.run(self.command(*arguments), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=BOOT_SECONDS, check=False)
        if check and done.returncode != 0:
            raise Impossible(f"kov {arguments[0]}: {done.stderr.strip()}")
        return done

    def start(self, *arguments):
        return subprocess.Popen(self.command(*arguments), stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)

    def packets(self):
        network = json.loads(self.kov("server", "--json").stdout)["network"]
        return network["received_frames"], network["sent_frames"]

    def processor_seconds(self):
        """Of the emulator, so far."""
        stat = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii")
        fields = stat.rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def weigh(self):
        """{column: amount a second}, while whoever watches now does."""
        packets, used = self.packets(), self.processor_seconds()
        begin = time.monotonic()
        found = json.loads(self.kov("stat", "-e", "instructions", "--per-process", "-d",
                                    str(SECONDS), "--json").stdout)
        passed, used = time.monotonic() - begin, self.processor_seconds() - used
        if self.loading is not None and self.loading.poll() is not None:
            raise Impossible(f"the load ended with status {self.loading.returncode}")
        came, went = (after - before for after, before in zip(self.packets(), packets))
        by_name = collections.Counter()
        for task in found["tasks"]:
            by_name["[idle]" if task["kind"] == "idle" else task["name"]] += \
                task["events"][0]["per_second"] or 0
        return {"dci": by_name["dci"], "net": by_name["net"], "idle": by_name["[idle]"],
                "packets in": came / passed, "packets out": went / passed, "emulator": used
                / passed}


def end(process):
    if process is None or process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


# ---- who watches --------------------------------------------------------------------------------

class Page(threading.Thread):
    """What a browser is to the machine: it watches what a page shows, and takes what it is sent."""

    def __init__(self, browser):
        super().__init__(daemon=True)
        self.browser = browser
        for number, topic in enumerate(TOPICS, 1):
            browser.say(type="watch", id=number, machine="orrery", **topic)

    def run(self):
        with contextlib.suppress(OSError, EOFError, ValueError):
            while True:
                self.browser.hear()


@contextlib.contextmanager
def browsers(machine, count):
    # Those of kov's tests: the program that serves, and a WebSocket to it.
    build = os.environ["ORRERY_BUILD"] = os.path.dirname(os.path.abspath(machine.kov_path))
    sys.path[1:1] = [os.path.join(ROOT, "tests/viewer"), os.path.join(build, "gen/python")]
    try:
        from browser import Browser, Gateway  # pylint: disable=import-outside-toplevel
    except ImportError as why:
        raise Impossible(f"the tests' browser cannot run here: {why}") from why
    finally:
        del sys.path[1:3]
    with contextlib.ExitStack() as stack:
        gateway = stack.enter_context(Gateway("--token", TOKEN, "-m",
                                              f"orrery=127.0.0.1:{machine.port}"))
        for _ in range(count):
            Page(stack.enter_context(Browser(gateway))).start()
        yield


@contextlib.contextmanager
def command(machine, *arguments):
    """A command of kov that goes on until the block ends."""
    with tempfile.TemporaryDirectory() as folder:
        process = machine.start(*(word.replace("@", folder) for word in arguments))
        try:
            yield
            if process.poll() is not None:
                raise Impossible(f"kov {arguments[0]} ended with status {process.returncode}")
        finally:
            end(process)


LONG = str(10 * BOOT_SECONDS)
WATCHERS = {
    "nobody": lambda machine: contextlib.nullcontext(),
    "kov serve": lambda machine: browsers(machine, 0),
    "1 browser": lambda machine: browsers(machine, 1),
    "8 browsers": lambda machine: browsers(machine, 8),
    "kov top": lambda machine: command(machine, "top"),
    "record, 1,000/s": lambda machine: command(machine, "record", "-d", LONG, "-o", "@/a.kov"),
    "record, 2,000/s": lambda machine: command(machine, "record", "-F", "2000", "-d", LONG, "-o",
                                               "@/a.kov"),
}


# ---- what is measured once ----------------------------------------------------------------------

def lost_samples(machine):
    """(taken a second, lost) by a recording of 2,000 samples a second."""
    with tempfile.TemporaryDirectory() as folder:
        found = json.loads(machine.kov("record", "-F", "2000", "-d", str(SECONDS), "--json", "-o",
                                       os.path.join(folder, "a.kov")).stdout)
    cpus = found["cpus"]
    return sum(cpu["taken"] for cpu in cpus) / found["seconds"], sum(cpu["lost"] for cpu in cpus)


def events_of(path):
    """Of a stream of the trace, as its packets' headers say (trace/layout.h)."""
    data, at, events = path.read_bytes(), 0, 0
    while at < len(data):
        size, _, _, _, _, count = TRACE_HEADER.unpack_from(data, at)
        events, at = events + count, at + size // 8
    return events


def live_trace(machine):
    """(bytes, events) of a live trace."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "trace")
        machine.kov("trace", "live", "--lttng", "0", "-d", str(TRACE_SECONDS), "-o", str(trace))
        return sum(path.stat().st_size for path in trace.iterdir()), \
            sum(map(events_of, trace.glob("stream_*")))


def reading_cost(machine):
    """dci's instructions for a reading of the metrics' counts: by reading them more often."""
    found = []
    for interval in READINGS:
        with command(machine, "stat", "--config", METRICS, "-I", str(interval), "-d", LONG):
            time.sleep(SETTLE_SECONDS)
            found.append(machine.weigh()["dci"])
    often, seldom = (1000 / interval for interval in READINGS)
    return (found[0] - found[1]) / (often - seldom)


def once(name, unit, measure, machine, metrics):
    try:
        value = measure(machine)
    except (Impossible, subprocess.TimeoutExpired) as why:
        print(f"{name:<44}{'-':>14}  {why}")
        return
    print(f"{name:<44}{value:>14,.0f}  {unit}")
    metrics.append({"name": f"weight.{name}".replace(" ", "_"), "value": round(value, 1)})


# ---- the tables ---------------------------------------------------------------------------------

def row(machine, state, name, metrics):
    try:
        with WATCHERS[name](machine):
            time.sleep(SETTLE_SECONDS)
            found = machine.weigh()
    except (Impossible, subprocess.TimeoutExpired) as why:
        print(f"{state + ', ' + name:<28}" + f"{'-':>12}" * len(COLUMNS) + f"  {why}", flush=True)
        return
    shown = [f"{found[column] / 1e6:.3f}" for column in COLUMNS[:3]] + \
        [f"{found[column]:.0f}" for column in COLUMNS[3:5]] + [f"{found['emulator'] * 1000:.0f}"]
    print(f"{state + ', ' + name:<28}" + "".join(f"{text:>12}" for text in shown), flush=True)
    metrics.extend({"name": f"weight.{state}.{name}.{column}".replace(" ", "_"),
                    "value": round(value, 4)} for column, value in found.items())


def weight(options):
    print("A second: millions of instructions, packets, ms of the emulator's processor time. The\n"
          "measurement's own connection is in all rows, also in those of nobody.\n")
    heads = ("dci, M", "net, M", "idle, M", "in", "out", "QEMU, ms")
    print(f"{'':<28}" + "".join(f"{head:>12}" for head in heads))
    states = {"idle": (), "loaded": ("contention",)}
    progress, metrics = Progress(len(states)), []
    for state, load in states.items():
        progress.step(f"{state} machine")
        with Machine(options.build, load) as machine:
            for name in WATCHERS:
                row(machine, state, name, metrics)
            if state != "idle":
                continue
            samples = []
            once("idle, a reading of the metrics", "instructions of dci", reading_cost, machine,
                 metrics)
            trace = []
            once(f"idle, trace live, {TRACE_SECONDS} s", "bytes",
                 lambda on: trace.extend(live_trace(on)) or trace[0], machine, metrics)
            if trace:
                once(f"idle, trace live, {TRACE_SECONDS} s, events", "events", lambda _: trace[1],
                     machine, metrics)
            once("idle, record -F 2000", "samples a second",
                 lambda on: samples.extend(lost_samples(on)) or samples[0], machine, metrics)
            if samples:
                once("idle, record -F 2000, lost", "samples", lambda _: samples[1], machine,
                     metrics)
    bench.append_result(options.results, metrics)
