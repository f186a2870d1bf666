# SPDX-License-Identifier: MIT
"""States of single instructions in small programs, derived by hand."""

import re
import subprocess
import sys

import pytest
from conftest import ROOT

METHOD = """
typedef unsigned long u64;
struct object { u64 a, b; struct object *next; };
#define CO_METHOD __attribute__((section(".text.co"), noipa))
#define CO_HOME(self) (*(void *volatile *)((char *)__builtin_dwarf_cfa() + 48) = (self))
#define OUTSIDE __attribute__((noipa))
OUTSIDE u64 helper(u64 x, void *p) { return x + (u64)p; }
"""

START = "    .text\n    .type f,@function\nf:\n"
END = "    .size f, . - f\n"


class Program:
    def __init__(self, mktables, toolchain, source, suffix=".c"):
        self.elf = toolchain.link(source, suffix)
        self.analysis = mktables.Analysis(mktables.Elf(str(self.elf))).run()
        self.map = self.analysis.unwind_map()
        listing = toolchain.run("objdump", "-d", "--no-show-raw-insn", self.elf)
        self.listing = dict(re.findall(r"^([0-9a-f]+):\t(.*?)\s*$", listing, re.M))

    def function(self, name):
        return next(f for f in self.analysis.functions if f.name == name)

    def states(self, name):
        """[(instruction, state as text)…]: F frame pushed, L return address saved, then where self
        is."""
        function = self.function(name)
        return [(self.listing[f"{a:x}"], self.text(a))
                for a in range(function.start, function.end, 4) if f"{a:x}" in self.listing]

    def text(self, address):
        byte = self.map[self.analysis.index(address)]
        if not byte & 4:
            return "?"
        where = {0: "", 1: " homed", 2: " idle", 13: " low"}.get(byte >> 3, f" r{byte >> 3}")
        return ("F" if byte & 1 else "-") + ("L" if byte & 2 else "-") + where


@pytest.fixture
def program(mktables, toolchain):
    return lambda source, suffix=".c": Program(mktables, toolchain, source, suffix)


def assembly(program, body):
    return [state for _, state in program(START + body + END, ".S").states("f")]


def test_leaf_method(program):
    states = program(METHOD + """
        CO_METHOD u64 leaf(struct object *self) { CO_HOME(self); return self->b; }
        """).states("leaf")
    assert states[:3] == [("std     r3,48(r1)", "-- r3"), ("ld      r3,8(r3)", "-- homed"),
                          ("blr", "-- homed")]


def test_method_with_a_frame(program):
    states = program(METHOD + """
        CO_METHOD u64 calls(struct object *self, u64 x)
        {
            CO_HOME(self);
            return helper(x, self) + self->b;
        }""").states("calls")
    text = [instruction for instruction, _ in states]
    state = dict(states)
    push = next(i for i, t in enumerate(text) if t.startswith("stdu"))
    home = next(i for i, t in enumerate(text) if re.fullmatch(r"std +r\d+,(160|176|192)\(r1\)", t))
    pop = next(i for i, t in enumerate(text) if t.startswith("addi    r1,r1,"))
    assert states[0] == ("mflr    r0", "-- r3")
    assert "F" not in states[push][1] and "L" in states[push][1]
    assert all("F" in s for _, s in states[push + 1:pop + 1])
    assert re.search(r" r\d+$", states[home][1]) and states[home + 1][1] == "FL homed"
    assert states[pop + 1][1] == "-L homed"
    assert state["blr"] == "-L homed"


def test_self_is_followed_through_registers_until_it_is_homed(program):
    """gcc needs r3 for the call's first argument and moves self away before it homes it."""
    states = program(METHOD + """
        CO_METHOD u64 moves(struct object *self, u64 x)
        {
            CO_HOME(self);
            u64 y = helper(x, 0);
            return y + self->b;
        }""").states("moves")
    home = next(i for i, (t, _) in enumerate(states) if re.match(r"std +r\d+,\d{3}\(r1\)", t))
    register = re.match(r"std +(r\d+)", states[home][0])[1]
    assert states[home][1].endswith(" " + register) or states[home][1].endswith(" r3")
    assert all(re.search(r"homed$| r\d+$", state) for _, state in states[:home + 1])


def test_alloca_keeps_the_frame_and_its_size(program):
    states = program(METHOD + """
        CO_METHOD u64 room(struct object *self, u64 x)
        {
            CO_HOME(self);
            char buffer[x];
            return helper(x, buffer) + self->a;
        }""").states("room")
    body = [s for t, s in states if t.startswith("bl ")]
    assert body == ["FL homed"]
    assert dict(states)["blr"] == "-L homed"


def test_every_case_of_a_switch_is_known(program):
    cases = "".join(f"case {i}: return helper({i * i}, (void *){i * 7});" for i in range(12))
    states = program(METHOD + f"""
        CO_METHOD u64 choose(struct object *self, u64 x)
        {{
            CO_HOME(self);
            switch (x) {{ {cases} }}
            return self->a;
        }}""").states("choose")
    assert any(t == "bctr" for t, _ in states), "the compiler made no jump table"
    calls = [s for t, s in states if t.startswith("bl ")]
    assert len(calls) >= 1 and set(calls) == {"FL homed"}


