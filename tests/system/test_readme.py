# SPDX-License-Identifier: MIT
"""The README's kov commands, one after the other, as they stand there."""

import os
import re
import shlex
import subprocess

from machine import ROOT
from waiting import PATIENCE

COMMAND = re.compile(r"^build/kov (.*?)(?:\s+#.*)?$", re.MULTILINE)
FOR_EVER = {"top": ["-n", "2", "-d", "1"]}  # what ends them


def test_every_command_works(boot, tmp_path):
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as readme:
        commands = [shlex.split(command) for command in COMMAND.findall(readme.read())]
    assert len(commands) > 10
    machine = boot(cpus=2, pmu="model").wait_ready()
    for words in commands:
        done = subprocess.run(machine.kov_command(*words, *FOR_EVER.get(words[0], [])),
                              cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE,
                              check=False)
        assert done.returncode == 0 and done.stdout, (words, done.returncode, done.stderr)
