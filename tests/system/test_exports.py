# SPDX-License-Identifier: MIT
"""Samples of a real machine beside lines and instructions, and in the formats of other tools."""

import gzip
import re

import pytest

import dci_client as dci
from machine import CONTROLLER

SECONDS = 3


@pytest.fixture(scope="module", name="recording")
def record_a_process(machine2, tmp_path_factory):
    """A process whose time goes to two loops of `addi`, and the kernel beside it."""
    path = str(tmp_path_factory.mktemp("exports") / "samples.kov")
    with dci.connect(machine2.port, CONTROLLER) as client:
        client.start_program("work-objects", SECONDS + 5, 0)
        machine2.kov("record", "-o", path, "-F", "2000", "-d", str(SECONDS))
    return path


@pytest.fixture(scope="module", name="busy")
def count_samples(machine2, recording):
    report = machine2.kov("report", "-i", recording)
    return report["samples"] - report["idle"]


def test_every_sample_stands_at_a_line_and_an_instruction(machine2, recording, busy):
    report = machine2.kov("annotate", "-i", recording, "-n", "100000")
    assert report["samples"] == busy
    assert sum(function["samples"] for function in report["functions"]) + report["unknown"] == busy
    assert {function["binary"] for function in report["functions"]} >= {"kernel", "work-objects"}
    for function in report["functions"]:
        for kind in ("lines", "instructions"):
            assert sum(row["samples"] for row in function[kind]) == function["samples"], (kind, function["function"])


def test_the_hottest_line_is_the_loop(machine2, recording):
    for name in ("turn", "run"):
        function, = machine2.kov("annotate", f"work-objects:{name}", "-i", recording)["functions"]
        line = max(function["lines"], key=lambda row: row["samples"])
        assert "addi" in line["text"] and line["percent"] > 80, line
        assert line["file"].endswith("work-objects.c")
        samples = {row["text"]: row["samples"] for row in function["instructions"] if row["line"] == line["line"]}
        assert all(text.startswith(("li ", "addi ")) for text in samples), samples


def test_the_kernels_code_is_disassembled(machine2, recording):
    functions = machine2.kov("annotate", "-i", recording, "-n", "100000", "--asm", "--pid", "0")["functions"]
    functions += machine2.kov("annotate", "-i", recording, "-n", "100000", "--asm")["functions"]
    instructions = [row["text"] for function in functions for row in function["instructions"]]
    unknown = [text for text in instructions if text.startswith(".long") and text.split()[1] != "0x00000000"]
    assert len(instructions) > 100
    assert len(unknown) < len(instructions) / 20, unknown  # tables behind functions, and the few that capstone lacks


def test_exports_have_every_sample(machine2, recording, busy, tmp_path):
    def export(form):
        path = tmp_path / form
        assert machine2.kov("export", "-f", form, "-i", recording, "-o", str(path))["samples"] == busy
        return path.read_bytes()

    stacks = [line.rsplit(" ", 1) for line in export("folded").decode().splitlines()]
    assert sum(int(count) for _, count in stacks) == busy
    assert any(re.search(r"^work-objects:\d+;Work\(\w+\) 0x\w+ of work-objects:\d+;.*;run(;turn)?$", stack)
               for stack, _ in stacks), stacks[:5]
    assert export("perf-script").decode().count("\n\n") == busy
    assert len(gzip.decompress(export("pprof"))) > 1000
