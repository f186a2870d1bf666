# SPDX-License-Identifier: MIT
"""The symbol table: names, sizes, order, and that building it twice gives the same."""

import subprocess
import sys

from conftest import ROOT

SOURCE = """
static __attribute__((noipa)) int local_function(int x) { return x + 1; }
__attribute__((noipa)) int global_function(int x) { return local_function(x) * 3; }
extern const unsigned long symbol_count, unwind_map_size;
extern const unsigned char unwind_map[], symbol_table[];
extern const char symbol_names[];
unsigned long uses(void)
{
    return symbol_count + unwind_map_size + unwind_map[0] + symbol_table[0] + (unsigned
    long)symbol_names;
}
"""
ASSEMBLY = """
    .section .opd,"aw"
    .globl described
described: .quad .described, .TOC.@tocbase, 0
    .text
    .type .described,@function
.described:
    nop
    blr
    .size .described, . - .described
    .globl plain_label
plain_label:
    nop
    nop
    blr
"""


def tables(out, *arguments):
    subprocess.run([sys.executable, ROOT / "scripts" / "mktables.py", *arguments, "--out", out],
                   check=True)
    return out


def build(toolchain, tmp_path):
    (tmp_path / "more.S").write_text(ASSEMBLY)
    empty = tables(tmp_path / "empty.S", "--empty")
    first = toolchain.link(SOURCE, name="pass1", extra=[tmp_path / "more.S", empty])
    full = tables(tmp_path / "full.S", "--elf", first)
    return full, toolchain.link(SOURCE, name="pass2", extra=[tmp_path / "more.S", full])


def test_functions_have_names_and_sizes(mktables, toolchain, tmp_path):
    _, elf = build(toolchain, tmp_path)
    functions = {f.name: f for f in mktables.Analysis(mktables.Elf(str(elf))).functions}
    assert {"local_function", "global_function", "uses", "described",
            "plain_label"} <= set(functions)
    assert functions["described"].end - functions["described"].start == 8
    assert functions["plain_label"].end - functions["plain_label"].start >= 12
    starts = [f.start for f in functions.values()]
    assert starts == sorted(starts)
    ordered = list(functions.values())
    assert all(a.end <= b.start for a, b in zip(ordered, ordered[1:]))


def test_the_tables_describe_the_program_that_contains_them(mktables, toolchain, tmp_path):
    full, elf = build(toolchain, tmp_path)
    again = tables(tmp_path / "again.S", "--elf", elf)
    assert full.read_text() == again.read_text()
    linked = mktables.Elf(str(elf))
    analysis = mktables.Analysis(linked).run()
    where = linked.by_name["unwind_map"].value
    assert bytes(linked.words(where, where + len(analysis.code), "B")) == analysis.unwind_map()
    names = linked.by_name["symbol_names"].value
    table = linked.by_name["symbol_table"].value
    entries = linked.words(table, table + 12 * len(analysis.functions), "I")
    for function, start, size, name in zip(analysis.functions, *(entries[i::3] for i in range(3))):
        assert function.start == analysis.start + start and function.end == function.start + size
        text = bytes(linked.words(names + name, names + name + len(function.name) + 1, "B"))
        assert text == function.name.encode() + b"\0"


def test_empty_tables_say_that_they_are_empty(mktables, toolchain, tmp_path):
    (tmp_path / "more.S").write_text(ASSEMBLY)
    empty = tables(tmp_path / "empty.S", "--empty")
    linked = mktables.Elf(str(toolchain.link(SOURCE, extra=[tmp_path / "more.S", empty])))
    for name in ("symbol_count", "unwind_map_size"):
        address = linked.by_name[name].value
        assert linked.words(address, address + 8, "Q") == (0,)


def test_a_file_that_is_no_kernel_is_a_clear_error(tmp_path):
    for content in (b"", b"\x7fELF\x01\x01 little", b"text"):
        (tmp_path / "file").write_bytes(content)
        result = subprocess.run([sys.executable, ROOT / "scripts" / "mktables.py", "--elf",
                                 tmp_path / "file", "--out", tmp_path / "out.S"],
                                capture_output=True, text=True)
        assert result.returncode == 1 and result.stderr.startswith("mktables: ")
        assert "Traceback" not in result.stderr
