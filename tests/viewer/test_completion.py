# SPDX-License-Identifier: MIT
"""Two things are made from the tables of commands and options: completion in shells, and the manual
page."""
import re
import shutil
import subprocess

import pytest

from conftest import KOV

# In one process, so that `kov help` of all commands is read once.
pytestmark = pytest.mark.xdist_group("completion")


def run(*arguments):
    return subprocess.run(arguments, stdout=subprocess.PIPE, text=True, check=True,
                          timeout=60).stdout


@pytest.fixture(scope="module", name="commands")
def command_table():
    """Returns each command with its options, as `kov help` tells them."""
    overview = run(KOV, "help").split("\nOptions of every command:\n")
    names = re.findall(r"^  ([a-z]+(?: [a-z]+)?)  +", overview[0], re.MULTILINE)
    assert len(names) > 30
    common = re.findall(r"^  +(?:-\w, )?(--[a-z-]+)", overview[1], re.MULTILINE)
    return {name: re.findall(r"^  +(?:-\w, )?(--[a-z-]+)", run(KOV, "help", *name.split()),
                             re.MULTILINE) + common for name in names}


# Words of a line end in \x1f, since they may be empty. So does each answer.
COMPLETE_LINES = """
while IFS=$'\\x1f' read -r -a COMP_WORDS; do
    unset 'COMP_WORDS[-1]'
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
    _kov
    printf '%s\\n' "${COMPREPLY[@]}" $'\\x1f'
done
"""


@pytest.fixture(scope="module", name="complete")
def bash_completion():
    """Returns the words that bash offers for the last word of a line. One bash answers all."""
    with subprocess.Popen(["bash", "-c", run(KOV, "completion", "bash") + COMPLETE_LINES],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as bash:

        def complete(*words):
            bash.stdin.write("\x1f".join(["kov", *words, ".\n"]))
            bash.stdin.flush()
            found = []
            while found[-1:] != ["\x1f\n"]:
                found.append(bash.stdout.readline())
                assert found[-1] != "", "bash has ended"
            return " ".join(found[:-1]).split()

        yield complete
        bash.stdin.close()


def test_commands_and_their_second_words(complete, commands):
    first = {name.split()[0] for name in commands}
    assert first < set(complete(""))
    assert complete("thr") == ["threshold"]
    for word in first:
        second = [name.split()[1] for name in commands if name.startswith(word + " ")]
        if second:
            assert complete(word, "") == second


@pytest.mark.long
def test_every_option_of_every_command(complete, commands):
    for name, options in commands.items():
        assert set(complete(*name.split(), "--")) == set(options), name
        for option in options:
            assert option in complete(*name.split(), option)


@pytest.mark.parametrize("words, expected", [
    (("export", "--format", "p"), ["pprof", "perf-script"]),
    (("export", "--format", "=", "fo"), ["folded"]),
    (("export", "-f", ""), ["folded", "pprof", "perf-script"]),
    (("trace", "set", "--mode", ""), ["discard", "overwrite"]),
    (("--host", "record", "rec"), ["record"]),
    (("record", "-e", "larx", "--prec"), ["--precise"]),
    (("record", "-g", "--prec"), ["--precise"]),
    (("--port", "4"), []),
    (("stat", "--", ""), []),
    (("no-such", "--js"), ["--json"]),
], ids=" ".join)
def test_values(complete, words, expected):
    assert complete(*words) == expected


def test_files_and_folders(complete, tmp_path):
    (tmp_path / "a.kov").write_text("")
    (tmp_path / "a.folder").mkdir()
    start = str(tmp_path / "a")
    assert sorted(complete("report", "-i", start)) == [start + ".folder", start + ".kov"]
    assert complete("--programs", start) == [start + ".folder"]


def test_scripts_are_clean(tmp_path):
    (tmp_path / "kov.bash").write_text(run(KOV, "completion", "bash"))
    run("shellcheck", str(tmp_path / "kov.bash"))
    for arguments in ([], ["fish"]):
        refused = subprocess.run([KOV, "completion", *arguments], stderr=subprocess.PIPE, text=True,
                                 check=False, timeout=60)
        assert refused.returncode == 2 and "bash or zsh" in refused.stderr


def test_zsh_takes_the_script(tmp_path):
    script = run(KOV, "completion", "zsh")
    (tmp_path / "_kov").write_text(script)
    assert script.startswith("#compdef kov\n") and "complete -F _kov kov" in script
    if shutil.which("zsh") is not None:
        assert "_kov" in run("zsh", "-fc",
                             f"autoload -U compinit && compinit -u -d {tmp_path}/dump\n"
                             f"source {tmp_path}/_kov && echo ${{_comps[kov]}}")


def test_the_manual_page_has_every_command_and_option(commands):
    page = KOV.with_name("kov.1").read_text()
    assert not re.search(r"^@", page, re.MULTILINE)
    plain = re.sub(r"\\f[BIR]", "", page).replace("\\-", "-").replace("\\e", "\\")
    for name, options in commands.items():
        begin = re.search(rf"^\.T[PQ]\n{name}\b", plain, re.MULTILINE)
        assert begin is not None, name
        for option in options:
            assert option in plain[begin.start():] or option in plain.split(".SH COMMANDS")[0]
