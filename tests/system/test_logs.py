# SPDX-License-Identifier: MIT
"""Logs for schedulers: the guest's own tests, and the command that shows them."""

import re

import pytest

RESULT = re.compile(r"^test-logs: (\d+) passed, (\d+) failed$", re.MULTILINE)
ROW = re.compile(r"^ *(\d+\.\d{6}) +(\d+) (call|run-queue) +(\d+) +(\d+) +(\d+)$", re.MULTILINE)
DOMAIN = re.compile(r"^domain (\d+): process \d+, (\S+)$", re.MULTILINE)


@pytest.mark.parametrize("cpus, options", [(1, ""), (4, ""), (2, "ipc=slow")])
def test_owners_get_what_they_asked_for_and_harm_nobody(boot, cpus, options):
    machine = boot(cpus=cpus, network=False, append=f"init=bin/test-logs trace=none {options}")
    status = machine.wait_end()
    result = RESULT.search(machine.console)
    if status != 0 or result is None or result.group(2) != "0" or int(result.group(1)) < 300:
        machine.fail(f"test-logs ended with status {status}")


def test_the_command_shows_rows(machine2):
    """Calls of the processes that run and the lengths of queues, in the order of time; nothing else is printed."""
    text = machine2.kov_run("run", "logs", "--", "2").stdout
    domains = dict(DOMAIN.findall(text))
    rows = ROW.findall(text)
    assert "dci" in domains.values() and "init" in domains.values(), text
    assert re.search(rf"^{len(rows)} rows; lost: rows at 0 places$", text, re.MULTILINE), text
    stamps = [float(row[0]) for row in rows]
    assert stamps == sorted(stamps)
    queues = [row for row in rows if row[2] == "run-queue"]
    assert queues and all(row[3:5] == ("0", "0") for row in queues)
    for row in rows:
        assert row[2] == "run-queue" or (row[3] in domains and row[3] != row[4]
                                         and row[5] == "1"), row


def test_the_command_counts(machine2):
    text = machine2.kov_run("run", "logs", "--", "-c", "2").stdout
    assert re.search(r"^DOMAIN +CALLS +NAME$", text, re.MULTILINE), text


@pytest.mark.parametrize("arguments", [("x",), ("-c",), ("1", "2"), ("-1",)])
def test_the_command_refuses(machine2, arguments):
    done = machine2.kov_run("run", "logs", "--", *arguments, check=False)
    assert done.returncode != 0 and "status 2" in done.stderr, done.stderr
    assert done.stdout.startswith("usage: logs"), done.stdout
