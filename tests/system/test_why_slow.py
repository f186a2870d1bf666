# SPDX-License-Identifier: MIT
"""docs/why-slow.md, done: its commands as they stand there, the shape of what they print, and its
change."""

import os
import re
import shlex
import signal
import subprocess

import pytest

import sanitizers
import servers
from machine import ROOT, Machine
from test_extending import BLOCK, PATIENCE, change, copy_build, copy_sources

CONSOLE = re.compile(r"^```(?:console\n(.*?)|(c \S.*?\n.*?))^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"(0x[0-9a-f]+|[-+]?\d[\d.]*(?: (?:us|ms|s)\b)?)")
ANY_NUMBER = r"(?:0x[0-9a-f]+|[-+]?\d[\d.]*(?: (?:us|ms|s))?)"
# "~" stands for a change that may be chance: on a busy host times are so uneven that any may. What
# is counted exactly judges at the end.
CHANGE = re.compile(r"[-+]\d[\d.]* % ± \d[\d.]*|(?<= )~(?= |$)")
ANY_CHANGE = r"(?:[-+]\d[\d.]* % ± \d[\d.]*|~)"
FOR_EVER = {"top": ["-n", "2", "-d", "2"]}  # what ends them
CALLS_ENOUGH = 3000  # of diary: it has written pages
WRITE, TRUNCATE = "fs.write", "fs.truncate"


def shape(line):
    """What a line of that kind matches: any numbers, any blanks; what ends with … goes on
    anyhow."""
    text, goes_on = " ".join(line.split()), line.endswith("…")
    pattern = ANY_CHANGE.join(
        "".join(ANY_NUMBER if i % 2 else re.escape(part) for i, part in enumerate(parts))
        for parts in map(NUMBER.split, CHANGE.split(text.removesuffix("…").rstrip())))
    return re.compile(pattern + ("(?: .*)?" if goes_on else ""))


def check_shape(said, expected, command):
    lines = [" ".join(line.split()) for line in said.splitlines()]
    for line in expected:
        assert line == "…" or any(shape(line).fullmatch(one) for one in lines), \
            (command, line, said)


class Reader:
    """Who does what the page says: in a copy of the sources, with the machine of this test."""

    def __init__(self, machine, root):
        self.machine, self.root, self.diary = machine, root, None

    def processes(self):
        return {one["name"]: one for one in self.machine.kov("ps")["processes"]}

    def starts(self, words):
        assert self.diary is None
        self.diary = servers.started(self.machine, "run", os.path.join(self.root, words[-1]))
        self.machine.wait_for(lambda: "diary" in self.processes(), "the program runs")

    def stops(self):
        program, self.diary = self.diary, None
        program.send_signal(signal.SIGINT)
        program.communicate(timeout=PATIENCE)
        self.machine.wait_for(lambda: "diary" not in self.processes(), "the program has ended")

    def wait_busy(self):
        self.machine.wait_for(lambda: self.processes()["diary"]["calls"] > CALLS_ENOUGH,
                              "the program has made calls")

    def makes(self, words):
        done = subprocess.run(words, cwd=self.root, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False)
        assert done.returncode == 0, done.stdout[-4000:]

    def kov(self, words):
        """What it prints; the page's process is this machine's."""
        if words[0] == "ps":
            self.wait_busy()
        if "--pid" in words:
            words[words.index("--pid") + 1] = str(self.processes()["diary"]["pid"])
        command = self.machine.kov_command(*words, *FOR_EVER.get(words[0], []))
        done = subprocess.run([os.path.abspath(command[0]), *command[1:]], cwd=self.root,
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    def types(self, command, expected):
        words = shlex.split(command)
        if words[0] == "make":
            self.makes(words)
        elif words[1] == "run":
            self.starts(words)
        else:
            assert words[0] == "build/kov"
            check_shape(self.kov(words[1:]), expected, command)

    def reads(self, block):
        """Commands, each with what it prints behind it."""
        for part in re.split(r"^(?=\$ |\^C)", block, flags=re.MULTILINE):
            if part.startswith("^C"):
                self.stops()
            elif part:
                command, *expected = part.removeprefix("$ ").splitlines()
                self.types(command, expected)


def writes_a_page(reader, folder):
    """How many writes there are for each time that the program begins a page."""
    found = reader.machine.kov("trace", "breakdown", os.path.join(reader.root, folder))
    pid, = (row["pid"] for row in found["processes"] if row["name"] == "diary")
    fs, = (row["pid"] for row in found["processes"] if row["name"] == "fs")
    counts = {row["method_name"]: row["count"] for row in found["servers"]
              if (row["server"], row["pid"]) == (fs, pid)}
    return counts[WRITE] / counts[TRUNCATE]


@pytest.mark.long
@pytest.mark.skipif(sanitizers.active(), reason="it builds programs of its own")
def test_the_reason_is_found_and_mended(tmp_path):
    root = str(tmp_path / "orrery")
    copy_sources(root)
    copy_build(os.path.join(root, "build"))
    with open(os.path.join(ROOT, "docs/why-slow.md"), encoding="utf-8") as file:
        page = file.read()
    with Machine(str(tmp_path), "slow", cpus=2) as machine:
        machine.kernel = os.path.abspath(machine.kernel)
        reader = Reader(machine.wait_ready(), root)
        blocks = CONSOLE.findall(page)
        assert len(blocks) > 10
        for console, _ in blocks:
            if console:
                reader.reads(console)
                continue
            changes = BLOCK.findall(page)
            assert len(changes) == 1
            for path, how, where, text in changes:
                change(root, path, how, where, text)
        before, after = (writes_a_page(reader, folder) for folder in ("before", "after"))
        assert before > 600 and after < 3, (before, after)  # a byte each of 1320; all at once
        found = machine.kov("trace", "compare", *(os.path.join(root, folder)
                                                  for folder in ("before", "after")))
        row, = (row for row in found["calls"]
                if (row["server"], row["method_name"]) == ("fs", WRITE))
        assert row["count_percent"] < -50  # whether that is sure depends on how even the host is
        row, = (row for row in found["processes"]
                if (row["process"], row["part"]) == ("diary", "call"))
        assert row["time_percent"] < 0
