# SPDX-License-Identifier: MIT
"""scripts/check-names on a program whose functions have the same name, and on one whose do not."""

import pathlib
import subprocess

import pytest

CHECK = pathlib.Path(__file__).resolve().parents[3] / "scripts/check-names"
COMPILER = ["powerpc64-linux-gnu-gcc", "-g", "-O0", "-nostdlib", "-static"]


@pytest.fixture(name="check")
def link_and_check(tmp_path):
    def run(*sources):
        paths = [tmp_path / f"file{i}.c" for i in range(len(sources))]
        for path, source in zip(paths, sources):
            path.write_text(source, encoding="utf-8")
        image = tmp_path / "image.elf"
        subprocess.run([*COMPILER, *paths, "-o", image], check=True)
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


def test_what_is_no_image_fails(tmp_path):
    path = tmp_path / "empty.elf"
    path.write_bytes(b"")
    done = subprocess.run([CHECK, path], stderr=subprocess.DEVNULL, check=False)
    assert done.returncode != 0
