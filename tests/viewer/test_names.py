# SPDX-License-Identifier: MIT
"""Names from outside hold anything. Whatever is printed of them acts on no terminal, and JSON has
them as they are."""

import json
import os
import re
import subprocess

import dci_pb2 as dci
import pytest

import trace_folder
from conftest import KOV
from machine import add_samples
from power_program import CROSS, Program
from profile_parser import Profile
from terminal import on_terminal
from trace_folder import HZ
from trace_simulated import Cpu, packets

CLEAR, TURN = "\x1b[2J", "\u202e"
NAME = f"été<b>{CLEAR}{TURN};\x9b\r\n\x7fx"
SHOWN = r"été<b>\u001b[2J\u202e;\u009b\u000d\u000a\u007fx"
# What a terminal obeys, but for line ends and tabs; and what turns the direction of a text.
ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
ON_MACHINE = ("ps", "objects", "classes", "stat -d 0.1", "stat -e larx -d 0.1 --per-process",
              "stat -e larx -d 0.1 --per-object", "top -n 1 -d 0.2", "locks -d 0.1",
              "record -d 0.1", "workload list", "monitor list", "server", "trace stat",
              "record -e larx@1000 -d 0.1", "trace record -d 0.1 -o made")
ON_RECORDING = ("report", "report -g", "report -g --sort process,class,object",
                "report --sort line", "export -f folded", "export -f perf-script")
ON_FOLDER = ("show -n 40", "threads", "threads --summary", "sched", "waits", "locks", "syscalls",
             "breakdown", "export -f chrome")


def harmless(text):
    found = ACTS.search(text)
    assert not found, text[max(found.start() - 40, 0):found.end() + 40].encode()


@pytest.fixture(name="named")
def _named(running):
    """A machine in which everything has such a name."""
    running.add_processes()
    for process in running.processes:
        process.name = NAME
    for one in running.classes:
        one.name = one.implementation = NAME
    add_samples(running, {(0x1010, 0x100): 20}, pid=7, flags=dci.SAMPLE_ATTRIBUTED)
    return running


def test_names_of_a_machine_act_on_no_terminal(kov, named):
    for command in ON_MACHINE + ON_RECORDING:
        result = kov(*command.split(), machine=named)
        assert result.code == 0, (command, result.err)
        harmless(result.out + result.err)
    for command in ("ps", "objects", "report", "export -f folded"):
        shown = SHOWN.replace(";", ":") if command.startswith("export") else SHOWN
        assert shown in kov(*command.split(), machine=named).out, command
    found = kov("report", "--sort", "process", "--json").json["tables"][0]["rows"]
    assert [row["process"] for row in found] == [f"{NAME}:7"]


def test_names_act_on_no_terminal_of_any_width(named, tmp_path):
    """Each character of kov's own is one of a line, which is broken where it should be."""
    for columns in (40, 200):
        for form in ((), ("--csv",), ("--json",)):
            said, status = on_terminal(columns, [KOV, "--port", str(named.port), "ps", *form],
                                       tmp_path)
            assert status == 0
            harmless(said)
            assert form or max(map(len, said.split("\n"))) <= columns
    names = re.findall('"name": "(.*)"', said)
    assert names == [json.dumps(NAME).replace("\\u00e9", "é")[1:-1]
                     .replace("\\u001b", "\\u001B").replace("\x7f", "\\u007f")] * 2


@pytest.fixture(name="odd")
def _odd(kov, machine, tmp_path):
    """A recording of a kernel whose function and source file have such names."""
    program = Program(tmp_path, f"ker{CLEAR}{TURN}nel")
    bottom, odd = program.address(5), program.address(19)
    machine.system.build_id = bytes.fromhex(program.build_id)
    path = tmp_path / "odd.elf"
    subprocess.run([f"{CROSS}objcopy".encode(), b"--redefine-sym",
                    b".bottom=.bot\x1b[2J\xe2\x80\xae\xff;\ntom", b"--redefine-sym",
                    b"bottom=bot\x1b[2J\xe2\x80\xae\xff;\ntom", os.fsencode(program.path),
                    os.fsencode(path)], check=True)
    add_samples(machine, {(0x1010, bottom): 20}, callers=[odd + 4])
    assert kov("record", "-d", "0.1", machine=machine).code == 0
    return path


FUNCTION = r"bot\u001b[2J\u202e\xff;\u000atom"


def test_names_of_symbols_and_sources_act_on_no_terminal(kov, odd, tmp_path):
    for command in ("report", "report -g", "report --sort line", "annotate", "annotate --asm",
                    "annotate --source", "export -f folded", "export -f perf-script"):
        result = kov(*command.split(), "--kernel", odd)
        assert result.code == 0, result.err
        harmless(result.out + result.err)
        if "line" in command:
            assert r"ker\u001b[2J\u202enel.c:5" in result.out
        else:
            function = FUNCTION.replace(";", ":") if "export" in command else FUNCTION
            assert function in result.out.replace("\ufffd", r"\xff"), command
    result = kov("export", "-f", "pprof", "-o", "p.gz", "--kernel", odd)
    assert result.code == 0 and FUNCTION in Profile(tmp_path / "p.gz").texts
    found = kov("report", "--kernel", odd, "--json", "--sort", "function").json
    assert found["tables"][0]["rows"][0]["function"] == f"bot{CLEAR}{TURN}\ufffd;\ntom"


def test_names_of_a_trace_act_on_no_terminal(kov, tmp_path):
    """A process's name, and the text of an event."""
    named = trace_folder.BY_NAME["process_name"]
    when = HZ
    first = [(when, named, [7, NAME.replace("\r\n", "")])]
    cpus = [Cpu(number, number, 200) for number in (0, 1)]
    streams = {(0, cpu.number): packets(cpu) for cpu in cpus}
    streams[0, 2] = [trace_folder.packet(first, cpu=2)]
    trace_folder.write(tmp_path / "trace", streams)
    for command in ON_FOLDER:
        tool, *options = command.split()
        result = kov("trace", tool, "trace", *options)
        assert result.code == 0, result.err
        harmless(result.out + result.err)
