# SPDX-License-Identifier: MIT
"""kov annotate shows samples beside source lines and instructions. binutils say what lies where."""

import collections
import os
import re
import subprocess

import dci_pb2 as dci
import pytest

from machine import add_samples
from power_program import Program

EVENT = "run-cycles"
OBJECT = 0x1010


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return Program(tmp_path_factory.mktemp("program"), "kernel")


@pytest.fixture
def spread(program):
    """Returns {address: samples}: 6 + 10 + 30 in bottom, 4 in odd, 20 at every second instruction
    of plain, 1 nowhere."""
    places = collections.Counter({program.address(4): 6, program.address(5): 10,
                                  program.address(7): 30, program.address(19): 4, 0x77777770: 1})
    for address, _, _ in program.functions()["plain"][::2]:
        places[address] += 10
    return places


@pytest.fixture
def recorded(kov, machine, program, spread):
    machine.system.build_id = bytes.fromhex(program.build_id)
    add_samples(machine, {(OBJECT, address): count for address, count in spread.items()}, lost=3)
    add_samples(machine, {(0, program.address(23)): 50}, cpu=1, flags=dci.SAMPLE_KERNEL
                | dci.SAMPLE_IDLE)
    assert kov("record", "-d", "0.1", "-c", "5000", machine=machine).code == 0


@pytest.fixture
def annotate(kov, recorded, program):
    def run(*arguments):
        return kov("annotate", "--kernel", program.path, *arguments)

    return run


def test_samples_stand_at_the_lines_that_the_line_table_names(annotate, program, spread):
    report = annotate("--json").json
    assert (report["samples"], report["lost"], report["unknown"], report["period"]) == (71, 3, 1,
                                                                                        5000)
    assert report["event"] == EVENT
    function, = report["functions"]
    assert (function["function"], function["binary"], function["samples"]) == ("bottom", "kernel",
                                                                               46)
    lines = program.lines()
    expected = collections.Counter()
    for address, count in spread.items():
        if address in lines:
            expected[lines[address]] += count
    found = {row["line"]: row["samples"] for row in function["lines"] if row["samples"]}
    assert found == {line: expected[line] for line in (4, 5, 7)}
    assert all(row["percent"] == pytest.approx(100 * row["samples"] / 46, abs=0.01)
               for row in function["lines"])
    text = {row["line"]: row["text"] for row in function["lines"]}
    assert text[4] == "    sink = x * 3; /* line 4 */"
    assert text[5] == "        sink -= 5;    /* line 5 */", "tabs as blanks"


def test_samples_stand_at_their_instructions(annotate, program, spread):
    for name in ("bottom", "odd", "plain"):
        function, = annotate(name, "--json").json["functions"]
        expected = [(address, word, spread[address]) for address, word,
                    _ in program.functions()[name]]
        found = [(int(row["address"], 16), int(row["word"], 16), row["samples"])
                 for row in function["instructions"]]
        # objdump counts what lies behind the function, such as a traceback table, to it
        assert found == expected[:len(found)], name
        assert len(found) >= 4 and sum(samples for _, _,
                                       samples in found) == function["samples"], name
        assert sum(row["samples"] for row in function["lines"]) == function["samples"], name
        lines = program.lines()
        for row in function["instructions"]:
            assert row["line"] == lines.get(int(row["address"], 16), 0), (name, row)


def test_instructions_are_disassembled_as_objdump_does(annotate, program):
    for name in ("bottom", "odd", "plain"):
        function, = annotate(name, "--json", "--asm").json["functions"]
        assert "lines" not in function
        for row, (_, _, mnemonic) in zip(function["instructions"], program.functions()[name]):
            simple = {"addi": ("addi", "li"), "or": ("or", "mr"), "ori": ("ori", "nop"),
                      "bclr": ("blr",), "mfspr": ("mflr",), "mtspr": ("mtlr",),
                      "bc": ("bne-", "bne"), "hrfid": (".long",),
                      "rldicr": ("rldicr", "sldi")}.get(mnemonic, (mnemonic,))
            assert row["text"].split()[0] in simple, (name, row, mnemonic)


def test_an_instruction_that_the_disassembler_lacks_is_shown_as_a_number(annotate):
    assert re.search(r"\.long +0x4c000224\n", annotate("odd").out)


def test_a_negative_number_has_its_sign(annotate):
    assert re.search(r"addi +r\d+, r\d+, -5\n", annotate("bottom").out)


def test_branches_name_their_targets(annotate):
    assert re.search(r"bl +0x[0-9a-f]+ <bottom>\n", annotate("odd").out)
    assert re.search(r"bne-? +0x[0-9a-f]+ <plain>\n", annotate("plain").out)


def test_text_has_the_source_line_and_below_its_instructions(annotate, program):
    result = annotate()
    assert result.code == 0
    assert "bottom, kernel" in result.out and "46 of 71 samples (64.79 %)" in result.out
    assert "lost 3" in result.out and "1 samples lie where no function is known" in result.out
    lines = result.out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.endswith("/* line 5 */"))
    assert re.match(r" +21\.74 % +10 +5 +sink -= 5;", lines[at])
    assert re.match(rf" +21\.74 % +10 +{program.address(5):x}  \S+", lines[at + 1])


