# SPDX-License-Identifier: MIT
"""kov run and kov console."""

import re
import subprocess

import dci_pb2 as dci
import pytest

from machine import E_NOENT
from test_symbols import address_of, build_id_of


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


@pytest.mark.parametrize("size, stack", [("65536", 65536), ("16K", 16 << 10), ("64M", 64 << 20)])
def test_a_stack_is_asked_for(kov, machine, size, stack):
    assert kov("run", "--stack", size, "hello", machine=machine).code == 0
    assert kov("run", "hello", "--", "--stack", size, machine=machine).code == 0
    assert [start.stack_bytes for start in machine.asked("run_start")] == [stack, 0]


@pytest.mark.parametrize("size", ["", "8", "15K", "65M", "67108865", "1G", "-1M", "8 M", "M"])
def test_no_such_stack(kov, machine, size):
    result = kov("run", f"--stack={size}", "hello", machine=machine)
    assert result.code == 2 and f"--stack {size}: must be bytes, from 16K to 64M" in result.err
    assert not machine.asked("run_open")
    assert kov("run", "hello", "--stack", machine=machine).code == 2


def test_its_status_is_told(kov, machine):
    machine.run_status = 3
    result = kov("run", "false", machine=machine)
    assert result.code == 3 and "status 3" in result.err
    machine.run_status = 0x10300
    result = kov("run", "crash", machine=machine)
    assert result.code == 139 and "vector 0x300" in result.err
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
    assert result.code == 124 and machine.asked("kill")[0].pid == 44


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


def test_what_is_for_another_processor_here_is_the_machines(kov, machine, tmp_path):
    assert kov("run", "/bin/cat", machine=machine).code == 0
    assert machine.asked("run_start")[0].program == "/bin/cat"
    machine.run_error = E_NOENT
    (tmp_path / "folder").mkdir()
    for name, why in (("/bin/cat", "another processor"), ("folder", "is a folder here")):
        result = kov("run", name, machine=machine)
        assert result.code == 1 and why in result.err
    assert not machine.asked("run_upload")
    power = b"\x7fELF" + bytes([2, 2, 1]) + bytes(9) + b"\0\2\0\x15" + bytes(44)
    (tmp_path / "mine").write_bytes(power)
    machine.run_error = 0
    assert kov("run", "mine", machine=machine).code == 0 and machine.uploaded == power


# ---- a program that is measured

MEASUREMENTS = {
    "stat": ("dref_enable", ("stat",)),
    "stat -e": ("count_start", ("stat", "-e", "larx")),
    "record": ("sampling_start", ("record", "-F", "1000")),
    "locks": ("sampling_start", ("locks",)),
    "top": ("sampling_start", ("top",)),
    "trace record": ("trace_subscribe", ("trace", "record", "-o", "t")),
}


def kinds(machine):
    return [request.WhichOneof("body") for request in machine.requests]


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_a_program_is_uploaded_before_and_started_behind_the_start(kov, machine, tmp_path, name):
    begin, words = MEASUREMENTS[name]
    (tmp_path / "mine.elf").write_bytes(b"program")
    machine.run_status = 7
    result = kov(*words, "--", "run", "mine.elf", "-v", machine=machine)
    assert result.code == 7 and "status 7" in result.err, result.err
    assert "hello\n" in result.out and machine.uploaded == b"program"
    assert list(machine.asked("run_start")[0].arguments) == ["-v"]
    order = kinds(machine)
    assert order.index("run_upload") < order.index(begin) < order.index("run_start")
    assert "workload_start" not in order


def test_what_a_measured_program_prints_is_not_in_a_document(kov, machine):
    result = kov("stat", "-e", "larx", "--json", "--", "run", "bin/hello", machine=machine)
    assert result.code == 0 and result.json["workload"] == {"pid": 44, "status": 0}
    assert result.json["pids"] == [44] and "hello" in result.err
    result = kov("stat", "-e", "larx", "--json", "--per-process", "--", "run", "bin/hello",
                 machine=machine)
    assert result.json["pids"] == []


