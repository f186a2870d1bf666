# SPDX-License-Identifier: MIT
"""scripts/check-names on a program whose functions have the same name, and on one whose do not."""

import pathlib
import subprocess

import pytest

CHECK = pathlib.Path(__file__).resolve().parents[3] / "scripts/check-names"
COMPILER = ["powerpc64-linux-gnu-gcc", "-g", "-nostdlib", "-static"]


@pytest.fixture(name="check")
def link_and_check(tmp_path):
    def run(*sources, optimise="-O0"):
        paths = [tmp_path / f"file{i}.c" for i in range(len(sources))]
        for path, source in zip(paths, sources):
            path.write_text(source, encoding="utf-8")
        image = tmp_path / "image.elf"
        subprocess.run([*COMPILER, optimise, *paths, "-o", image], check=True)
        done = subprocess.run([CHECK, image], stdout=subprocess.PIPE, text=True, check=False)
        return done.returncode, done.stdout

    return run


def test_different_names_are_fine(check):
    assert check("void _start(void) { }", "void other(void) { }") == (0, "")


def test_a_name_that_stands_twice_is_told_with_both_places(check):
    code, said = check("static void work(void) { }\nvoid _start(void) { work(); }",
                       "\nstatic void work(void) { }\nvoid other(void) { work(); }")
    assert code == 1
    assert said.endswith("image.elf: more than one function is called work: file0.c file1.c\n")


# Compiled so that only WORK.constprop.0 is left.
COPIED = "volatile int sink;\nstatic __attribute__((noinline)) void work(int by)\n" \
    "{ for (int i = 0; i < by; i++) sink += by * i; }\n"


def test_the_compilers_copy_counts_as_its_function(check):
    once = COPIED + "void _start(void) { work(7); work(7); }"
    other = COPIED.replace("sink", "other_sink") + "void other(void) { work(9); work(9); }"
    assert check(once, optimise="-O2") == (0, "")
    code, said = check(once, other, optimise="-O2")
    assert code == 1 and said.endswith("is called work: file0.c file1.c\n"), said
    code, said = check(once, "static void work(void) { }\nvoid other(void) { work(); }")
    assert code == 1 and said.endswith("is called work: file0.c file1.c\n"), said


def test_what_is_no_image_fails(tmp_path):
    path = tmp_path / "empty.elf"
    path.write_bytes(b"")
    done = subprocess.run([CHECK, path], stderr=subprocess.DEVNULL, check=False)
    assert done.returncode != 0
