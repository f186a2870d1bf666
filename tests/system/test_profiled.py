# SPDX-License-Identifier: MIT
"""scripts/bench-profile on a program that tells its own time: where a nanosecond is an instruction,
both must be one number."""

import os
import re
import subprocess

import pytest

import sanitizers
from machine import BUILD, ROOT

PATIENCE = 600  # seconds


def profile(*arguments):
    return subprocess.run([os.path.join(ROOT, "scripts/bench-profile"), "--build", BUILD,
                           *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=PATIENCE, check=False)


@pytest.mark.skipif(sanitizers.active(), reason="instructions of the plain build")
def test_a_program_has_executed_what_its_time_says():
    done = profile("--program", "fhour", "--args", "44444426552")
    assert done.returncode == 0, done.stderr
    told = re.search(r"positions in ([\d.]+) s", done.stdout)
    (times, instructions), = re.findall(
        r"^ +1 +(\d+) +([\d,]+)\.0  workloads/fhour/main\.c:\d+ and workloads/fhour/main\.c:\d+$",
        done.stdout, re.MULTILINE)
    instructions = int(instructions.replace(",", ""))
    assert times == "1" and abs(instructions / 1e9 - float(told[1])) <= 0.001
    of_programs = done.stdout.split("share  program\n")[1].split("\n\n")[0]
    parts = dict(reversed(line.split()[::2]) for line in of_programs.splitlines())
    assert sum(float(count.replace(",", "")) for count in parts.values()) == instructions
    assert set(parts) >= {"fhour", "kernel"}


@pytest.mark.parametrize("arguments, said", [
    (["--program", "fhoor"], "did you mean fhour?"),
    (["--program", "true"], "time_now() of <user/time.h>"),
    (["--program", "fhour", "--args", "4444442655", "--window", "2"],
     "no window 2: there are 1"),
    (["--program", "fhour", "--args", "x"], "bin/fhour,x ended with status 1"),
    (["--program", "fhour", "--args", "444", "--limit", "1"], "did not end within 1 s"),
    (["--program", "fhour", "ipc.call_cpu_0"], "a line, or --program"),
    ([], "a line, or --program"),
])
def test_what_cannot_be_profiled_is_refused(arguments, said):
    done = profile(*arguments)
    assert done.returncode != 0 and said in done.stderr
    assert "share  program" not in done.stdout
