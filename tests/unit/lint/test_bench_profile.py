# SPDX-License-Identifier: MIT
"""scripts/bench-profile on lines that do not exist, and what it reads from a plugin's file."""

import pathlib
import subprocess
import sys

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parents[3] / "scripts"
sys.path.insert(0, str(SCRIPTS))
from profile_windows import ProfileError, find_measured, read_windows  # noqa: E402

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


@pytest.mark.parametrize("written, line", [(WRITTEN, 3), (["told 5"], 1), (["else 1"], 0)])
def test_what_was_not_told_is_an_error(written, line):
    with pytest.raises(ProfileError):
        read_windows(written, line)


def test_a_line_without_windows_is_an_error():
    with pytest.raises(ProfileError):
        find_measured(5, *read_windows(["told 5"], 0))


@pytest.mark.parametrize("line, said", [
    ("net.web_reqest", "no line net.web_reqest; did you mean net.web_request?"),
    ("zzz", "no line zzz; bench/budgets.json"),
    ("context_switch", "inside of the kernel"),
])
def test_a_line_that_it_cannot_measure_is_refused(line, said):
    done = subprocess.run([SCRIPTS / "bench-profile", line], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1 and said in done.stderr and done.stdout == ""
