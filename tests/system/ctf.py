# SPDX-License-Identifier: MIT
"""Traces as babeltrace2, an independent reader, sees them."""

import re
import subprocess
from collections import Counter

from waiting import PATIENCE

LINE = re.compile(r"^\[(\d+)\] ([\w:]+): .*?cpu_id = (\d+)")


class TraceSummary:
    """Events by CPU and by name, and how often time went back within a CPU."""

    def __init__(self):
        self.by_place = Counter()  # (CPU, name)
        self.backwards = 0
        self.strange = []  # lines that are no event

    def _sum(self, index):
        sums = Counter()
        for place, count in self.by_place.items():
            sums[place[index]] += count
        return sums

    @property
    def by_cpu(self):
        return self._sum(0)

    @property
    def by_name(self):
        return self._sum(1)

    @property
    def events(self):
        return sum(self.by_place.values())


def parse_line(line, summary, last):
    match = LINE.match(line)
    if match is None:
        summary.strange.append(line)
        return
    time, cpu = int(match.group(1)), int(match.group(3))
    summary.by_place[cpu, match.group(2)] += 1
    summary.backwards += time < last.get(cpu, 0)
    last[cpu] = time


def read(folder, timeout=PATIENCE):
    """Reads a whole trace with babeltrace2. Returns (TraceSummary, what babeltrace2 had to say)."""
    summary, last = TraceSummary(), {}
    command = ["babeltrace2", "--clock-cycles", "--no-delta", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", bufsize=1 << 20) as reader:
        for line in reader.stdout:
            parse_line(line, summary, last)
        complaints = reader.stderr.read()
        status = reader.wait(timeout)
    if status != 0:
        complaints += f"\nbabeltrace2 ended with status {status}"
    return summary, complaints


def count(folder, timeout=PATIENCE):
    """How many events babeltrace2 finds in a trace, without printing them. Returns (events, its
    complaints)."""
    done = subprocess.run(["babeltrace2", str(folder), "--component", "sink.utils.counter"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", timeout=timeout, check=False)
    found = re.findall(r"^ *(\d+) Event messages", done.stdout, re.MULTILINE)
    complaints = done.stderr if done.returncode == 0 else f"{done.stderr}\nstatus {done.returncode}"
    return int(found[-1]) if found else 0, complaints
