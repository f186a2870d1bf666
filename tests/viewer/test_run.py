# SPDX-License-Identifier: MIT
"""kov run and kov console."""

import dci_pb2 as dci


def test_a_program_of_the_machine(kov, machine):
    result = kov("run", "bin/hello", "one", "two", machine=machine)
    assert result.code == 0 and result.out == "hello\n"
    start = machine.asked("run_start")[0]
    assert start.program == "bin/hello" and list(start.arguments) == ["one", "two"]
    assert not machine.asked("run_upload")


def test_a_local_file_is_uploaded(kov, machine, tmp_path):
    image = bytes(range(256)) * 100
    (tmp_path / "mine.elf").write_bytes(image)
    assert kov("run", "mine.elf", machine=machine).code == 0
    assert machine.uploaded == image
    assert machine.asked("run_start")[0].program == "mine"
    machine.requests.clear()
    assert kov("run", "-m", "mine.elf", machine=machine).code == 0
    assert not machine.asked("run_upload")


def test_options_of_the_program_follow_dashes(kov, machine):
    kov("run", "ls", "a", "--", "-l", "--all", machine=machine)
    assert list(machine.asked("run_start")[0].arguments) == ["a", "-l", "--all"]


def test_its_status_is_told(kov, machine):
    machine.run_status = 3
    result = kov("run", "false", machine=machine)
    assert result.code == 1 and "status 3" in result.err
    machine.run_status = 0x10300
    result = kov("run", "crash", machine=machine)
    assert result.code == 1 and "vector 0x300" in result.err
    machine.run_status = -5
    assert kov("run", "false", "--json", machine=machine).json["status"] == -5


def test_output_of_any_bytes(kov, machine):
    machine.run_output = [b"a\n", b"b" * 100000, b"\n"]
    result = kov("run", "print", machine=machine)
    assert result.out == "a\n" + "b" * 100000 + "\n"


def test_input_reaches_it_whole(kov, machine):
    machine.run_output, machine.run_waits_for_input = [], True
    result = kov("run", "upper", machine=machine, stdin="some words\n")
    assert result.code == 0 and result.out == "SOME WORDS\n"


def test_after_its_time_it_is_killed(kov, machine):
    machine.run_waits_for_input = True

    def kill(session, request):
        session.respond(request)
        session.push(run_ended=dci.RunEnded(run=5, status=request.kill.status))

    machine.misbehaviour["kill"] = kill
    machine.misbehaviour["run_input"] = lambda session, request: session.respond(
        request, run_input=dci.RunInputReply(taken=0))
    result = kov("run", "-d", "0.3", "sleep", machine=machine)
    assert result.code == 1 and machine.asked("kill")[0].pid == 44


def test_what_cannot_be_run_is_told(kov, machine):
    machine.errors["run_start"] = (-3, "cannot start nonesuch: no such thing")
    result = kov("run", "nonesuch", machine=machine)
    assert result.code == 1 and "nonesuch" in result.err
    assert kov("run", machine=machine).code == 2
    machine.errors["run_open"] = (-14, "not here")
    assert kov("run", "hello", machine=machine).code == 1


def test_a_machine_that_takes_more_input_than_there_is(kov, machine):
    machine.run_waits_for_input = True
    machine.misbehaviour["run_input"] = lambda session, request: session.respond(
        request, run_input=dci.RunInputReply(taken=1 << 20))
    assert kov("run", "cat", machine=machine, stdin="x").code == 3


# ---- console

def test_the_console_is_shown_and_typed_at(kov, machine):
    result = kov("console", "-d", "0.5", machine=machine, stdin="ls\n")
    assert result.code == 0
    assert result.out == "Orrery\n# typed ls\n"
    assert machine.typed == b"ls\n"


def test_an_observer_only_looks(kov, machine):
    result = kov("console", "-d", "0.3", "--token", "look", machine=machine, stdin="ls\n")
    assert result.code == 0 and result.out == "Orrery\n# " and not machine.asked("console_input")


def test_lost_output_is_counted(kov, machine):
    def attach(session, request):
        session.respond(request, console_attach=dci.ConsoleAttachReply(position=100))
        session.push(console=dci.ConsoleOutput(position=100, data=b"abc"))
        session.push(console=dci.ConsoleOutput(position=110, data=b"def"))

    machine.misbehaviour["console_attach"] = attach
    result = kov("console", "-d", "0.3", machine=machine)
    assert result.out == "abcdef" and "7 bytes of output were lost" in result.err
