# SPDX-License-Identifier: MIT
"""Names of functions, lines and call chains come from an ELF file that is compiled for the test."""

import subprocess

import pytest

from machine import add_samples

SOURCE = """
int bottom(int x)
{
    return x * 3; /* line 4 */
}
int middle(int x)
{
    return bottom(x) + 1; /* line 8 */
}
int _start(int x)
{
    return middle(x) + 2; /* line 12 */
}
static __attribute__((used)) int leaf(int x)
{
    return x - 1; /* line 16 */
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("program")
    (folder / "program.c").write_text(SOURCE)
    (folder / "other.c").write_text("static int leaf(int x)\n{\n    return x * 5;\n}\n"
                                    "int other(int x)\n{\n    return leaf(x);\n}\n")
    subprocess.run(["gcc", "-g", "-O0", "-fno-inline", "-nostdlib", "-static", "-no-pie",
                    "-Wl,--build-id=sha1", "program.c", "other.c", "-o", "program.elf"], cwd=folder,
                   check=True)
    return folder / "program.elf"


def address_of(program, line, file="program.c"):
    """Returns some address of the code of a line."""
    out = subprocess.run(["objdump", "--dwarf=decodedline", program], check=True,
                         capture_output=True, text=True).stdout
    return next(int(words[2], 16) for words in map(str.split, out.splitlines())
                if len(words) >= 3 and words[0] == file and words[1] == str(line))


def build_id_of(program):
    out = subprocess.run(["readelf", "-n", program], check=True, capture_output=True,
                         text=True).stdout
    return bytes.fromhex(next(line.split()[2] for line in out.splitlines() if "Build ID" in line))


@pytest.fixture
def recorded(kov, machine, program):
    """Records 20 samples in bottom, called by middle, called by _start, and 5 in middle."""
    machine.system.build_id = build_id_of(program)
    # Return addresses: kov looks at what lies one (PowerPC) instruction before.
    in_middle, in_start = address_of(program, 8) + 4, address_of(program, 12) + 4
    add_samples(machine, {(0x1010, address_of(program, 4)): 20}, callers=[in_middle, in_start])
    add_samples(machine, {(0x1010, address_of(program, 8)): 5}, callers=[in_start])
    assert kov("record", "-d", "0.1", machine=machine).code == 0


def test_functions_have_names(kov, recorded, program):
    result = kov("report", "--kernel", program, "--json", "--sort", "function")
    assert result.err == ""
    rows = result.json["tables"][0]["rows"]
    assert [(row["function"], row["samples"]) for row in rows] == [("bottom", 20), ("middle", 5)]


def test_lines_have_files_and_numbers(kov, recorded, program):
    rows = kov("report", "--kernel", program, "--json", "--sort", "line").json["tables"][0]["rows"]
    assert [row["line"].split("/")[-1] for row in rows] == ["program.c:4", "program.c:8"]


def test_call_chains_are_symbolised(kov, recorded, program):
    result = kov("report", "--kernel", program, "--json", "-g", "--sort", "object")
    chains = [(one["samples"], one["functions"])
              for one in result.json["tables"][0]["rows"][0]["chains"]]
    assert (20, ["bottom", "middle", "_start"]) in chains
    assert (5, ["middle", "_start"]) in chains


def test_call_chains_as_text(kov, recorded, program):
    lines = kov("report", "--kernel", program, "-g", "--sort", "object").out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.endswith("% bottom"))
    assert "80.00 %" in lines[at]
    assert lines[at + 1].endswith(" middle") and lines[at + 2].endswith(" _start")


def test_another_kernels_file_is_warned_of(kov, machine, program):
    add_samples(machine, {(0x1010, 0x100): 1})
    kov("record", "-d", "0.1", machine=machine)
    assert "build ids differ" in kov("report", "--kernel", program).err
    assert "differs" in kov("hello", "--kernel", program, machine=machine).out


def test_without_the_kernels_file_there_are_addresses(kov, machine):
    add_samples(machine, {(0x1010, 0x100): 1})
    kov("record", "-d", "0.1", machine=machine)
    result = kov("report", "--kernel", "missing.elf", "--json")
    assert result.code == 0
    assert "missing.elf" in result.err
    assert result.json["tables"][3]["rows"][0]["function"] == "0x100"


def test_functions_of_one_name_are_told_apart_by_their_files(kov, machine, program):
    machine.system.build_id = build_id_of(program)
    add_samples(machine, {(0x1010, address_of(program, 16)): 2,
                          (0x1010, address_of(program, 3, "other.c")): 1})
    kov("record", "-d", "0.1", machine=machine)
    rows = kov("report", "--kernel", program, "--json", "--sort",
               "function").json["tables"][0]["rows"]
    assert [row["function"] for row in rows] == ["leaf (program.c)", "leaf (other.c)"]
