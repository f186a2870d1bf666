# SPDX-License-Identifier: MIT
"""scripts/check-widths on lines of all kinds."""

import pathlib
import subprocess

import pytest

CHECK = pathlib.Path(__file__).resolve().parents[3] / "scripts/check-widths"
LONG = "x" * 100
WORDS = "word " * 20 + "end"
SHORT = ", ".join(['"short"'] * 12)


def check(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    done = subprocess.run([CHECK, str(path)], stdout=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout.replace(f"{path}:", "")


@pytest.mark.parametrize("name, text", [
    ("a.c", "int " + "x" * 96),
    ("a.c", "// " + "…" * 97),
    ("a.c", f'        "{LONG}\\n"'),
    ("a.c", f'        "\\"{LONG}\\"");'),
    ("a.py", f"    rf'{LONG}'),"),
    ("a.ts", f"  /[{LONG}]/g;"),
    ("a.h", f"// https://{LONG}"),
    ("a.py", f'    "https://{LONG}",'),
    ("a.def", f'call(one, "{WORDS}", integer two)'),
    ("a.md", "y" * 120),
    ("a.md", f"| {LONG} | {LONG} |"),
    ("a.md", f"```\n{LONG} {LONG}\n```\n"),
    ("a.md", f"    {LONG} {LONG}"),
])
def test_what_fits_or_cannot_be_broken_is_fine(tmp_path, name, text):
    assert check(tmp_path, name, text) == (0, "")


@pytest.mark.parametrize("name, text, line, columns, most", [
    ("a.c", "\nint " + "x" * 97, 2, 101, 100),
    ("a.c", "// " + "…" * 98, 1, 101, 100),
    ("a.py", f"    print({SHORT})", 1, 117, 100),
    ("a.py", f'    """{LONG}"""', 1, 110, 100),
    ("a.py", f'"{LONG}", 1', 1, 105, 100),
    ("a.py", f'say("{LONG}")', 1, 107, 100),
    ("a.py", f'    "{WORDS}",', 1, 110, 100),
    ("a.py", f'"{LONG}""{LONG}"', 1, 204, 100),
    ("a.c", f'say("{WORDS}");', 1, 111, 100),
    ("a.c", f'call(one, "{WORDS}", integer two)', 1, 129, 100),
    ("a.c", f"/*{LONG}*/", 1, 104, 100),
    ("a.c", f"// see https://{LONG}", 1, 115, 100),
    ("a", f"die '{WORDS}'", 1, 109, 100),
    ("a.def", f'call(one, "short", {LONG})', 1, 120, 100),
    ("a.mk", f"A := {LONG}", 1, 105, 100),
    ("a.md", "y" * 121, 1, 121, 120),
    ("a.md", f"```\n```\n{LONG} {LONG}", 3, 201, 120),
])
def test_a_wide_line_is_told(tmp_path, name, text, line, columns, most):
    assert check(tmp_path, name, text) == (1, f"{line}: {columns} columns, at most {most}\n")
