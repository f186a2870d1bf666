# SPDX-License-Identifier: MIT
"""scripts/check-folders on objects of two folders, and what their README says of them."""

import pathlib
import subprocess

import pytest

CHECK = pathlib.Path(__file__).resolve().parents[3] / "scripts/check-folders"
SOURCES = {"one/caller.c": "void called(void);\nvoid caller(void) { called(); }",
           "other/called.c": "void called(void) { }"}
README = ("| folder | concepts | uses |\n|---|---|---|\n"
          "| `{one}/` | calls | {} |\n| `{other}/` | | {} |\n")


@pytest.fixture(name="check")
def compile_and_check(tmp_path):
    for name, text in SOURCES.items():
        source, compiled = tmp_path / name, tmp_path / "obj" / f"{name}.o"
        for path in (source, compiled):
            path.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text, encoding="utf-8")
        subprocess.run(["powerpc64-linux-gnu-gcc", "-c", source, "-o", compiled], check=True)

    def run(*uses, one="one", other="other"):
        (tmp_path / "README.md").write_text(README.format(*uses, one=one, other=other),
                                            encoding="utf-8")
        done = subprocess.run([CHECK, "--objects", tmp_path / "obj", "--sources", tmp_path],
                              stdout=subprocess.PIPE, text=True, check=False)
        return done.returncode, done.stdout.replace(str(tmp_path), "")

    return run


def test_what_the_table_says_is_fine(check):
    assert check("other", "") == (0, "")


def test_a_use_that_it_does_not_say_is_told_with_its_symbols(check):
    assert check("", "") == (1, "/README.md does not say that one/ uses other/: called\n")


def test_a_use_that_there_is_not_is_told(check):
    assert check("other", "one") == (1, "/README.md: other/ does not use one/\n")


def test_an_object_without_a_source_does_not_count(check, tmp_path):
    (tmp_path / "one/caller.c").unlink()
    assert check("", "") == (0, "")


def test_the_core_uses_no_observer_whatever_the_table_says(check, tmp_path):
    for folder in (tmp_path, tmp_path / "obj"):
        (folder / "observe").mkdir()
        (folder / "other").rename(folder / "observe/other")
    assert check("observe/other", "", other="observe/other") == (
        1, "one/ must not use observe/other/: called\n")


def test_an_observer_may_use_the_core(check, tmp_path):
    for folder in (tmp_path, tmp_path / "obj"):
        (folder / "observe").mkdir()
        (folder / "one").rename(folder / "observe/one")
    assert check("other", "", one="observe/one") == (0, "")
