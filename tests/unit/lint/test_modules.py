# SPDX-License-Identifier: MIT
"""scripts/check-modules on folders with planted faults."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
CHECK = ROOT / "scripts/check-modules"
USES_ITS_CLIENT = "servers/server/user.mk: it uses client, which is a client of server\n"


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
    told = f"{path}:2: <high/high.h> is high's, which is not in DEPS of low/module.mk\n"
    assert code == 1 and said == told


# ---- processes -----------------------------------------------------------------------------------

@pytest.fixture(name="town")
def good_town(house):
    """The house with a kernel above it, and processes: a server, what it shares with its client,
    and a program that uses the client."""
    write(house, {
        "kernel/module.mk": "MODULE := kernel\nDEPS := orrery low\n",
        "kernel/include/kernel/kernel.h": "",
        "kernel/proc/calls.h": "",
        "kernel/proc/calls.c": '#include "proc/calls.h"\n#include <low/low.h>\n',
        "scripts/make/user.mk": "LIBRARY :=\nDEPS :=\n"
                                "USER_ALWAYS = $(filter $(USER_LIBRARIES),always user)\n",
        "userlib/user.mk": "LIBRARY := user\nROOT_INC := low/include\n"
                           "ROOT_SRC := $(GEN)/stubs.S $(addprefix low/src/,a.c b.c)\n",
        "userlib/include/user/user.h": "",
        "userlib/src/user.c": "#include <user/user.h>\n#include <low/low.h>\n#include <time.h>\n",
        "userlib/always/user.mk": "LIBRARY := always\nPUBLIC_INC := low/include\n",
        "userlib/always/include/always/always.h": "",
        "userlib/always/include/time.h": "#include_next <time.h>\n",
        "userlib/both/user.mk": "LIBRARY := both\n",
        "userlib/both/include/both.h": "",
        "userlib/client/user.mk": "LIBRARY := client\nDEPS := both\nCLIENT_OF := server\n",
        "userlib/client/include/client.h": "#include <both.h>\n",
        "servers/server/user.mk": "PROGRAM := server\nSRC := main.c\nDEPS := both\n",
        "servers/server/main.h": "",
        "servers/server/main.c": '#include "main.h"\n'
                                 '#include <both.h>\n#include <always/always.h>\n',
        "commands/user.mk": "PROGRAMS := one two\nDEPS := client\n",
        "commands/one.c": "#include <client.h>\n#include <low/low.h>\n",
        "tests/guest/user/looks/user.mk": "PROGRAM := looks\nROOT_INC := userlib/src\n"
                                          "ROOT_SRC := userlib/src/user.c\n",
        "tests/guest/user/verdicts/user.mk": "LIBRARY := verdicts\n",
    })
    return house


def test_a_good_town_is_fine(town):
    assert check(town) == (0, "")


def add(root, path, text):
    write(root, {path: (root / path).read_text(encoding="utf-8") + text})


@pytest.mark.parametrize("unit, header, owner, mk", [
    ("userlib/src/user.c", "always/always.h", "always", "userlib/user.mk"),
    ("userlib/src/more.S", "always/always.h", "always", "userlib/user.mk"),
    ("userlib/client/client.c", "always/always.h", "always", "userlib/client/user.mk"),
    ("userlib/client/client.c", "low/low.h", "always", "userlib/client/user.mk"),
    ("commands/one.c", "both.h", "both", "commands/user.mk"),  # only by way of the client
    ("commands/one.c", "kernel/kernel.h", "kernel", "commands/user.mk"),
    ("servers/server/main.c", "client.h", "client", "servers/server/user.mk"),
    ("kernel/proc/calls.c", "user/user.h", "user", "kernel/module.mk"),
])
def test_an_undeclared_include_of_processes_is_told(town, unit, header, owner, mk):
    write(town, {unit: f"\n#include <{header}>\n"})
    assert check(town) == (1, f"{unit}:2: <{header}> is {owner}'s, which is not in DEPS of {mk}\n")


def test_what_is_bare_sees_no_library(town):
    write(town, {"servers/server/user.mk": "PROGRAM := server\nBARE := yes\nDEPS := both\n"})
    code, said = check(town)
    assert code == 1 and "<always/always.h> is always's" in said


@pytest.mark.parametrize("how", ["DEPS += client", "DEPS := \\\n  both client",
                                 "DEPS = both client"])
def test_a_server_that_uses_its_client_is_told(town, how):
    add(town, "servers/server/user.mk", how + "\n")
    assert check(town) == (1, USES_ITS_CLIENT)


def test_a_server_that_uses_its_client_by_way_of_another_is_told(town):
    write(town, {"userlib/way/user.mk": "LIBRARY := way\nDEPS := client\n"})
    add(town, "servers/server/user.mk", "DEPS += way\n")
    assert check(town) == (1, USES_ITS_CLIENT)


def test_a_client_of_nobody_is_told(town):
    add(town, "userlib/both/user.mk", "CLIENT_OF := servant\n")
    assert check(town) == (1, "userlib/both/user.mk: CLIENT_OF: there is no program servant\n")


@pytest.mark.parametrize("kind, word", [
    ("ROOT_SRC", "kernel/proc/calls.c"), ("ROOT_SRC", "servers/server/main.c"),
    ("ROOT_SRC", "userlib/src/user.c"), ("ROOT_SRC", "tests/guest/user/looks/a.c"),
    ("ROOT_INC", "kernel/include"), ("ROOT_INC", "servers/server"), ("ROOT_INC", "low/src"),
    ("ROOT_INC", "userlib/src"), ("PUBLIC_INC", "servers/server/include"),
])
def test_what_is_in_no_module_below_is_told(town, kind, word):
    add(town, "userlib/client/user.mk", f"{kind} := {word}\n")
    assert check(town) == (1, f"userlib/client/user.mk: {kind}: {word} is in no module that "
                              "stands below processes\n")


def test_a_source_of_several_with_one_prefix_is_read(town):
    add(town, "userlib/client/user.mk", "ROOT_SRC := $(addprefix kernel/,mem/a.c \\\n  proc/b.c)\n")
    _, said = check(town)
    assert "ROOT_SRC: kernel/mem/a.c is" in said and "ROOT_SRC: kernel/proc/b.c is" in said


def test_a_test_may_not_look_into_kernel_or_servers(town):
    add(town, "tests/guest/user/looks/user.mk",
        "ROOT_SRC += kernel/proc/calls.c servers/server/main.c\n")
    _, said = check(town)
    assert said.count("tests/guest/user/looks/user.mk: ROOT_SRC: ") == 2


def test_what_uses_tests_is_told(town):
    add(town, "servers/server/user.mk", "DEPS += verdicts\n")
    assert check(town) == (1, "servers/server/user.mk: it uses verdicts, which is for tests\n")


@pytest.mark.parametrize("line, said", [
    ("SRC += ../other/a.c", "SRC leaves the folder: ../other/a.c"),
    ("PRIVATE_INC := ../../kernel", "PRIVATE_INC leaves the folder: ../../kernel"),
    ("CFLAGS := -O2 -Ikernel/include", "CFLAGS has headers looked for: DEPS does that"),
])
def test_ways_around_what_is_declared_are_told(town, line, said):
    add(town, "servers/server/user.mk", line + "\n")
    assert check(town) == (1, f"servers/server/user.mk: {said}\n")


# ---- the host ------------------------------------------------------------------------------------

@pytest.mark.parametrize("folder, mk, name", [("viewer", "viewer/viewer.mk", "KOV"),
                                              ("pmu/model", "pmu/model/model.mk", "PMU_MODEL")])
def test_what_the_host_includes_of_the_machine_is_declared(town, folder, mk, name):
    write(town, {mk: f"KOV_ROOMS := tools\n{name}_MACHINE := orrery/% low/low.h\n"
                     f"{name}_CFLAGS = -Iinclude -Ilow/include -Ikernel/include -I{folder}\n",
                 f"{folder}/tools/a.c": "#include <orrery/types.h>\n#include <low/low.h>\n"
                                        "#include <user/user.h>\n"})  # the host's own, not ours
    assert check(town) == (0, "")
    write(town, {f"{folder}/tools/b.c": "#include <kernel/kernel.h>\n"})
    assert check(town) == (1, f"{folder}/tools/b.c:1: <kernel/kernel.h> is not in "
                              f"{name}_MACHINE of {mk}\n")


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
