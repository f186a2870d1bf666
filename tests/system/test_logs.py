# SPDX-License-Identifier: MIT
"""Logs for schedulers: the guest's own tests, and the command that shows them."""

import os
import re

import pytest

from machine import ROOT

ROW = re.compile(r"^ *(\d+\.\d{6}) +(\d+) ([a-z-]+) +(\d+) +(\d+) +(-?\d+)$", re.MULTILINE)
DOMAIN = re.compile(r"^domain (\d+): process \d+, (\S+)$", re.MULTILINE)


@pytest.mark.parametrize("cpus, options", [
    (1, ""), (2, ""), pytest.param(4, "", marks=pytest.mark.minutes),
    pytest.param(2, "ipc=slow", marks=pytest.mark.minutes)])
def test_owners_get_what_they_asked_for_and_harm_nobody(boot, cpus, options):
    machine = boot(cpus=cpus, network=False, append=f"init=bin/test-logs trace=none {options}")
    machine.wait_passed("test-logs", 300)


def test_the_example_is_what_the_guest_runs():
    with open(os.path.join(ROOT, "docs/logs.md"), encoding="utf-8") as file:
        example = re.search(r"(?:^    struct log_reader.*\n(?:^    .*\n)+)", file.read(),
                            re.MULTILINE)[0]
    with open(os.path.join(ROOT, "tests/guest/user/test-logs/example.c"), encoding="utf-8") as file:
        assert example in file.read()


def test_calls_are_as_fast_after_logging(boot):
    """All characteristics on and off 1,000 times; time is counted in instructions."""
    machine = boot(cpus=1, network=False, icount=True,
                   append="init=bin/test-logs trace=none -- speed")
    machine.wait_passed("test-logs")


@pytest.mark.parametrize("cpus", [1, 4])
def test_hardware_events_are_those_of_the_session(boot, cpus):
    machine = boot(cpus=cpus, network=False, pmu="model",
                   append="init=bin/test-logs trace=none -- hardware")
    machine.wait_passed("test-logs")


def test_the_command_shows_rows(machine2):
    """Calls of the processes that run and the lengths of queues, in the order of time; nothing else
    is printed."""
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
        assert row[2] == "run-queue" or (row[2] == "call" and row[3] in domains
                                         and row[3] != row[4] and row[5] == "1"), row


def test_the_command_shows_what_is_asked_for(machine2):
    """Both sides of calls and answers, service times."""
    text = machine2.kov_run("run", "logs", "--", "-l", "passing,service,memory", "2").stdout
    rows = ROW.findall(text)
    kinds = {row[2] for row in rows}
    assert {"call", "call-taken", "answer", "answer-taken", "service"} <= kinds, text
    assert "run-queue" not in kinds
    assert all(int(row[5]) > 0 for row in rows if row[2] == "service")


def test_the_command_counts(machine2):
    text = machine2.kov_run("run", "logs", "--", "-c", "2").stdout
    assert re.search(r"^DOMAIN +CALLS +NAME$", text, re.MULTILINE), text


@pytest.mark.parametrize("arguments", [("x",), ("-c",), ("1", "2"), ("-1",), ("-l", "1"),
                                       ("-l", "calls,", "1"), ("-l", "none", "1")])
def test_the_command_refuses(machine2, arguments):
    done = machine2.kov_run("run", "logs", "--", *arguments, check=False)
    assert done.returncode != 0 and "status 2" in done.stderr, done.stderr
    assert done.stdout.startswith("usage: logs"), done.stdout
