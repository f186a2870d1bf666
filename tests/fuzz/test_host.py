# SPDX-License-Identifier: MIT
"""The fuzzer's host side by itself: its tables, texts, minimiser and planted defects.
tests/system/test_fuzz.py has the machines."""

import glob
import os
import random
import re
import shutil
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "host"))

import coverage  # noqa: E402
import minimise  # noqa: E402
import outcome  # noqa: E402
import planted  # noqa: E402
import tables  # noqa: E402
import text  # noqa: E402

KNOWN = tables.Tables()


def some_value(choices):
    return text.Reader(random.choice(choices)).value()


def some_program(call):
    """A program with one step of this call, with sensible values of its parameters and fields."""
    described = KNOWN.calls[call]
    any_number = KNOWN.choices["number"]
    values = [some_value(KNOWN.choices.get(one.meaning, any_number))
              for one in described.parameters]
    fields = [some_value(KNOWN.choices.get(one.meaning, any_number))
              for one in KNOWN.call_fields(described)]
    return text.Program([text.Step(call, values, fields, thread=call % 2, flags=call % 8)],
                        flags=call % 8)


def test_every_system_call_and_every_method_can_be_made():
    with open(os.path.join(tables.ROOT, "kernel/syscalls/syscalls.def"), encoding="utf-8") as file:
        calls = re.findall(r"^(?:call|special)\((\w+),", file.read(), re.MULTILINE)
    assert len(calls) > 80 and not [name for name in calls if name not in KNOWN.by_name]
    for path in glob.glob(os.path.join(tables.ROOT, "ipc/*.idl")):
        with open(path, encoding="utf-8") as file:
            methods = re.findall(r"^ *method (\w+)\(", file.read(), re.MULTILINE)
        served = {call.name.split(".")[1] for call in KNOWN.calls if call.kind == "method"}
        assert methods and not set(methods) - served, path


def test_every_meaning_of_a_parameter_has_values():
    meant = {one.meaning for call in KNOWN.calls for one in call.parameters if one.kind == "value"}
    assert not [name for name in meant if name not in KNOWN.choices
                and name not in ("number", "any_number")]


@pytest.mark.parametrize("seed", range(5))
def test_a_program_reads_as_it_was_written_and_unpacks_as_it_was_packed(seed):
    random.seed(seed)
    programs = [some_program(call) for call in range(len(KNOWN.calls))]
    written = text.programs_text(programs, KNOWN)
    assert text.programs_text(text.Source(KNOWN).read(written), KNOWN) == written
    unpacked = [text.unpack(program.pack(), KNOWN) for program in programs]
    assert text.programs_text(unpacked, KNOWN) == written


@pytest.mark.parametrize("line, why", [("no_such_call()", "no call no_such_call"),
                                       ("touch(0", "no value"), (
                                           "touch(@nowhere)", "no place nowhere"),
                                       ("touch(0) loudly", "loudly"),
                                       ("region_create(0, data) {colour=1}", "colour")])
def test_a_wrong_line_is_refused_with_its_place(line, why):
    with pytest.raises(text.TextError, match=f"x.fuzz:3: .*{why}"):
        text.Source(KNOWN).read(f"process\nprogram\n{line}\n", "x.fuzz")


class PlayedReplayer:
    """Fails when a scenario still has the steps that it needs."""

    def __init__(self, needed):
        self.needed, self.runs = needed, 0

    def tell(self, line):
        pass

    def fails(self, programs, like):
        self.runs += 1
        steps = [KNOWN.calls[step.call].name for program in programs for step in program.steps]
        return all(name in steps for name in self.needed)


def test_a_scenario_is_minimised_to_what_it_needs():
    random.seed(1)
    programs = []
    for process in range(12):
        program = text.Program([some_program(random.randrange(len(KNOWN.calls))).steps[0]
                                for _ in range(20)], process=process)
        programs.append(program)
    needed = ["memory_new", "region_create"]
    for process, name in ((3, needed[0]), (8, needed[1])):
        programs[process].steps[7] = some_program(KNOWN.by_name[name]).steps[0]
    small = minimise.minimise(programs, outcome.Outcome("panic"), PlayedReplayer(needed))
    assert sorted(KNOWN.calls[step.call].name for program in small
                  for step in program.steps) == needed


def test_results_keep_their_step_when_another_one_goes():
    program = text.Source(KNOWN).read(
        "process\nprogram\nfpu()\nmemory_new(\"a\", 1)\nmemory_bytes($1)\n")[0]
    assert "memory_bytes($0)" in text.programs_text([minimise.drop_step(program, 0)], KNOWN)


FINE = {"finished": 1, "failed_looks": 0, "services_lost": 0}


@pytest.mark.parametrize("status, console, emulator, summary, kind", [
    (0, "", "", FINE, "fine"), (None, "", "", FINE, "hang"),
    (2, "", "qemu: no plugin /nowhere", {}, "start"),
    (0, "", "pmu-model: 2 CPUs", {**FINE, "finished": 0}, "panic"),
    (1, "fuzz: leak: option gave memory that the kernel had freed", "", FINE, "leak"),
    (1, "", "", {**FINE, "failed_looks": 1}, "left"),
    (1, "PANIC on CPU 0: assertion failed: x\npc  c0 fcm_put+0x18\n", "", FINE, "panic"),
    (0, "init: net (pid 4) was ended by 9", "", FINE, "server")])
def test_the_end_of_a_machine_tells_what_was_found(status, console, emulator, summary, kind):
    assert outcome.of(status, console, emulator, summary).kind == kind


def test_what_is_said_to_be_unreachable_is_looked_up(tmp_path):
    rows = tmp_path / "unreachable.txt"
    rows.write_text("kernel/a.c gone nobody calls it\n"
                    "kernel/a.c here never\n"
                    "kernel/b.c * not there\n")
    lines = coverage.Lines()
    lines.functions["kernel/a.c"] = {1: "here", 10: "gone"}
    for line, executed in ((2, True), (11, False)):
        lines.note("kernel/a.c", line, executed)
    found = list(coverage.Unreachable(str(rows)).complaints(lines))
    assert found == ["unreachable.txt:2: kernel/a.c here: executed: 2",
                     "unreachable.txt:3: kernel/b.c * fits no line"]


@pytest.mark.parametrize("patch", planted.patches(HERE), ids=os.path.basename)
def test_a_planted_defect_still_fits(patch, tmp_path):
    assert planted.kind_of(patch) in ("panic", "left", "leak", "server", "hang")
    shutil.copytree(os.path.join(tables.ROOT, "kernel"), tmp_path / "kernel")
    assert planted.apply(patch, str(tmp_path))
