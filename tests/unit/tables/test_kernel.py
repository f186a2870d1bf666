# SPDX-License-Identifier: MIT
"""The unwind maps of the whole kernel and of a program against the compiler's own unwind
information."""

import os
import pathlib
import subprocess
import sys

import cfi
import pytest
from conftest import ROOT

BUILD = pathlib.Path(os.environ.get("ORRERY_BUILD", ROOT / "build"))


@pytest.fixture(scope="module", params=["orrery.elf", "user/bin/test-trace.elf"])
def elf(request):
    path = BUILD / request.param
    if not path.exists():
        pytest.fail(f"{path} is missing: run make, or name a build folder in ORRERY_BUILD")
    return path


@pytest.fixture(scope="module")
def analysis(elf):
    from conftest import load_mktables
    mktables = load_mktables()
    return mktables.Analysis(mktables.Elf(str(elf))).run()


def describe(analysis, address, text):
    function = analysis.function_at(analysis.index(address))
    return f"{address:#x} in {function.name if function else '?'}: {text}"


def test_every_instruction_agrees_with_the_compiler(analysis, elf):
    unwind_map = analysis.unwind_map()
    wrong, compared = [], 0
    for start, end, rows in cfi.functions(elf):
        for address, row in cfi.states(start, end, rows):
            byte = unwind_map[analysis.index(address)]
            if not byte & 4:
                continue
            compared += 1
            if bool(byte & 1) != row.pushed:
                wrong.append(describe(analysis, address, f"frame pushed: compiler {row.pushed}"))
            if row.return_address == "c+16" and not byte & 2:
                wrong.append(describe(analysis, address, "compiler: return address saved"))
    assert compared > 10000
    assert not wrong, "\n".join(wrong[:20])


def test_what_is_unknown_is_never_executed(analysis, elf):
    """No state only for padding, tables in the text, and what stands behind a function's last
    branch."""
    unwind_map = analysis.unwind_map()
    unknown = []
    for start, end, _ in cfi.functions(elf):
        last = max((a for a in range(start, end, 4) if unwind_map[analysis.index(a)] & 4),
                   default=end)
        table = set()
        for address in range(start, last, 4):
            index = analysis.index(address)
            word = analysis.code[index]
            if word == 0x4E800420:  # bctr
                jumps = analysis.jump_table(index)
                table.update(range(index + 1, min((t for t in jumps if t > index), default=0)))
            if not unwind_map[index] & 4 and word not in (0x60000000,
                                                          0x60420000) and index not in table:
                unknown.append(describe(analysis, address, f"{word:#010x}"))
    assert not unknown, "\n".join(unknown[:20])


def test_every_call_can_find_its_way_back(analysis):
    """At a call that returns, the return address of the caller itself is in memory. Exempt are
    entry points, which return to nobody, by their name."""
    unwind_map = analysis.unwind_map()
    nowhere = ("_start", "secondary_start", "exception_entry", "thread_begin", "pmi_entry",
               "call_slow", "roll_back", "thread_entry", "user_enter", "user_resume")
    lost = []
    for index, word in enumerate(analysis.code):
        byte = unwind_map[index]
        if word >> 26 == 18 and word & 1 and byte & 4 and not byte & 2 and byte >> 3 != 13:
            function = analysis.function_at(index)
            if function is None or function.name not in nowhere:
                lost.append(describe(analysis, analysis.start + 4 * index,
                                     "return address not saved"))
    assert not lost, "\n".join(lost[:20])


def test_no_two_paths_disagree(analysis):
    found = [describe(analysis, analysis.start + 4 * i, "frame on one path only")
             for i in sorted(analysis.conflicts)]
    assert not found, "\n".join(found[:20])


def test_tables_of_the_final_image_are_those_it_contains(analysis, elf, tmp_path):
    """A second run on the final image gives the same tables, and they are what was linked."""
    out = tmp_path / "tables.S"
    subprocess.run([sys.executable, ROOT / "scripts" / "mktables.py", "--elf", elf, "--out", out],
                   check=True)
    size = analysis.elf.by_name["unwind_map"].value
    linked = bytes(analysis.elf.words(size, size + len(analysis.code), "B"))
    assert linked == analysis.unwind_map()
    count = analysis.elf.by_name["symbol_count"].value
    assert analysis.elf.words(count, count + 8, "Q") == (len(analysis.functions),)
