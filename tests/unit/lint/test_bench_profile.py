# SPDX-License-Identifier: MIT
"""scripts/bench-profile on lines that do not exist, what it reads from a plugin's file, and whose
code it takes a block for."""

import pathlib
import subprocess
import sys

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parents[3] / "scripts"
sys.path.insert(0, str(SCRIPTS))
from mktables import Function  # noqa: E402
from profile_code import KERNEL_BASE, Block, Code, Program  # noqa: E402
from profile_windows import ProfileError, find_measured, read_places, read_windows  # noqa: E402

# Two rounds of a loop with the operation, of which the second was faster, and one without it.
WRITTEN = """\
block 1 10000000 7f 60000000 60000000
block 2 10000100 7f 60000000
ran 1 10
ran 2 100
window
told 3
ran 1 50
window
ran 2 7
window
ran 1 40
window
ran 1 10
ran 2 1
window
told 10
told 20
""".splitlines()


def measured(line, value):
    operations, windows, blocks = read_windows(WRITTEN, line)
    return find_measured(value, operations, windows, blocks)


@pytest.mark.parametrize("line, value, operations, instructions, times", [
    (0, 40, 3, 120, {1: 10, 2: 100}),
    (1, 8, 10, 80, {1: 40}),
    (1, 8.7, 10, 87, {1: 40, 2: 7}),                   # neighbours
    (1, 5.9, 10, 59, {1: 30, 2: -1}),                  # less the loop without
    (2, 4, 20, 80, {1: 40}),                           # the same windows as the line before
])
def test_the_windows_are_those_that_the_line_tells(line, value, operations, instructions, times):
    found = measured(line, value)
    assert found.operations == operations and found.instructions == instructions
    assert {block: ran for block, ran in found.times.items() if ran} == times


def test_the_nearest_sum_is_given_where_none_agrees():
    assert measured(0, 1000).instructions == 120


def test_windows_between_the_same_marks_are_one_place():
    between, blocks = read_places([
        "block 1 10000000 7f 60000000 60000000",
        "ran 1 10", "window 10000004 10000010", "ran 1 3", "window 10000010 10000004",
        "ran 1 2", "window 10000004 10000010"])
    assert list(between.items()) == [
        ((0x10000004, 0x10000010), (2, 24, {1: 12})), ((0x10000010, 0x10000004), (1, 6, {1: 3}))]
    assert blocks[1].words == [0x60000000, 0x60000000]


@pytest.mark.parametrize("written, line", [(WRITTEN, 3), (["told 5"], 1), (["else 1"], 0)])
def test_what_was_not_told_is_an_error(written, line):
    with pytest.raises(ProfileError):
        read_windows(written, line)


def test_a_line_without_windows_is_an_error():
    with pytest.raises(ProfileError):
        find_measured(5, *read_windows(["told 5"], 0))


BASE = 0x10000000


def program(name, start, *words):
    half, end = start + 4 * (len(words) // 2), start + 4 * len(words)
    return Program(name, start, words, lambda: [Function(start, half, "first", True),
                                                Function(half, end, "second", True)])


def by_function(*ran):
    code = Code(program("orrery-bench", KERNEL_BASE, 1, 2, 3, 4),
                [program("one", BASE, 7, 8, 10, 11), program("two", BASE, 7, 8, 20, 21)])
    return code.by_function([Block(*block) for *block, _ in ran], [times for *_, times in ran])


def test_words_tell_programs_at_the_same_address_apart():
    assert by_function((BASE + 8, 1, [10, 11], 5), (BASE + 8, 2, [20], 3)) == {
        ("one", "second"): 10, ("two", "second"): 3}


def test_what_programs_share_or_is_patched_belongs_to_its_page():
    assert by_function((BASE + 8, 1, [20], 3), (BASE, 1, [7, 8], 5), (BASE + 12, 1, [99], 1)) == {
        ("two", "second"): 4, ("two", "first"): 10}


def test_what_nothing_tells_is_unknown():
    assert by_function((BASE, 1, [7], 5)) == {("unknown", f"{BASE:#x}"): 5}


def test_the_kernel_has_real_and_effective_addresses():
    assert by_function((0, 1, [1, 2, 3], 2), (KERNEL_BASE + 8, 1, [3], 1)) == {
        ("kernel", "first"): 4, ("kernel", "second"): 3}


@pytest.mark.parametrize("line, said", [
    ("net.web_reqest", "no line net.web_reqest; did you mean net.web_request?"),
    ("zzz", "no line zzz; bench/budgets.json"),
    ("context_switch", "inside of the kernel"),
])
def test_a_line_that_it_cannot_measure_is_refused(line, said):
    done = subprocess.run([SCRIPTS / "bench-profile", line], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1 and said in done.stderr and done.stdout == ""
