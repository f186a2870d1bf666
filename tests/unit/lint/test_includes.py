# SPDX-License-Identifier: MIT
"""scripts/check-includes on sources with planted paths."""

import pathlib
import subprocess

import pytest

CHECK = pathlib.Path(__file__).resolve().parents[3] / "scripts/check-includes"
FILES = {
    "kernel/module.mk": "", "kernel/proc/calls.h": "", "kernel/mem/pages.h": "",
    "userlib/user.mk": "", "userlib/src/thread.h": "",
    "userlib/posix/user.mk": "", "userlib/posix/table.h": "",
    "viewer/tools/text.h": "", "viewer/wire/frame.h": "",
}


def check(root, path, include):
    for name, text in {**FILES, path: f"\n#include {include}\n"}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    done = subprocess.run([CHECK, path], cwd=root, stdout=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize("path, include", [
    ("kernel/mem/pages.c", '"pages.h"'), ("kernel/mem/pages.c", '"proc/calls.h"'),
    ("userlib/src/thread.c", '"thread.h"'), ("viewer/wire/frame.c", '"tools/text.h"'),
    ("userlib/start.c", "<posix/table.h>"),  # not looked for beside the file
])
def test_what_stands_beside_or_below_is_fine(tmp_path, path, include):
    assert check(tmp_path, path, include) == (0, "")


@pytest.mark.parametrize("path, header", [
    ("kernel/mem/pages.c", "../proc/calls.h"), ("kernel/mem/pages.S", "../proc/calls.h"),
    ("userlib/src/thread.c", "../posix/table.h"), ("userlib/src/thread.c", "../src/thread.h"),
    ("viewer/wire/frame.c", "../tools/text.h"), ("viewer/wire/frame.c", "gone/../frame.h"),
])
@pytest.mark.parametrize("quotes", ['""', "<>"])
def test_a_path_through_the_folder_above_is_told(tmp_path, path, header, quotes):
    assert check(tmp_path, path, quotes[0] + header + quotes[1]) == \
        (1, f"{path}:2: {header}: a path through ..\n")


def test_a_path_into_another_module_is_told(tmp_path):
    assert check(tmp_path, "userlib/start.c", '"posix/table.h"') == \
        (1, "userlib/start.c:2: posix/table.h belongs to another module, userlib/posix\n")