def test_code_only_reached_by_a_fixup_has_the_state_of_the_fault(program):
    """Here without a frame, other than most of the function."""
    assert assembly(program, """
    1:  ld 9,0(3)
        mflr 0
        std 0,16(1)
        stdu 1,-112(1)
        nop
        nop
        addi 1,1,112
        blr
    2:  li 3,-8
        blr
        .section .fixups,"a"
        .quad 1b,2b
        .text
    """) == ["--", "--", "--", "-L", "FL", "FL", "FL", "-L", "--", "--"]


def test_idle_loop_is_marked(program):
    states = program(METHOD + """
        OUTSIDE void thread_idle_loop(void) { for (;;) helper(0, 0);
        }""").states("thread_idle_loop")
    assert {s for t, s in states if t.startswith("bl ")} == {"FL idle"}


def test_prologue_and_epilogue_in_assembly(program):
    assert assembly(program, """
        mflr 0
        std 0,16(1)
        stdu 1,-112(1)
        nop
        addi 1,1,112
        ld 0,16(1)
        mtlr 0
        blr
    """) == ["--", "--", "-L", "FL", "FL", "-L", "-L", "-L"]


def test_return_address_saved_after_the_push(program):
    assert assembly(program, """
        mflr 12
        stdu 1,-256(1)
        std 12,272(1)
        ld 1,0(1)
        blr
    """) == ["--", "--", "F-", "FL", "-L"]


def test_return_address_below_the_cfa(program):
    """As the trace's slow path has it, which is called where CFA + 16 is in use."""
    assert assembly(program, """
        stdu 1,-512(1)
        mflr 0
        std 0,112(1)
        nop
        ld 0,112(1)
        mtlr 0
        addi 1,1,512
        blr
    """) == ["--", "F-", "F-", "F- low", "F- low", "F- low", "F- low", "--"]


def test_large_frame_by_stdux(program):
    assert assembly(program, """
        mflr 0
        std 0,16(1)
        lis 0,-2
        stdux 1,1,0
        nop
        ld 1,0(1)
        blr
    """) == ["--", "--", "-L", "-L", "FL", "FL", "-L"]


def test_a_store_of_something_else_saves_nothing(program):
    assert assembly(program, """
        mflr 0
        li 0,0
        std 0,16(1)
        std 5,48(1)
        blr
    """) == ["--"] * 5


@pytest.mark.parametrize("instruction, saved", [
    ("lfd 1,8(12)", True), ("stfd 1,8(12)", True), ("lfdx 1,12,5", True), ("fmr 1,2", True),
    ("fadd 1,2,3", True),
    ("lfdu 1,8(12)", False), ("stfsu 1,8(12)", False), ("lfdux 1,12,5", False),
    ("stfdux 1,12,5", False)])
def test_floating_point_instructions_change_no_register_but_an_updated_base(program, instruction,
                                                                            saved):
    states = assembly(program, f"""
        mflr 12
        {instruction}
        std 12,16(1)
        blr
    """)
    assert states == ["--", "--", "--", "-L" if saved else "--"]


def test_a_nop_changes_nothing(program):
    """Not even r0, which it names: the linker puts it in the place of instructions that nobody
    needs."""
    assert assembly(program, """
        mflr 0
        nop
        std 0,16(1)
        blr
    """) == ["--", "--", "--", "-L"]


def test_two_paths_keep_what_both_have(program):
    assert assembly(program, """
        cmpdi 3,0
        beq 1f
        mflr 0
        std 0,16(1)
    1:  nop
        blr
    """) == ["--", "--", "--", "--", "--", "--"]


def test_paths_with_and_without_a_frame_are_a_reported_conflict(program):
    made = program(START + """
        cmpdi 3,0
        beq 1f
        stdu 1,-112(1)
    1:  nop
        blr
    """ + END, ".S")
    assert [s for _, s in made.states("f")] == ["--", "--", "--", "?", "?"]
    assert len(made.analysis.conflicts) > 0


def test_switch_of_stacks_keeps_the_frame(program):
    assert assembly(program, """
        mflr 0
        std 0,16(1)
        stdu 1,-256(1)
        std 1,0(3)
        mr 1,4
        nop
        addi 1,1,256
        blr
    """) == ["--", "--", "-L", "FL", "FL", "FL", "FL", "-L"]


def test_padding_and_data_have_no_state(program):
    states = program(START + "    blr\n    nop\n    .long 0\n" + END, ".S").states("f")
    assert [s for _, s in states][:3] == ["--", "?", "?"]


def test_a_method_that_does_not_home_its_object_is_refused(toolchain, tmp_path):
    elf = toolchain.link(METHOD + """
        CO_METHOD u64 forgets(struct object *self) { return helper(1, self); }""")
    result = subprocess.run([sys.executable, ROOT / "scripts" / "mktables.py", "--elf", elf,
                             "--out", tmp_path / "out.S"], capture_output=True, text=True)
    assert result.returncode == 1
    assert "forgets" in result.stderr and "CO_HOME" in result.stderr
    assert not (tmp_path / "out.S").exists()
