# SPDX-License-Identifier: MIT
"""Samples of a real machine beside lines and instructions, and in the formats of other tools."""

import gzip
import re

import pytest

import dci_client as dci
from conftest import EXACT
from dci_client import pb
from machine import CONTROLLER

SECONDS = 2
FREQUENCY = 2000  # so each sample stands for so many nanoseconds:
PERIOD = 10 ** 9 // FREQUENCY


@pytest.fixture(scope="module", name="recording")
def record_a_process(pool, tmp_path_factory):
    """A process whose time goes to two loops of `addi`, and work of the kernel beside it, where
    interrupts are never late."""
    path = str(tmp_path_factory.mktemp("exports") / "samples.kov")
    exact = pool.lend(**EXACT)
    with dci.connect(exact.port, CONTROLLER) as client:
        _, pid = client.start_program("work-objects", 86400, 0)
        exact.kov("record", "-o", path, "-F", str(FREQUENCY), "--", "demo", f"seconds={SECONDS}")
        client.request(kill=pb.KillRequest(pid=pid))
    return path


@pytest.fixture(scope="module", name="busy")
def count_samples(pool, recording):
    report = pool.lend(**EXACT).kov("report", "-i", recording)
    return report["samples"] - report["idle"]


def test_every_sample_stands_at_a_line_and_an_instruction(exact, recording, busy):
    report = exact.kov("annotate", "-i", recording, "-n", "100000")
    assert report["samples"] == busy
    assert sum(function["samples"] for function in report["functions"]) + report["unknown"] == busy
    assert {function["binary"] for function in report["functions"]} >= {"kernel", "work-objects"}
    for function in report["functions"]:
        for kind in ("lines", "instructions"):
            assert sum(row["samples"] for row in function[kind]) == function["samples"], \
                (kind, function["function"])


def test_the_hottest_line_is_the_loop(exact, recording):
    for name in ("turn", "run"):
        function, = exact.kov("annotate", f"work-objects:{name}", "-i", recording)["functions"]
        line = max(function["lines"], key=lambda row: row["samples"])
        assert "addi" in line["text"] and line["percent"] > 80, line
        assert line["file"].endswith("work-objects.c")
        samples = {row["text"]: row["samples"]
                   for row in function["instructions"] if row["line"] == line["line"]}
        assert all(text.startswith(("li ", "addi ")) for text in samples), samples


def test_the_kernels_code_is_disassembled(exact, recording):
    functions = exact.kov("annotate", "-i", recording, "-n", "100000", "--asm", "--pid",
                          "0")["functions"]
    functions += exact.kov("annotate", "-i", recording, "-n", "100000", "--asm")["functions"]
    instructions = [row["text"] for function in functions for row in function["instructions"]]
    unknown = [text for text in instructions if text.startswith(".long")
               and text.split()[1] != "0x00000000"]
    assert len(instructions) > 100
    # tables behind functions, and the few that capstone lacks
    assert len(unknown) < len(instructions) / 20, unknown


def test_exports_have_every_sample(exact, recording, busy, tmp_path):
    def export(form):
        path = tmp_path / form
        assert exact.kov("export", "-f", form, "-i", recording, "-o", str(path))["samples"] == busy
        return path.read_bytes()

    stacks = [line.rsplit(" ", 1) for line in export("folded").decode().splitlines()]
    assert sum(int(events) for _, events in stacks) == busy * PERIOD
    assert any(re.search(r"^work-objects:\d+;Work\(\w+\) 0x\w+ of work-objects:\d+;"
                         r".*;run(;turn)?$", stack)
               for stack, _ in stacks), stacks[:5]
    assert export("perf-script").decode().count("\n\n") == busy
    assert len(gzip.decompress(export("pprof"))) > 1000