def test_what_a_measured_program_prints_passes_as_it_is(kov, machine):
    text = "\x1b[1ma\tb\n" + "c" * 300 + "\n"
    machine.run_output = [text.encode()]
    result = kov("stat", "-e", "larx", "--", "run", "bin/hello", machine=machine)
    assert result.code == 0 and result.out.startswith(text)


@pytest.mark.parametrize("name", MEASUREMENTS)
@pytest.mark.parametrize("option", [("--stack", "8M"), ("--stack=8M",)])
def test_a_measured_program_has_the_stack_that_is_asked_for(kov, machine, name, option):
    words = MEASUREMENTS[name][1]
    assert kov(*words, "--", "run", *option, "hello", "--stack", "9M", machine=machine).code == 0
    (start,) = machine.asked("run_start")
    assert (start.program, start.stack_bytes) == ("hello", 8 << 20)
    assert list(start.arguments) == ["--stack", "9M"]


@pytest.mark.parametrize("words, told", [
    (("--stack", "65M", "hello"), "--stack 65M: must be bytes, from 16K to 64M"),
    (("--stack",), "--stack needs a value"), (("--stack", "8M"), "give a program after `run`"),
    (("--stack", "8M", "--", "hello"), "need no `--`"),
    (("--no-input", "hello"), "--no-input cannot stand here: only --stack can"),
    (("--json", "hello"), "--json cannot stand here"), (("-m", "hello"), "-m cannot stand here")])
def test_no_such_option_of_a_measured_program(kov, machine, words, told):
    result = kov("stat", "--", "run", *words, machine=machine)
    assert result.code == 2 and told in result.err and not result.out
    assert not machine.asked("run_open") and not machine.asked("dref_enable")


@pytest.mark.parametrize("name", MEASUREMENTS)
@pytest.mark.parametrize("status, code", [(0, 0), (1, 1), (255, 255), (256, 1), (-5, 1),
                                          (137, 137), (0x10300, 139)])
def test_a_measured_programs_status_is_kovs(kov, machine, name, status, code):
    machine.run_status = status
    result = kov(*MEASUREMENTS[name][1], "--", "run", "hello", machine=machine)
    assert result.code == code, result.err
    assert ("kov: the program " in result.err) == (status != 0), result.err


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_a_measured_program_ends_with_its_connection(kov, machine, name):
    """Also where the measurement itself would go on with a new one."""
    def lost(session, request):
        session.respond(request, run_start=dci.RunStartReply(pid=44))
        machine.drop_all()

    machine.misbehaviour["run_start"] = lost
    result = kov("--reconnect", "5", *MEASUREMENTS[name][1], "--", "run", "bin/hello",
                 machine=machine)
    assert result.code == 3 and result.err, (result.out, result.err)


@pytest.mark.parametrize("words, told", [
    (("run",), "give a program after `run`"), (("run", "--", "ls"), "need no `--`"),
    (("run", "x", *["a"] * 33), "33 arguments"), (("run", "x", "a" * 256), "256 bytes"),
    (("run", "nonesuch"), "nonesuch")])
def test_wrong_uses_of_a_measured_program(kov, machine, words, told):
    machine.errors["run_start"] = (E_NOENT, "cannot start nonesuch: no such thing")
    result = kov("stat", "-e", "larx", "--", *words, machine=machine)
    assert result.code in (1, 2) and told in result.err and not result.out


@pytest.mark.parametrize("words", [("stat", "-e", "larx", "-d", "0.3"),
                                   ("top", "-e", "larx", "-d", "0.3", "-n", "1")],
                         ids=["stat", "top"])
def test_a_measured_program_ends_with_its_time(kov, machine, words):
    machine.run_waits_for_input = True
    machine.misbehaviour["run_input"] = lambda session, request: session.respond(
        request, run_input=dci.RunInputReply(taken=0))

    def kill(session, request):
        session.respond(request)
        session.push(run_ended=dci.RunEnded(run=5, status=request.kill.status))

    machine.misbehaviour["kill"] = kill
    result = kov(*words, "--", "run", "sleep", machine=machine)
    assert result.code == 124 and "its time was over" in result.err
    assert re.search(r"^ *\d.* larx|^larx: ", result.out, re.MULTILINE)


