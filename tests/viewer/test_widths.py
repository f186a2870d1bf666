# SPDX-License-Identifier: MIT
"""What every command prints fits the terminal. What a line has no room for is named, and --wide
shows it."""

import itertools
import random
import re
import subprocess

import pytest

import dci_pb2 as dci
import trace_folder
from conftest import KOV
from machine import PATIENCE, add_samples
from terminal import on_terminal
from test_monitors import TURNS
from test_sleep_locks import ENQUEUE, WAKEUP, Logs, log, record
from test_swap import swappable
from trace_folder import HZ
from trace_simulated import Cpu, packets

WIDTHS = (40, 80, 200)
LONG = "a-process-with-a-name-that-is-longer-than-any-column-has-room-for"
TRACE_TOOLS = ("show -n 40", "show --activity", "show -n 3 -e SCHED", "threads",
               "threads --summary", "sched", "waits", "locks", "syscalls", "faults", "idle",
               "profile", "count wake..switch", "breakdown", "compare")
ON_MACHINE = (
    "hello", "ps", "objects", "classes", "events", "stat -d 0.1",
    "stat -e larx,stcx,instructions -d 0.1 --per-cpu --per-process", "stat -e larx -I 100 -d 0.3",
    "config list", "report", "report --sort process,class",
    "top -n 2 -d 0.1", "locks -d 0.1",
    "trace list", "trace stat", "monitor list", "workload list", "kill 99",
    "server", "regions 7", "move 7 1", "workload stop 7", "config show metrics",
    "config load metrics",
    "report -g", "stat -e larx -d 0.1 --per-object", "locks --sleep -d 0.1", "objects --pid 7",
    "export --format folded -o folded", "swap --list", "swap 0x1020 ThreadDistributed",
    "sched", "sched why 7", "sched policy balance", "sched pin 7 0")
# What they say depends on the time, or on what they wrote before: # is a new number.
RECORDING = ("record -d 0.1 -o samples#.kov", "record -e larx,instructions -d 0.1",
             "record -- demo", "stat -- demo", "workload run demo", "workload start demo",
             "trace record -d 0.1 -o recorded#", "trace record -o recorded# -- demo",
             "trace snapshot -o recorded#", "trace record -d 0.1 -o trace",
             "trace export trace -f chrome -o chrome#.json",
             "trace live --lttng 0 -d 0.2 -o recorded#",
             "monitor record -d 0.1 -o monitored# -p 2", "monitor create -p 2",
             "config save mine# -e larx,stcx", "trace set -e none", "poweroff")
FAILING = ("threshold", "trace set", "workload status", "regions 99", "annotate", "nonsense",
           "ps --sort nonsense", "report nowhere", "trace read nowhere:/data/t made",
           "monitor record -p 99", "monitor stop 9", "trace record -o .", "stat -- nonsense",
           "workload run nonsense", "config remove nonsense", "disk format trace",
           "swap 0x1020 Other")
# Their rows depend on the time.
CHANGING = ("top", "stat", "locks")
# They pass what a program prints, or print for a program; or they wait for a browser.
AS_THEY_ARE = {"run", "console", "completion", "serve", "help"}
ON_FOLDER = tuple(f"trace {tool}" for tool in TRACE_TOOLS) + ("monitor show monitored",
                                                              "monitor show monitored --summary")


NUMBERS = itertools.count(1)


@pytest.fixture(name="full")
def _full(running, tmp_path, monkeypatch):
    """A machine with long names, and a folder with a trace of a simulated one."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    running.regions[7] = [dci.Region(address=0x10000000, bytes=0x3000, kind=5, protection=5,
                                     resident_pages=2, object=0x2030, memory=0x2040, name=LONG)]
    swappable(running)
    running.decisions = [dci.SchedDecision(
        time=HZ, number=1, pid=7, name=LONG, policy="balance", to=1, cpus=2,
        lengths=bytes([4, 1, 0, 0, 0, 0, 0, 0] * 5),
        candidates=[dci.SchedCandidate(pid=7, permille=300)])]
    logs = Logs(running)

    def enable(session, request):
        logs.readings = [[log(record(100, ENQUEUE, 3, 1), record(200, WAKEUP, 3, 0))]]
        logs.enable(session, request)

    running.misbehaviour["sleep_locks_enable"] = enable
    running.metadata = trace_folder.metadata()
    running.processes = [dci.Process(pid=2, name="fs"), dci.Process(pid=7, name=LONG)]
    running.monitored = HZ, HZ + HZ // 100
    running.records = {0: (TURNS, 0)}
    chance = random.Random(4)
    add_samples(running, {(0x1010, 0xc000000000000000 + chance.randrange(1 << 20)): 3
                          for _ in range(30)})
    cpus = [Cpu(number, number, 400) for number in (0, 1)]
    trace_folder.write(tmp_path / "trace", {(0, cpu.number): packets(cpu) for cpu in cpus})
    return running


def words(text):
    """What is said, however it is broken: without blanks, numbers and control sequences."""
    text = re.sub(r"\r\033\[K[^\r\n]*(?=\r\033\[K)", "", text)  # progress that is wiped out again
    text = re.sub(r"\033\[[0-9;]*[A-Za-z]|\r", "", text)
    return re.sub(r"[0-9.~±+%–-]+", "", "".join(text.split()))


def steady(text):
    """Without what differs from run to run: columns whose width depends on numbers."""
    return re.sub(r"[0-9.]+", "0", text)


def command(machine, text, *options):
    arguments = text.replace("#", str(next(NUMBERS))).split()
    if arguments[0] == "trace" and f"trace {' '.join(arguments[1:])}" in ON_FOLDER:
        arguments.append("trace")
        if arguments[1] == "compare":
            arguments.append("trace")
    return [KOV, "--port", str(machine.port), "--timeout", "30", *options,
            *arguments]


def needs(text):
    """The recordings that a command reads."""
    return ["record -d 0.1"] if text.split()[0] in ("report", "annotate", "export") \
        else ["monitor record -d 0.1 -o monitored -p 2"] if text.startswith("monitor show") else []


def headings(text):
    """The words of lines that are a table's heading: capital letters only."""
    return {word for line in text.splitlines()
            if re.fullmatch(r"[A-Z# +-][A-Z0-9#→ /%+-]*", line) and len(line.split()) > 1
            for word in line.split() if word.isalpha()}


