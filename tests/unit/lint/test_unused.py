# SPDX-License-Identifier: MIT
"""scripts/check-unused on a made tree whose functions are used in each way, or in none."""

import pathlib
import subprocess

import pytest

CHECK = pathlib.Path(__file__).resolve().parents[3] / "scripts/check-unused"


def write(root, path, text):
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


@pytest.fixture(name="check")
def made_tree(tmp_path):
    """A header that declares twice(), its source, and a program of tests that calls it."""
    write(tmp_path, "kernel/twice.h", "// twice(3): 6.\nint twice(int value);\n")
    write(tmp_path, "kernel/twice.c",
          '#include "twice.h"\n\n'
          'int twice(int value)\n{\n    return value > 9 ? twice(9) : 2 * value;\n}\n')
    write(tmp_path, "tests/guest/main.c", "int main(void)\n{\n    return twice(1);\n}\n")

    def run(files=(), *arguments):
        for path, text in dict(files).items():
            write(tmp_path, path, text)
        done = subprocess.run([CHECK, "--root", tmp_path, *arguments], stdout=subprocess.PIPE,
                              text=True, check=False)
        return done.returncode, done.stdout

    return run


TOLD = (1, "kernel/twice.c:3: nothing in the product uses twice\n")


def test_what_tests_and_itself_alone_call_is_told_with_its_place(check):
    assert check() == TOLD


@pytest.mark.parametrize("path, text", [
    ("kernel/user.c",
     "static int user(void)\n{\n    return twice(2);\n}\nint (*f)(void) = user;\n"),
    ("kernel/table.c", "int (*const table[])(int) = {twice};\n"),
    ("kernel/entry.S", "    bl twice\n"),
    ("kernel/calls.def", "CALL(twice)\n"),
    ("kernel/user.h", "#define FOUR twice(2)\n"),
    ("kernel/clean.h", "#define HELD(n) __attribute__((cleanup(tw##n)))\nint *p HELD(ice);\n"),
])
def test_a_use_of_any_kind_is_enough(check, path, text):
    assert check({path: text}) == (0, "")


@pytest.mark.parametrize("text", [
    "// See twice().\n", "/* twice(2)\n   twice */\n", "struct twice {\n    int twice_;\n};\n",
    "static int other(struct s *s)\n{\n    return s->twice + s->x.twice;\n}\nint (*f)() = other;\n",
    "int twice(int value);\n", "int twice_as_much;\n",
])
def test_another_mention_is_none(check, text):
    assert check({"kernel/other.c": text}) == TOLD


def test_what_the_build_generates_uses(check, tmp_path):
    write(tmp_path, "build/gen/stub.c", "int stub(int value)\n{\n    return twice(value);\n}\n")
    assert check() == TOLD
    assert check((), "--generated", tmp_path / "build/gen") == (0, "")


def test_what_the_build_generates_for_tests_does_not(check, tmp_path):
    write(tmp_path, "build/gen/fuzz/calls.c", "int stub(void)\n{\n    return twice(1);\n}\n")
    assert check((), "--generated", tmp_path / "build/gen") == TOLD


@pytest.mark.parametrize("head", [
    "static inline int half(int value)",
    "static inline __attribute__((always_inline)) int\nhalf(int value)",
])
def test_functions_in_headers_are_told_as_well(check, head):
    code, said = check({"kernel/half.h": f"{head}\n{{\n    return value / 2;\n}}\n"})
    assert code == 1 and ": nothing in the product uses half\n" in said


@pytest.mark.parametrize("path", ["userlib/include/user/twice.h",
                                  "userlib/posix/include/sys/twice.h"])
def test_what_programs_may_call_is_for_others(check, path):
    assert check({path: "int twice(int value);\n"}) == (0, "")


def test_what_a_foreign_header_declares_is_for_others(check):
    assert check({"kernel/twice.h": ""}) == (0, "")
