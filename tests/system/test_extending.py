# SPDX-License-Identifier: MIT
"""docs/extending.md, and the example of docs/trace.md, made: its changes in a copy of the sources,
built and booted."""

import json
import os
import re
import shutil
import subprocess

import pytest

import sanitizers
from machine import BUILD, ROOT, Machine

BLOCK = re.compile(r"^```\w+ (\S+)(?: (behind|in place of|at the end)(?: ([^\n]*))?)?\n(.*?)^```$",
                   re.MULTILINE | re.DOTALL)
PROGRAMS = "init fs proc dci net sh greet apples"
PATIENCE = 3000  # seconds


def ours():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    return [name for name in listed.stdout.decode().split("\0")
            if os.path.isfile(os.path.join(ROOT, name))]


def copy_sources(to):
    for name in ours():
        os.makedirs(os.path.dirname(os.path.join(to, name)), exist_ok=True)
        shutil.copy2(os.path.join(ROOT, name), os.path.join(to, name))


def copy_build(to):
    """What was compiled, with its times, as somebody who extends the system has it; what is large
    is linked again. A root of check-releases has devices, which have no end."""
    left_out = shutil.ignore_patterns("unit", "bin", "pass1", "third_party", "releases", "linux",
                                      "*.elf", "*.cpio")
    shutil.copytree(BUILD, to, ignore=left_out, symlinks=True)
    os.symlink(os.path.join(os.path.abspath(BUILD), "third_party"), os.path.join(to, "third_party"))


def change(root, path, how, where, text):
    full = os.path.join(root, path)
    if how is None:
        assert not os.path.exists(full), f"{path} is there already"
        os.makedirs(os.path.dirname(full), exist_ok=True)
        lines, at = [], 0
    else:
        with open(full, encoding="utf-8") as file:
            lines = file.read().split("\n")
        at = len(lines) - 1
        if how != "at the end":
            found = [i for i, line in enumerate(lines) if line.startswith(where)]
            assert len(found) == 1, f"{path}: {len(found)} lines begin with {where!r}"
            at = found[0] + (how == "behind")
    if how == "in place of":
        rest = lines[at][len(where):]
        lines[at:at + 1] = (text.rstrip("\n") + rest).split("\n")
    else:
        lines[at:at] = text.rstrip("\n").split("\n")
    with open(full, "w", encoding="utf-8") as file:
        file.write("\n".join(lines).rstrip("\n") + "\n")


def make_changes(root):
    """In a copy of the sources. Returns the files."""
    copy_sources(root)
    blocks = []
    for page in ("docs/extending.md", "docs/trace.md"):
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            blocks += BLOCK.findall(file.read())
    assert len(blocks) > 18
    for path, how, where, text in blocks:
        change(root, path, how or None, where, text)
    return sorted({path for path, *_ in blocks})


GENERATED = ["syscalls/numbers.h", "trace/events.h", "dci/dci.pb.h", "host/dci.pb-c.h"]


def test_what_the_page_says_passes_lint(tmp_path):
    """The checks of scripts/lint that need no build, each of which looks at sources; and numbers
    that are taken are refused where sources are generated."""
    root = str(tmp_path / "orrery")
    files = make_changes(root)
    code = [path for path in files if path.endswith((".c", ".h"))]
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "add", "."], cwd=root, check=True)
    for command in (["scripts/check-includes", *code], ["scripts/check-modules"],
                    ["scripts/check-limits"], ["scripts/check-pages"], ["scripts/check-mentions"],
                    ["scripts/check-objects"], ["scripts/check-widths", *files],
                    ["scripts/check-unused", "--generated", os.path.join(BUILD, "gen")],
                    ["make", "--silent", *(f"build/gen/{name}" for name in GENERATED)],
                    ["clang-format", "--dry-run", "-Werror", *code],
                    ["cppcheck", "--quiet", "--error-exitcode=1", "--inline-suppr",
                     "--suppressions-list=scripts/cppcheck-suppressions.txt", "--std=c11",
                     "--platform=unix64", "--enable=warning,portability", "-Iviewer",
                     *(path for path in code if path.endswith(".c"))]):
        done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=PATIENCE, check=False)
        assert done.returncode == 0, (command[0], done.stdout)


@pytest.fixture(name="extended", scope="module")
def built_as_the_page_says(tmp_path_factory):
    """The build folder of a copy with all changes of the page."""
    root = str(tmp_path_factory.mktemp("extended") / "orrery")
    make_changes(root)
    copy_build(os.path.join(root, "build"))
    build = os.path.join(root, "build")
    done = subprocess.run(["make", "-j2", f"USER_ONLY={PROGRAMS}", "build/orrery.elf",
                           "build/initrd.cpio", "build/kov"], cwd=root, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
    return build


@pytest.mark.long
@pytest.mark.minutes
@pytest.mark.skipif(sanitizers.active(), reason="it builds images of its own")
@pytest.mark.parametrize("cpus, implementation", [(1, "SharedGreeter"), (2, "DistributedGreeter")])
def test_everything_is_there(extended, tmp_path, cpus, implementation):
    with Machine(str(tmp_path), "extended", cpus=cpus,
                 kernel=os.path.join(extended, "orrery.elf")) as machine:
        machine.wait_ready()

        def kov(*arguments):
            command = [os.path.join(extended, "kov"), *machine.kov_command(*arguments)[1:]]
            return subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True,
                                  timeout=PATIENCE, check=True).stdout

        assert kov("greetings") == "0 greetings\n"
        kov("trace", "set", "-e", "greet")
        assert kov("run", "/bin/greet", "world") == "hello, world: greeting 1\n"
        assert kov("run", "/bin/greet", "moon") == "hello, moon: greeting 2\n"
        assert json.loads(kov("--json", "greetings")) == {"total": 2}
        assert implementation in kov("objects", "--class", "Greeter")
        kov("run", "/bin/apples")
        assert "apples:picked" in kov("trace", "list")
        assert "greeting" in kov("trace", "list") and "Say how many" in kov("help", "greetings")