def piped(machine, tmp_path, text):
    return subprocess.run(command(machine, text), cwd=tmp_path, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=PATIENCE,
                          text=True, check=False).stdout


def check(machine, tmp_path, text, width):
    said, status = on_terminal(width, command(machine, text), tmp_path)
    visible = re.sub(r"\033\[[0-9;]*[A-Za-z]", "", said.replace("\r", "\n"))
    longest = max(visible.split("\n"), key=len)
    assert len(longest) <= width, f"kov {text}, {width} columns: {longest!r}"
    assert (status != 0) == (text in FAILING), f"kov {text}: {said}"
    everything = piped(machine, tmp_path, text)
    if "left out for want of room" not in said and not text.startswith(CHANGING):
        assert words(said) == words(everything), f"kov {text}, {width} columns"
    for heading in headings(everything):
        assert heading in words(said), f"kov {text}, {width} columns: {heading} is not told"


@pytest.mark.parametrize("text", RECORDING + ON_MACHINE + ON_FOLDER + FAILING)
def test_every_command_fits(full, tmp_path, text):
    for need in needs(text):
        subprocess.run(command(full, need), cwd=tmp_path, check=True, capture_output=True)
    for width in WIDTHS:
        check(full, tmp_path, text, width)


def test_no_command_is_forgotten(kov):
    overview = kov("help").out.split("\nOptions of every command:\n")[0]
    names = set(re.findall(r"^  ([a-z]+(?: [a-z]+)?)  +", overview, re.MULTILINE))
    tried = RECORDING + ON_MACHINE + ON_FOLDER + FAILING
    assert len(names) > 50
    assert {name for name in names
            if not any((text + " ").startswith(name + " ") for text in tried)} == AS_THEY_ARE


@pytest.mark.parametrize("text", RECORDING + ON_MACHINE + ON_FOLDER + FAILING)
def test_a_wide_terminal_is_a_pipe(full, tmp_path, text):
    """Nothing is lost, in no narrow terminal: to the letter, but for numbers of what changes."""
    for need in needs(text):
        subprocess.run(command(full, need), cwd=tmp_path, check=True, capture_output=True)
    wide, _ = on_terminal(40, command(full, text, "--wide"), tmp_path)
    everything = piped(full, tmp_path, text)
    if text in RECORDING or text.startswith(CHANGING):
        assert words(wide) == words(everything), text
    else:
        assert steady(wide) == steady(everything), text


def test_every_help_fits(kov, tmp_path):
    overview = kov("help").out.split("\nOptions of every command:\n")[0]
    names = re.findall(r"^  ([a-z]+(?: [a-z]+)?)  +", overview, re.MULTILINE)
    assert len(names) > 50
    for name in ("", *names):
        everything = words(kov("help", *name.split()).out)
        for width in WIDTHS:
            said, status = on_terminal(width, [KOV, "help", *name.split()], tmp_path)
            assert status == 0 and max(map(len, said.split("\n"))) <= width, (name, width)
            assert words(said) == everything, (name, width)


def test_the_least_important_columns_go_first(full, tmp_path):
    said, _ = on_terminal(60, command(full, "ps"), tmp_path)
    assert said.splitlines()[0].split()[:2] == ["PID", "CPU%"]
    assert said.splitlines()[0].split()[-1] == "NAME" and LONG[:20] in said
    told = " ".join(said[said.index("left out"):].split())
    assert told.startswith("left out for want of room: PPID, STATE") and \
        told.endswith("(--wide shows them)")


def test_rows_of_every_table(full, kov):
    all_rows = kov("events", machine=full).out.splitlines()
    few = kov("-n", "3", "events", machine=full).out.splitlines()
    assert few[:4] == all_rows[:4] and few[4:] == [f"{len(all_rows) - 4} rows more"]
    assert len(kov("ps", "-n", "1", machine=full).out.splitlines()) == 3
    assert len(kov("ps", "-n", "1", "--csv", machine=full).out.splitlines()) == 2
    assert len(kov("ps", "-n", "1", "--json", machine=full).json["processes"]) == 2


def test_help_is_grouped_and_common_commands_come_first(kov):
    overview = kov("help").out
    groups = re.findall(r"^(\S.*):$", overview.split("\nOptions of every")[0], re.MULTILINE)
    assert 4 <= len(groups) <= 8
    assert overview.index("  ps ") < overview.index("  trace record ") < overview.index("  hello ")
