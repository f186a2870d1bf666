# SPDX-License-Identifier: MIT
"""The date: what the firmware's clock was set to, in programs, of files, and in the trace."""

import re
import subprocess
from datetime import datetime, timedelta, timezone

import pytest

from test_block import _disk, _start, power_off  # noqa: F401 # pylint: disable=unused-import

HOURS = timedelta(hours=3)  # more than any test takes


def clock(text):
    """QEMU's clock begins there."""
    return ("-rtc", f"base={text}")


@pytest.mark.parametrize("base", ["1999-12-31T23:59:58", "2000-02-29T12:00:00",
                                  "2031-03-01T00:00:01", "2068-12-31T23:00:00"])
def test_programs_know_the_date(boot, base):
    machine = boot("date", cpus=1, qemu=clock(base)).wait_ready()
    begun = datetime.fromisoformat(base).replace(tzinfo=timezone.utc)
    seconds = int(machine.kov_run("run", "date", "--", "+%s").stdout)
    text = machine.kov_run("run", "date", "--", "+%Y-%m-%dT%H:%M:%S").stdout.strip()
    told = datetime.fromtimestamp(seconds, timezone.utc)
    assert begun <= told <= datetime.fromisoformat(text).replace(tzinfo=timezone.utc) \
        <= begun + HOURS


def test_files_keep_their_dates(start, disk):
    shell = start(disk, cpus=1, qemu=clock("2031-05-06T10:00:00"))
    shell.says("echo old > /data/old")
    assert re.match(r"-rw +4 2031-05-06 1\d:\d\d /data/old$", shell.says("ls -l /data/old"))
    power_off(shell)
    shell = start(disk, cpus=1, qemu=clock("2032-07-08T10:00:00"))
    shell.says("echo new > /data/new")
    assert "2031-05-06" in shell.says("ls -l /data/old")
    assert "2032-07-08" in shell.says("ls -l /data/new")
    shell.says("echo more >> /data/old")
    assert "2032-07-08" in shell.says("ls -l /data/old")


def test_a_trace_has_the_date(boot, tmp_path):
    folder = str(tmp_path / "trace")
    machine = boot("dated", cpus=1, qemu=clock("2031-05-06T10:00:00")).wait_ready()
    machine.kov("trace", "record", "-o", folder, "-e", "sched", "-d", "0.2")
    told = int(machine.kov_run("run", "date", "--", "+%s").stdout)
    shown = subprocess.run(["babeltrace2", "--clock-seconds", folder], check=True,
                           capture_output=True, text=True)
    times = [float(re.match(r"\[(\d+\.\d+)\]", line)[1]) for line in shown.stdout.splitlines()]
    begun = datetime(2031, 5, 6, 10, tzinfo=timezone.utc).timestamp()
    assert shown.stderr == "" and begun <= times[0] <= times[-1] <= told + 1


def test_a_trace_names_the_kernel_that_it_is_of(boot, tmp_path):
    """So that names of functions are told from another's."""
    folder = tmp_path / "trace"
    machine = boot("named", cpus=1).wait_ready()
    machine.kov("trace", "record", "-o", str(folder), "-e", "lock", "-d", "0.2")
    build_id = machine.kov("hello")["system"]["build_id"]
    assert f'kernel_build_id = "{build_id}"' in (folder / "metadata").read_text()
    assert machine.kov_run("trace", "locks", str(folder)).stderr == ""