def test_source_or_assembly_alone(annotate):
    source, assembly = annotate("--source").out, annotate("--asm").out
    assert "line 4 */" in source and "blr" not in source
    assert "line 4 */" not in assembly and "kernel.c:4:" in assembly and "blr" in assembly
    addresses = [int(match[1], 16) for match in re.finditer(r" ([0-9a-f]{8})  \S", assembly)]
    assert len(addresses) > 4 and addresses == sorted(addresses)


def test_functions_are_chosen_by_name_or_number(annotate):
    def names(*arguments):
        return [function["function"]
                for function in annotate("--json", *arguments).json["functions"]]

    assert names("-n", "9") == ["bottom", "plain", "odd"]
    assert names("-n", "2") == ["bottom", "plain"]
    assert names("kernel:odd") == ["odd"]


def test_a_function_without_samples_is_told(annotate):
    for name in ("next", "nonsense", "shell:bottom"):
        result = annotate(name)
        assert result.code == 1 and not result.out
        assert f"'{name}'" in result.err and "kernel:bottom" in result.err


def test_a_function_of_assembly_ends_where_the_next_begins(annotate):
    function, = annotate("plain", "--json").json["functions"]
    assert len(function["instructions"]) == 4
    assert all(row["file"] is None for row in function["instructions"])
    assert "(no line is known)" in annotate("plain").out


def test_idle_samples_count_when_asked_for(annotate):
    assert annotate("_start").code == 1
    function, = annotate("_start", "--idle", "--json").json["functions"]
    assert function["samples"] == 50


def test_events_are_chosen_by_name(annotate):
    assert annotate("-e", EVENT).code == 0
    result = annotate("-e", "larx")
    assert result.code == 1 and "larx" in result.err and EVENT in result.err


def test_a_missing_source_is_told_and_found_elsewhere(annotate, program, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    program.source.rename(elsewhere / program.source.name)
    try:
        result = annotate("bottom")
        assert result.code == 0
        assert str(program.source) in result.err and "--sources" in result.err
        assert "kernel.c (not found)" in result.out and "line 4" not in result.out
        assert re.search(r"% +10 +5 *\n", result.out), "numbers of lines remain"
        assert annotate("bottom", "--json").json["functions"][0]["lines"][0]["text"] is None
        found = annotate("bottom", "--sources", elsewhere)
        assert "line 5 */" in found.out and not found.err
        assert not annotate("bottom", "--asm").err, "assembly needs no source"
    finally:
        (elsewhere / program.source.name).rename(program.source)


def test_a_source_that_was_changed_since_is_told(annotate, program):
    before = program.source.stat()
    os.utime(program.source, (before.st_atime, program.path.stat().st_mtime + 10))
    try:
        assert "was changed after" in annotate("bottom").err
    finally:
        os.utime(program.source, (before.st_atime, before.st_mtime))
    assert not annotate("bottom").err


def test_programs_have_their_own_files(kov, machine, program, tmp_path):
    machine.add_processes()
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "shell.elf").write_bytes(program.path.read_bytes())
    machine.system.build_id = bytes.fromhex(program.build_id)
    add_samples(machine, {(0x30, program.address(5)): 8}, flags=dci.SAMPLE_ATTRIBUTED, pid=7)
    add_samples(machine, {(0x30, program.address(5)): 3}, flags=dci.SAMPLE_KERNEL, pid=7)
    add_samples(machine, {(0x30, program.address(4)): 2}, flags=dci.SAMPLE_KERNEL, pid=0)
    kov("record", "-d", "0.1", machine=machine)

    def binaries(*arguments):
        report = kov("annotate", "--kernel", program.path, "--programs", programs, "--json",
                     "bottom", *arguments).json
        return [(function["binary"], function["samples"]) for function in report["functions"]]

    assert binaries() == [("shell", 8), ("kernel", 5)]
    assert binaries("--pid", "7") == [("shell", 8), ("kernel", 3)]
    assert binaries("--pid", "0") == [("kernel", 2)]
    report = kov("annotate", "--kernel", program.path, "--programs", programs, "--json",
                 "shell:bottom").json
    assert len(report["functions"]) == 1


def test_a_file_of_another_machine_is_not_disassembled(kov, machine, tmp_path):
    (tmp_path / "host.c").write_text("int _start(void)\n{\n    return 3;\n}\n")
    subprocess.run(["gcc", "-g", "-nostdlib", "-static", "-no-pie", "host.c", "-o", "host.elf"],
                   cwd=tmp_path, check=True)
    out = subprocess.run(["nm", "host.elf"], cwd=tmp_path, check=True, capture_output=True,
                         text=True).stdout
    start = next(int(line.split()[0], 16) for line in out.splitlines() if line.endswith(" _start"))
    add_samples(machine, {(OBJECT, start): 4})
    kov("record", "-d", "0.1", machine=machine)
    result = kov("annotate", "--kernel", "host.elf")
    assert result.code == 1 and "none of the 4 samples" in result.err


def test_what_cannot_be_annotated_is_told(kov, machine):
    assert kov("annotate").code == 1
    kov("record", "-d", "0.1", machine=machine)
    result = kov("annotate", "--kernel", "missing.elf")
    assert result.code == 1 and "no such samples" in result.err
    assert kov("annotate", "-n", "0").code == 2
    assert kov("annotate", "one", "two").code == 2
