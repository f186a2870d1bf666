# SPDX-License-Identifier: MIT
"""The README's kov commands, one after the other, as they stand there."""

import os
import re
import shlex
import signal
import subprocess

from machine import ROOT
from waiting import PATIENCE

COMMAND = re.compile(r"^build/kov (.*?)(?:\s+#.*)?$", re.MULTILINE)
FOR_EVER = {"top": ["-n", "2", "-d", "1"]}  # what ends them
# What a newcomer sees is not empty, and not all zero.
SHOWS = {"record": r"^[1-9]\d* samples in ", "report": r": [1-9]\d* samples of ",
         "top": r": [1-9]\d* samples in ", "stat": r"^ *[1-9]\d* ",
         "annotate": r": [1-9]\d* samples of ", "locks": r"^ *[1-9][\d.]* % .* ContendedObject",
         "trace": r"\b[1-9]"}


def check_that_it_serves(command, folder):
    """It ends only when it is told to."""
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as gateway:
        assert "http://127.0.0.1:" in gateway.stdout.readline()
        gateway.send_signal(signal.SIGINT)
        assert gateway.wait(PATIENCE) == 0


def check_all(machine, folder, sampled=False):
    """Each of them succeeds on the machine, and says something. Where somebody samples all the
    time, a program cannot profile itself, and says why."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as readme:
        commands = [shlex.split(command) for command in COMMAND.findall(readme.read())]
    assert len(commands) > 10
    for words in commands:
        if words[0] == "serve":
            at_hand = [word.replace("localhost:4242", f"127.0.0.1:{machine.port}")
                       for word in words]
            check_that_it_serves(machine.kov_command(*at_hand, "--listen", "0"), folder)
            continue
        done = subprocess.run(machine.kov_command(*words, *FOR_EVER.get(words[0], [])),
                              cwd=folder, capture_output=True, text=True, timeout=PATIENCE,
                              check=False)
        if sampled and "--profile" in words:
            assert done.returncode == 1 and "somebody else samples" in done.stdout, done
            continue
        assert done.returncode == 0 and done.stdout, (words, done.returncode, done.stderr)
        assert re.search(SHOWS.get(words[0], "."), done.stdout, re.MULTILINE), (words, done.stdout)
