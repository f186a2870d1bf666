# SPDX-License-Identifier: MIT
"""scripts/make/compile: a warning is an error with WERROR=1 alone, and none is forgotten."""

import os
import subprocess

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
COMPILE = os.path.join(ROOT, "scripts/make/compile")
UNUSED = "int main(void)\n{\n    int unused;\n    return 0;\n}\n"
CLEAN = "int main(void)\n{\n    return 0;\n}\n"


@pytest.fixture(name="compile_text")
def _compile_text(tmp_path):
    def run(text, werror=None):
        (tmp_path / "a.c").write_text(text)
        environment = {name: value for name, value in os.environ.items() if name != "WERROR"}
        environment.update({"WERROR": werror} if werror is not None else {})
        done = subprocess.run([COMPILE, "gcc", "-Wall", "-Werror", "-c", "a.c", "-o", "a.o"],
                              cwd=tmp_path, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout, (tmp_path / "a.o").exists(), \
            (tmp_path / "a.o.warned").exists()
    return run


@pytest.mark.parametrize("werror", [None, "", "0"])
def test_a_warning_is_shown_and_noted(compile_text, werror):
    status, said, made, noted = compile_text(UNUSED, werror)
    assert status == 0 and "unused variable" in said and made and noted


def test_what_no_longer_warns_is_no_longer_noted(compile_text):
    compile_text(UNUSED)
    assert compile_text(CLEAN) == (0, "", True, False)


def test_with_werror_it_is_an_error(compile_text):
    status, said, made, _ = compile_text(UNUSED, "1")
    assert status != 0 and "-Werror=unused" in said and not made


def test_an_error_is_one_in_any_case(compile_text):
    status, said, made, _ = compile_text("int main(void) { return nothing; }\n")
    assert status != 0 and "nothing" in said and not made


def test_make_compiles_again_what_has_warned(tmp_path):
    """The flags of the build, and a rule as others have it."""
    for name in ("scripts", "scripts/make"):
        (tmp_path / name).mkdir()
    for name in ("scripts/make/flags.mk", "scripts/make/compile"):
        (tmp_path / name).symlink_to(os.path.join(ROOT, name))
    (tmp_path / "a.c").write_text(UNUSED)
    (tmp_path / "Makefile").write_text("BUILD := build\ninclude scripts/make/flags.mk\n"
                                       "build/a.o: a.c\n\t@mkdir -p build\n"
                                       "\t@$(CC) $(HOST_CFLAGS) -c $< -o $@\n")

    def make(*arguments):
        return subprocess.run(["make", "--no-print-directory", "build/a.o", *arguments],
                              cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={"PATH": os.environ["PATH"]}, text=True, check=False)

    assert make("WERROR=0").returncode == 0
    assert make("WERROR=1").returncode != 0
    (tmp_path / "a.c").write_text(CLEAN)
    assert make("WERROR=1").returncode == 0
