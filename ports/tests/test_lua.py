# SPDX-License-Identifier: MIT
"""Lua says in the machine what it says on the host, of each script in ports/lua."""

import glob
import os

import pytest

from conftest import HERE

FOLDER = os.path.join(HERE, "../lua")
SCRIPTS = sorted(glob.glob("*.lua", root_dir=FOLDER))


def test_nested_calls_of_c_take_more_than_256_kb(shell):
    """stacks.lua goes as deep as Lua lets it (LUAI_MAXCCALLS)."""
    words = ("run", "--stack", "256K", "lua", "/ports/lua/stacks.lua")
    done = shell.machine.kov_run(*words, check=False)
    assert done.returncode == 139 and not done.stdout, done
    assert shell.machine.kov_run("run", "lua", "/ports/lua/stacks.lua").stdout.startswith("pcall")


@pytest.mark.parametrize("script", SCRIPTS)
def test_lua_says_the_same_as_on_the_host(shell, host, script):
    said = shell.says(f"cd /ports/lua; lua {script} 2>&1")
    assert said.split("\n") == host("lua", script, folder=FOLDER).decode().strip("\n").split("\n")
