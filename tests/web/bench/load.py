# SPDX-License-Identifier: MIT
"""The gateway's processor time with 8 machines of 5,000 samples a second and 8 browsers, each of
which watches 8 topics of every machine: load.py [SECONDS]. Judges nothing."""

import contextlib
import json
import os
import pathlib
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve()
ROOT = HERE.parents[3]
BUILD = ROOT / os.environ.get("ORRERY_BUILD", "build")
sys.path[1:1] = [str(ROOT / "tests/viewer"), str(BUILD / "gen/python")]
sys.dont_write_bytecode = True

from browser import Browser, Gateway  # noqa: E402
from busy_machine import BusyMachine  # noqa: E402

MACHINES, BROWSERS, RATE = 8, 8, 5000
TOPICS = [
    {"kind": "status"}, {"kind": "marks"}, {"kind": "objects"},
    {"kind": "heat", "measure": "larx", "seconds": 10},
    {"kind": "ranking", "measure": "run-cycles", "by": "object", "seconds": 10},
    {"kind": "series", "measure": "larx", "of": "m"},
    {"kind": "metric", "metric": "spin contention", "of": "m"},
    {"kind": "metric", "metric": "IPC", "of": "m"},
]


class Watcher(threading.Thread):
    """A browser that takes what it is sent, and looks at states alone."""

    def __init__(self, gateway, names):
        super().__init__(daemon=True)
        self.browser, self.rates, self.frames, self.bytes = Browser(gateway), {}, 0, 0
        topics = [(name, topic) for name in names for topic in TOPICS]
        for number, (name, topic) in enumerate(topics, 1):
            self.browser.say(type="watch", id=number, machine=name, **topic)

    def run(self):
        with contextlib.suppress(OSError, EOFError):
            while True:
                kind, payload = self.browser.message()
                self.bytes += len(payload)
                if kind == 2:
                    self.frames += 1
                    self.browser.say(type="credit", bytes=len(payload))
                elif kind == 1:
                    self.take(json.loads(payload))

    def take(self, message):
        assert message["type"] not in ("error", "refused", "stopped"), message
        if message["type"] == "state" and "rate" in message["data"]:
            self.rates[message["id"]] = message["data"]["rate"]


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def settle(watchers):
    """Until samples of all machines come at their rate, as all browsers are told."""
    while not all(len(one.rates) == MACHINES and min(one.rates.values()) > 0.9 * RATE
                  for one in watchers):
        time.sleep(0.1)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20
    with contextlib.ExitStack() as stack:
        machines = [stack.enter_context(BusyMachine(RATE)) for _ in range(MACHINES)]
        names = [f"m{number}" for number in range(MACHINES)]
        gateway = stack.enter_context(Gateway("--token", "orrery", *(
            word for name, one in zip(names, machines)
            for word in ("-m", f"{name}=127.0.0.1:{one.port}"))))
        watchers = [Watcher(gateway, names) for _ in range(BROWSERS)]
        for one in watchers:
            one.start()
        settle(watchers)
        pid = gateway.process.pid
        begin, used = time.monotonic(), processor_seconds(pid)
        before = sum(one.bytes for one in watchers)
        time.sleep(seconds)  # what is measured
        passed, used = time.monotonic() - begin, processor_seconds(pid) - used
        sent = sum(one.bytes for one in watchers) - before
        rate = sum(watchers[0].rates.values())
    print(f"The gateway: {MACHINES} machines, {BROWSERS} browsers, each {len(TOPICS)} topics of "
          f"every machine")
    print(f"  samples a second      {rate:10,.0f}   asked: {MACHINES * RATE:,}")
    print(f"  to browsers, MB/s     {sent / passed / 1e6:10.1f}")
    print(f"  of a core, %          {100 * used / passed:10.1f}   asked: at most 50")


if __name__ == "__main__":
    main()
