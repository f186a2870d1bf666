# SPDX-License-Identifier: MIT
"""kov hello and server, tokens, and the command line as such."""

import re

import pytest

from conftest import ROOT


def test_hello_tells_version_machine_role_and_limits(kov, machine):
    result = kov("hello", machine=machine)
    assert result.code == 0
    for text in ("Orrery 0.1 test", "000102030405", "controller", "512 MB", "3.000 s",
                 "64 clients"):
        assert text in result.out


def test_hello_as_json(kov, machine):
    hello = kov("hello", "--json", machine=machine).json
    assert hello["protocol"] == 2
    assert hello["role"] == "controller"
    assert hello["system"]["cpus"] == 2
    assert hello["system"]["build_id"] == bytes(range(20)).hex()
    assert hello["limits"]["frame_bytes"] == 1 << 20


def test_hello_without_token_tells_what_anybody_may_know(kov, machine):
    result = kov("--token", "", "hello", machine=machine)
    assert result.code == 0
    assert "none" in result.out
    assert "Orrery 0.1 test" not in result.out


def test_a_wrong_token_is_told(kov, machine):
    result = kov("--token", "guess", "hello", machine=machine)
    assert result.code == 3
    assert "token" in result.err


def test_the_token_comes_from_the_environment(kov, machine):
    result = kov("hello", "--json", machine=machine, env={"ORRERY_TOKEN": "look"})
    assert result.json["role"] == "observer"


def test_other_commands_need_a_token(kov, machine):
    result = kov("--token", "", "objects", machine=machine)
    assert result.code == 3
    assert "--token" in result.err


def test_an_observer_is_told_which_token_is_needed(kov, machine):
    result = kov("--token", "look", "stat", machine=machine)
    assert result.code == 1
    assert "controller" in result.err


@pytest.mark.parametrize("arguments", [
    ["nonsense"], ["hello", "extra"], ["hello", "--nonsense"], ["trace"], ["record", "-F"],
    ["record", "-F", "0"],
    ["record", "-F", "10", "-c", "5000"], ["record", "-c", "1000", "--randomise", "10"],
    ["record", "-g", "17"],
    ["report", "--sort", "nonsense"], ["report", "--sort", "object,object"], ["objects", "("],
    ["record", "--"],
    ["hello", "--", "demo"], ["--port", "70000", "hello"], ["stat", "-d", "soon"], ["trace", "set"],
    ["trace", "record", "--mode", "sometimes"], ["trace", "record", "-e", "NOSUCH"],
    ["workload", "stop", "x"],
    ["workload", "run"], ["help", "nonsense"], [],
])
def test_wrong_usage_ends_with_2_and_a_message(kov, machine, arguments):
    result = kov(*arguments, machine=machine)
    assert result.code == 2
    assert result.err.strip()
    assert result.out == ""


def test_help_lists_every_command(kov):
    overview = kov("help")
    assert overview.code == 0
    for command in ("hello", "objects", "stat", "record", "report", "top", "trace record",
                    "workload run", "poweroff"):
        assert f"  {command} " in overview.out
        assert kov("help", *command.split()).out.startswith(f"usage: kov {command}")
        assert kov(*command.split(), "--help").out == kov("help", *command.split()).out


def test_version_is_that_of_the_header(kov):
    header = (ROOT / "include/orrery/version.h").read_text(encoding="utf-8")
    version = re.search(r'#define ORRERY_VERSION "(.+)"', header)[1]
    assert kov("--version").out == f"kov {version}\n"


def test_server_shows_clients_and_what_was_refused(kov, machine):
    result = kov("server", machine=machine)
    assert result.code == 0
    assert "accepted 4, refused 1" in result.out and "malformed 2, denied 3" in result.out
    assert result.out.splitlines()[-1].split() == ["3", "observer", "0", "0", "0", "0", "0", "6",
                                                   "dref"]
    account = kov("server", "--json", machine=machine).json
    assert account["network"]["received_frames"] == 99
    assert [client["client"] for client in account["clients"]] == [4, 3]


def leave_token(folder, machine, token):
    (folder / "orrery").mkdir(parents=True)
    (folder / "orrery" / f"{machine.port}.token").write_text(f"{token}\n")


@pytest.mark.parametrize("variable, folder", [("XDG_RUNTIME_DIR", "."), ("HOME", ".cache")])
def test_the_token_comes_from_the_file_for_the_port(kov, machine, tmp_path, variable, folder):
    leave_token(tmp_path / folder, machine, "look")
    places = {"XDG_RUNTIME_DIR": "", "HOME": "", variable: str(tmp_path)}
    assert kov("hello", "--json", machine=machine, env=places).json["role"] == "observer"
    named = kov("--host", "localhost", "hello", "--json", machine=machine, env=places)
    assert named.json["role"] == "observer"
    given = kov("--token", "orrery", "hello", "--json", machine=machine, env=places)
    assert given.json["role"] == "controller"


@pytest.mark.parametrize("token", ["", "two words", "x" * 65, "\x01"])
def test_a_file_without_a_token_is_none(kov, machine, tmp_path, token):
    leave_token(tmp_path, machine, token)
    places = {"XDG_RUNTIME_DIR": str(tmp_path), "HOME": ""}
    assert kov("hello", "--json", machine=machine, env=places).json["role"] == "controller"


def test_a_refusal_says_where_the_token_was_from(kov, machine, tmp_path):
    places = {"XDG_RUNTIME_DIR": str(tmp_path / "run"), "HOME": str(tmp_path / "home")}
    machine.tokens = {"other": 0}
    result = kov("hello", machine=machine, env=places)
    assert result.code == 3
    assert f'"orrery", taken because there is none in {tmp_path}/run/orrery/' in result.err
    assert f"{tmp_path}/home/.cache/orrery/{machine.port}.token" in result.err
    leave_token(tmp_path / "run", machine, "old")
    result = kov("hello", machine=machine, env=places)
    assert result.code == 3
    assert f"the token in {tmp_path}/run/orrery/{machine.port}.token" in result.err


@pytest.mark.parametrize("words, hint", [
    (("trase", "show"), "no command 'trase' (did you mean 'trace'?)"),
    (("trace", "recrod"), "no command 'trace recrod' (did you mean 'record'?)"),
    (("stat", "--evnet", "x"), "--evnet (did you mean 'event'?)"),
    (("trace", "set", "-e", "SHCED"), "'SHCED' is no major or event (did you mean 'SCHED'?)"),
])
def test_what_is_near_is_offered(kov, machine, words, hint):
    result = kov(*words, machine=machine)
    assert result.code == 2 and hint in result.err and result.out == "", result.err


@pytest.mark.parametrize("words", [("frobnicate",), ("x",), ("trace", "nonsense"), ("trace",),
                                   ("ps", "--x"), ("trace", "set", "-e", "frobnicate")])
def test_what_is_not_near_is_not_offered(kov, machine, words):
    result = kov(*words, machine=machine)
    assert result.code == 2 and "did you mean" not in result.err and result.err, result.err
