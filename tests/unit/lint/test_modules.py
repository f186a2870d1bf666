# SPDX-License-Identifier: MIT
"""scripts/check-modules on folders with planted faults."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
CHECK = ROOT / "scripts/check-modules"


def write(root, files):
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def check(root, *arguments):
    done = subprocess.run([CHECK, "--root", str(root), *arguments], stdout=subprocess.PIPE,
                          text=True, check=False)
    return done.returncode, done.stdout


@pytest.fixture(name="house")
def good_house(tmp_path):
    """Two modules and what all share; an include of each kind that is right."""
    write(tmp_path, {
        "include/module.mk": "MODULE := orrery\n",
        "include/orrery/types.h": "",
        "low/module.mk": "MODULE := low\nDEPS := orrery\n",
        "low/include/low/low.h": "#include <orrery/types.h>\n",
        "high/module.mk": "MODULE := high\nDEPS := \\\n  orrery low\n",
        "high/include/high/high.h": "",
        "high/src/high.c": "#include <high/high.h>\n#include <low/low.h>\n#include <string.h>\n",
    })
    return tmp_path


def test_a_good_house_is_fine_and_drawn_from_above(house):
    assert check(house) == (0, "")
    code, graph = check(house, "--graph")
    assert code == 0 and graph == "high (high/)\n  │\nlow (low/)\n  │\norrery (include/)\n"


def test_what_stands_beside_the_chain_is_drawn_there(house):
    write(house, {"side/module.mk": "MODULE := side\nDEPS := orrery\n",
                  "high/module.mk": "MODULE := high\nDEPS := orrery low side\n",
                  "other/module.mk": "MODULE := other\nDEPS := orrery side\n"})
    lines = check(house, "--graph")[1].splitlines()
    assert lines[0].startswith("high (high/) ─") and "┐" in lines[0]
    assert any("side (side/)" in line for line in lines[1:])
    assert any("other (other/) → side" in line for line in lines)
    assert lines[-1].startswith("orrery (include/) ─") and lines[-1].endswith("┘")


def test_a_cycle_is_told_with_its_way(house):
    write(house, {"low/module.mk": "MODULE := low\nDEPS := orrery high\n"})
    code, said = check(house)
    assert code == 1 and said == "high/module.mk: a cycle: high -> low -> high\n"


def test_a_cycle_of_libraries_of_processes_is_told(house):
    write(house, {f"userlib/{one}/user.mk": f"LIBRARY := {one}\nDEPS := {other}\n"
                  for one, other in ("ab", "bc", "ca")})
    code, said = check(house)
    assert code == 1 and said == "userlib/a/user.mk: a cycle: a -> b -> c -> a\n"


@pytest.mark.parametrize("path", ["low/src/low.c", "low/include/low/low.h", "low/src/low.S"])
def test_an_undeclared_include_is_told_with_its_line(house, path):
    write(house, {path: "\n#include <high/high.h>\n"})
    code, said = check(house)
    assert code == 1 and said == f"{path}:2: <high/high.h> is high's, which is not in DEPS of low/module.mk\n"


def test_a_room_that_includes_one_behind_it_is_told(house):
    write(house, {"viewer/viewer.mk": "KOV_ROOMS := low high\n",
                  "viewer/low/a.h": "", "viewer/high/b.h": "",
                  "viewer/high/b.c": '#include "high/b.h"\n#include "low/a.h"\n'})
    assert check(house) == (0, "")
    write(house, {"viewer/low/a.c": '#include "low/a.h"\n#include "high/b.h"\n'})
    assert check(house) == (1, "viewer/low/a.c:2: low stands below high, which it includes\n")
    write(house, {"viewer/low/a.c": '#include "a.h"\n'})
    assert check(house) == (1, 'viewer/low/a.c:1: #include "a.h": no room of KOV_ROOMS\n')


def test_a_graph_that_is_not_true_any_more_is_told(house):
    _, graph = check(house, "--graph")
    write(house, {"docs/architecture.md": f"# Architecture\n\n```modules\n{graph}```\nMore.\n"})
    assert check(house) == (0, "")
    write(house, {"high/module.mk": "MODULE := high\nDEPS := low\n",
                  "higher/module.mk": "MODULE := higher\nDEPS := high\n"})
    code, said = check(house)
    assert code == 1 and "docs/architecture.md" in said


def test_this_house_is_good():
    assert check(ROOT) == (0, "")
