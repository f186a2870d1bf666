# SPDX-License-Identifier: MIT
"""lower.py gives back what the compiler gives back, where the compiler does, and refuses the
rest."""

import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from lower import NotLowered, lower  # pylint: disable=wrong-import-position


def run_c(text, folder, name):
    source, binary = folder / f"{name}.c", folder / name
    source.write_text(text, encoding="utf-8")
    subprocess.run(["gcc", "-Wall", "-o", binary, source], check=True)
    return subprocess.run([binary], stdout=subprocess.PIPE, text=True, check=True).stdout


def test_what_is_held_is_given_back_as_the_compiler_does(tmp_path):
    with open(os.path.join(HERE, "held.c"), encoding="utf-8") as file:
        original = file.read()
    preprocessed = subprocess.run(["gcc", "-E", os.path.join(HERE, "held.c")],
                                  stdout=subprocess.PIPE, text=True, check=True).stdout
    lowered = lower(preprocessed)
    assert "cleanup(" in preprocessed and "cleanup(" not in lowered
    expected = run_c(original, tmp_path, "original")
    assert expected.count("put") > 50
    assert run_c(lowered, tmp_path, "lowered") == expected


HELD = "__attribute__((cleanup(put)))"


@pytest.mark.parametrize("body", [
    f"{HELD} int a = 1, b = 2; return a;",
    f"{HELD} int a[2] = {{1}}; return a[0];",
    f"{HELD} int a = 1; if (a) goto out; out: return a;",
    f"{HELD} int a = 1; while (a) if (a++ > 2) break; return a;",
    f"int a {HELD.replace('((', '((unused, ')} = 1; return a;",
])
def test_what_cannot_be_lowered_is_refused(body):
    with pytest.raises(NotLowered):
        lower(f"int f(void) {{ {body} }}")


def test_text_without_cleanup_stays_as_it_is():
    text = "int f(void) { for (;;) if (g()) break; return '\"' /* { */; }\n"
    assert lower(text) == text