# ---- crash reports and panics

CODE = """
int bottom(int x)
{
    return x * 3; /* line 4 */
}
int _start(int x)
{
    return bottom(x) + 1; /* line 8 */
}
"""
KERNEL_START = 0xc000000000000000
PROGRAM_START = 0x10000000
PPC_INSTRUCTION = 4  # a return address is looked up where the call is


@pytest.fixture(scope="module", name="images")
def _images(tmp_path_factory):
    """(folder, {image: {line: address}}) of a kernel and of a program "prog"."""
    folder = tmp_path_factory.mktemp("images")
    (folder / "code.c").write_text(CODE)
    lines = {}
    for image, start in (("orrery.elf", KERNEL_START), ("prog.elf", PROGRAM_START)):
        subprocess.run(["gcc", "-g", "-O0", "-nostdlib", "-static", "-no-pie",
                        "-fcf-protection=none",
                        f"-Wl,-Ttext-segment={start:#x}", "-Wl,--build-id=sha1", "code.c", "-o",
                        image], cwd=folder, check=True)
        lines[image] = {line: address_of(folder / image, line, "code.c") for line in (4, 8)}
    return folder, lines


def report(lines):
    """What a machine prints when a program crashes, and then the kernel."""
    kernel, program = lines["orrery.elf"], lines["prog.elf"]
    return (f"{program[4]:#x} is nothing\n    {program[4]:#x} outside+0x0\n\n"
            "prog (process 7, CPU 0) died in thread 1 \"main\": NULL pointer: read at offset 0\n"
            f"  stack:\n    {program[4]:#x} bottom+0x4\n"
            f"    {program[8] + PPC_INSTRUCTION:#x} _start+0x8\n"
            "\nPANIC on CPU 0: NULL pointer: write at offset 0x8\n"
            f"pc  {kernel[4]:016x} bottom+0x4\n"
            f"lr  {kernel[8] + PPC_INSTRUCTION:016x} _start+0x8\nstack:\n"
            f"  from {kernel[8] + PPC_INSTRUCTION:016x} _start+0x8\nr0  {kernel[4]:016x}\n# ")


def without_places(shown):
    return re.sub(r"  \S*code\.c:\d+(?=\n)", "", shown)


def places(shown):
    return re.findall(r"^ *(?:0x|from |pc |lr )\S* ?\w* ?\w+\+0x\w+(?:  \S*(code\.c:\d+))?$",
                      shown, re.MULTILINE)


WANTED = ["", "code.c:4", "code.c:8", "code.c:4", "code.c:8", "code.c:8"]


def test_the_console_tells_lines_of_reports(kov, machine, images):
    folder, lines = images
    machine.system.build_id = build_id_of(folder / "orrery.elf")
    machine.console = report(lines).encode()
    shown = kov("--kernel", folder / "orrery.elf", "--programs", folder, "console", "-d", "0.3",
                machine=machine).out
    assert places(shown) == WANTED, shown
    assert without_places(shown) == report(lines), shown


def test_the_console_of_a_panicked_machine_is_read_from_a_file(kov, images, tmp_path):
    folder, lines = images
    (tmp_path / "said").write_text(report(lines))
    result = kov("--kernel", folder / "orrery.elf", "--programs", folder, "console", "-f", "said")
    assert result.code == 0 and places(result.out) == WANTED, result.out
    assert without_places(result.out) == report(lines), result.out
    assert kov("console", "-f", "none").code == 1


def test_lines_of_another_kernel_are_not_told(kov, machine, images):
    folder, lines = images
    machine.system.build_id = bytes(20)
    machine.console = report(lines).encode()
    shown = kov("--kernel", folder / "orrery.elf", "console", "-d", "0.3", machine=machine).out
    assert shown == report(lines), shown
