# SPDX-License-Identifier: MIT
"""The shell on the console, and the small commands, by typing."""

import re

import pytest

from waiting import wait_for

PROMPT = "orrery:/$ "


class Shell:
    """A machine's shell: types commands and reads what they print."""

    def __init__(self, machine):
        self.machine = machine
        self.count = 0
        machine.wait_console(PROMPT)
        # It comes when there are files; the last server may tell something later.
        machine.wait_console("dci: listening" if machine.port else "nobody will be let in")

    def run(self, command):
        """Types a command; returns what it printed and its exit status."""
        self.count += 1
        before = len(self.machine.console)
        self.machine.type(f'{command}\necho "en""d" {self.count} $?\n')
        return self.result(before)

    def result(self, before):
        """What the console showed since `before`, up to the mark that the last command printed."""
        mark = re.compile(rf"^end {self.count} (\d+)\n", re.MULTILINE)
        found = self.machine.wait_for(lambda: mark.search(self.machine.console, before),
                                      "the shell finishes a command")
        shown = self.machine.console[before:found.start()]
        lines = [line for line in shown.split("\n") if not re.match(r"(orrery:\S*\$ |> )", line)]
        return "\n".join(lines[1:] if not shown.startswith("orrery:")
                         else lines).strip("\n"), int(found[1])

    def says(self, command):
        """What a command prints that must succeed."""
        shown, status = self.run(command)
        if status != 0:
            self.machine.fail(f"{command}: status {status}")
        return shown


@pytest.fixture(scope="module", name="shell")
def _shell(tmp_path_factory):
    from machine import Machine  # pylint: disable=import-outside-toplevel
    with Machine(str(tmp_path_factory.mktemp("shell")), "shell", network=False,
                 typing=True) as machine:
        yield Shell(machine)


def test_words_and_quotes(shell):
    assert shell.says("echo one   'two  three' \"four $PATH\" fi\\ ve") \
        == "one two  three four /bin fi ve"
    assert shell.says("A=7; echo $A ${A}b '$A' $unset.") == "7 7b $A ."
    assert shell.says("B='x y' env | grep ^B=") == "B=x y"
    assert shell.says("echo a; echo b # not c") == "a\nb"


def test_statuses(shell):
    assert shell.run("true") == ("", 0)
    assert shell.run("false") == ("", 1)
    assert shell.run("sh -c 'exit 42'") == ("", 42)
    assert shell.run("no-such-program") == ("sh: no-such-program: not found", 127)
    assert shell.says("false && echo no; false || echo yes") == "yes"
    assert shell.run("echo )(; |") [1] == 2


def test_pipes_and_files(shell):
    shell.says("mkdir /tmp/t; cd /tmp/t")
    assert shell.says("echo first > f; echo second >> f; cat f") == "first\nsecond"
    assert shell.says("cat < f | grep sec | wc -l").split() == ["1"]
    assert shell.says("cat /etc/manifest | cat | cat | grep ^fs | wc -c").split()[0].isdigit()
    assert "no such" in shell.says("cat nothing 2> e; cat e").lower()
    assert shell.says("cat nothing 2>&1 | grep -c nothing") == "1"
    assert shell.says("cp f g; mv g h; ls; rm f h e; ls") == "e\nf\nh"
    assert shell.run("cat < nothing")[1] != 0
    shell.says("cd /; rm -r /tmp/t")
    assert shell.run("ls /tmp/t")[1] == 1


def test_background_jobs(shell):
    shown = shell.says("sleep 0.3 &")
    assert re.search(r"\[1\] \d+", shown)
    assert "sleep 0.3" in shell.says("jobs")
    shell.says("wait")
    assert shell.says("jobs") == ""
    shell.says("sleep 0 &")
    shell.says("sleep 0.2")
    shell.machine.wait_console("[1] done  sleep 0")
    shell.says("sleep 100 &")
    shell.says("kill $!")
    shell.says("sleep 0.2")
    assert shell.says("jobs") == ""


def test_control_c_ends_the_foreground_only(shell):
    shell.says("sleep 30 &")
    shell.count += 1
    machine = shell.machine
    machine.wait_for(lambda: machine.console.endswith(PROMPT), "the prompt")
    before = len(machine.console)
    machine.type("sleep 1000\n")
    machine.wait_for(lambda: "sleep 1000\n" in machine.console[before:], "the command")

    def interrupted():
        """It is pressed until it has come while the job is in the foreground."""
        machine.type("\x03")
        return PROMPT in machine.console[before:]

    wait_for(interrupted, "the end of the job")
    machine.type(f'echo "en""d" {shell.count} $?\n')
    assert shell.result(before)[1] == 130
    assert "sleep 30" in shell.says("jobs")
    shell.says("kill $!")
    wait_for(lambda: shell.says("jobs") == "", "the end of the job in the background")
    shell.machine.type("echo half a li\x03")
    assert shell.says("echo whole") == "whole"


def test_scripts(shell):
    shell.says("echo 'echo $0 $1 $#; false' > /tmp/script")
    assert shell.run("sh /tmp/script x y") == ("/tmp/script x 2", 1)
    assert shell.says("echo 'echo from input; echo $?' | sh") == "from input\n0"
    shell.says("echo 'C=sourced' > /tmp/script; source /tmp/script; rm /tmp/script")
    assert shell.says("echo $C") == "sourced"


def test_editing(shell):
    assert shell.says("ecc\x7fho ab\x1b[D-\x1b[Cc") == "a-bc"
    assert shell.says("nonsense\x15echo new line") == "new line"
    assert shell.says("echo 'two\nlines'") == "two\nlines"


def test_small_commands(shell):
    assert shell.says("uname") == "Orrery"
    assert re.search(r"Orrery \S+ ppc64 2 CPUs", shell.says("uname -a"))
    assert re.search(r"up \d+:\d\d:\d\d", shell.says("uptime"))
    assert re.search(r"\d+ +\d+ +\d+$", shell.says("free"))
    assert re.search(r"\d{4}$", shell.says("date"))
    assert re.search(r"^ +1 +0 live .* init$", shell.says("ps"), re.MULTILINE)
    assert " shell\n" in shell.says("ps") + "\n"
    assert "proc on /proc" in shell.says("mount")
    assert shell.says("head -n 1 /etc/manifest").startswith("#")
    assert shell.says("ls -l /bin/sh").split()[0] == "-r-"
    assert shell.run("kill 99999")[1] == 1
    assert "usage: ls" in shell.says("ls --help")
    assert shell.run("head -n x")[1] == 2
    shell.says("echo b > /tmp/b; echo 10 >> /tmp/b; echo 9 >> /tmp/b; cp /tmp/b /tmp/c")
    assert shell.says("sort /tmp/b") == "10\n9\nb"
    assert shell.says("sort -r < /tmp/b") == "b\n9\n10"
    assert shell.says("sort -n /tmp/b") == "b\n9\n10"
    assert shell.says("cmp /tmp/b /tmp/c") == ""
    shell.says("echo 8 >> /tmp/c")
    assert shell.run("cmp /tmp/b /tmp/c") == ("cmp: end of /tmp/b after byte 7", 1)
    assert shell.run("cmp /tmp/b /bin/cmp") == ("/tmp/b /bin/cmp differ: byte 1, line 1", 1)
    assert shell.run("cmp -s /tmp/b /tmp/c") == ("", 1)
    assert shell.run("cmp /tmp/b /tmp/none")[1] == 2


def test_a_crashing_program_is_told(shell):
    shown, status = shell.run("test-spawn null")
    assert status == 139 and "exception" in shown
