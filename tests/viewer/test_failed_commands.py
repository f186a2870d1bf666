# SPDX-License-Identifier: MIT
"""A command that fails destroys nothing: each command that records, ended in each way. What was
there before is whole, what has come is read without a complaint, and the next command works."""

import pathlib
import re
import signal
import subprocess
import time
import types

import dci_pb2 as dci
import pytest

import trace_folder
from browser import Browser, Gateway
from conftest import KOV
from machine import E_BUSY, PATIENCE, add_samples, packet

LONG = 60  # seconds: until it is ended


@pytest.fixture
def busy(machine):
    """Returns a machine that tells samples, packets, and records of process 7."""
    machine.add_processes()
    add_samples(machine, {(0x1010, 0x100): 400})
    for sequence in range(4):
        machine.packets += [(0, packet(0, sequence, [10 + sequence] * 100)),
                            (1, packet(1, sequence, [15 + sequence] * 100))]
    machine.trace_stats = [dci.TraceStat(cpu=cpu, events=400, packets=4, subbuffers=64,
                                         subbuffer_bytes=4096, mode=dci.TRACE_MODE_DISCARD)
                           for cpu in range(2)]
    return machine


def fill(machine):
    """Gives the monitor more records than a small disk takes."""
    machine.metadata = trace_folder.metadata()
    machine.monitored = 1000, 1 << 40
    machine.records = {0: ([dci.MonitorRecord(time=1000 + time, id=1, kind=0, reason=7,
                                              word0=time % 2) for time in range(20000)], 0)}


class Running:
    """Runs kov in the background, ended by a signal or by itself."""

    def __init__(self, folder, machine, *arguments, limit=None):
        command = [str(KOV), "--port", str(machine.port), "--timeout", "30", "--no-reconnect",
                   *arguments]
        if limit is not None:  # of the files that it may write: as a full disk
            command = ["prlimit", f"--fsize={limit}", *command]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)

    def until(self, true):
        end = time.monotonic() + PATIENCE
        while not true():
            assert self.process.poll() is None and time.monotonic() < end, self.end()
            time.sleep(0.01)
        return self

    def end(self, number=None):
        """A kill comes between two writes (docs/caveats.md): a write ends before its process
        stops."""
        if number == signal.SIGKILL:
            self.process.send_signal(signal.SIGSTOP)
            stat = pathlib.Path(f"/proc/{self.process.pid}/stat")
            while stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "TZ":
                time.sleep(0.01)
        if number is not None:
            self.process.send_signal(number)
        _, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, err.splitlines()


def events_of(folder):
    """Returns how many events babeltrace2 reads. It complains of nothing but the metadata of
    the played machine."""
    done = subprocess.run(["babeltrace2", folder], capture_output=True, text=True, check=False)
    said = [line for line in done.stderr.splitlines() if "MEANINGLESS-HEADER" not in line]
    assert (done.returncode, said) == (0, []), done.stderr
    return len(done.stdout.splitlines())


# ---- kov record ----------------------------------------------------------------------------------

@pytest.fixture(name="old")
def _old(kov, busy, tmp_path):
    """Makes a recording. Returns its bytes."""
    assert kov("record", "-d", "0.1", machine=busy).code == 0
    assert not (tmp_path / "samples.kov.old").exists()
    return (tmp_path / "samples.kov").read_bytes()


def names(folder):
    """Without what a killed kov had not finished, which the next one takes."""
    return sorted(path.name for path in folder.iterdir()
                  if not re.fullmatch(r"\..*\.new", path.name))


def samples_of(kov, path):
    done = kov("report", "--json", "-i", path)
    assert done.code == 0, done.err
    return done.json["samples"]


@pytest.mark.parametrize("arguments, error", [
    (["--", "demoo"], None), (["-e", "larxx"], None), (["-d", "0.1"], "sampling_start"),
    (["-d", "0.1"], "objects")])
def test_a_record_that_does_not_begin_changes_nothing(kov, busy, old, tmp_path, arguments, error):
    """Also where samples came before the workload was refused, and twice in a row."""
    busy.errors = {error: (E_BUSY, "taken")}
    for _ in range(2):
        assert kov("record", *arguments, machine=busy).code != 0
        assert names(tmp_path) == ["samples.kov"]
        assert (tmp_path / "samples.kov").read_bytes() == old
    busy.errors = {}
    assert kov("record", "-d", "0.1", machine=busy).code == 0
    assert (tmp_path / "samples.kov.old").read_bytes() == old
    assert names(tmp_path) == ["samples.kov", "samples.kov.old"]


@pytest.mark.parametrize("how", ["interrupt", "kill", "gone"])
def test_a_record_that_ends_early_keeps_what_came_and_what_was(kov, busy, old, tmp_path, how):
    run = Running(tmp_path, busy, "record", "-d", str(LONG))
    run.until((tmp_path / "samples.kov.old").exists)
    if how == "gone":
        busy.drop_all()
    code, said = run.end({"interrupt": signal.SIGINT, "kill": signal.SIGKILL}.get(how))
    assert (code == 0) == (how == "interrupt") and len(said) == (how == "gone"), said
    assert (tmp_path / "samples.kov.old").read_bytes() == old
    assert how == "kill" or samples_of(kov, "samples.kov") == 400
    assert kov("record", "-d", "0.1", machine=busy).code == 0
    assert samples_of(kov, "samples.kov") == 400
    assert names(tmp_path) == ["samples.kov", "samples.kov.old"]


def test_a_record_that_is_killed_before_its_first_sample_changes_nothing(kov, busy, old, tmp_path):
    samples, busy.samples = busy.samples, []
    Running(tmp_path, busy, "record", "-d", str(LONG)).until(
        lambda: busy.answered.count("sampling_start") == 2).end(signal.SIGKILL)
    assert (tmp_path / "samples.kov").read_bytes() == old
    busy.samples = samples
    assert kov("record", "-d", "0.1", machine=busy).code == 0
    assert names(tmp_path) == ["samples.kov", "samples.kov.old"]


@pytest.mark.parametrize("limit", [1, 100, 5000, 9000])
def test_a_record_onto_a_full_disk_says_so_once(kov, busy, old, tmp_path, limit):
    code, said = Running(tmp_path, busy, "record", "-d", str(LONG), limit=limit).end()
    assert code == 1 and len(said) == 1 and "File too large" in said[0], said
    kept = "samples.kov.old" if "samples.kov.old" in names(tmp_path) else "samples.kov"
    assert (tmp_path / kept).read_bytes() == old
    assert kov("record", "-o", "other", "-d", "0.1", machine=busy).code == 0


def test_two_kov_do_not_write_one_file(kov, busy, old, tmp_path):
    busy.samples, busy.sampling_stats = [], []
    first = Running(tmp_path, busy, "record", "-d", str(LONG)).until(
        lambda: busy.answered.count("sampling_start") == 2)
    for came in (False, True):  # before and after the new file has its place
        if came:
            busy.push_samples(0x1010, 5)
            first.until((tmp_path / "samples.kov.old").exists)
        second = kov("record", "-d", "0.1", machine=busy)
        assert second.code == 1 and "another kov is writing samples.kov" in second.err
    first.end(signal.SIGINT)
    assert (tmp_path / "samples.kov.old").read_bytes() == old


def test_links_and_devices_stay_what_they_are(kov, busy, old, tmp_path):
    (tmp_path / "link").symlink_to("samples.kov")
    assert kov("record", "-d", "0.1", "-o", "link", machine=busy).code == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "samples.kov.old").read_bytes() == old
    assert kov("record", "-d", "0.1", "-o", "/dev/null", machine=busy).code == 0
    full = kov("record", "-d", "0.1", "-o", "/dev/full", machine=busy)
    assert full.code == 1 and full.err.count("\n") == 1 and "No space left" in full.err


# ---- exports -------------------------------------------------------------------------------------

def test_an_export_that_fails_leaves_the_one_before(kov, old, tmp_path):
    assert kov("export", "--format", "perf-script", "-o", "out").code == 0
    before = (tmp_path / "out").read_bytes()
    assert len(before) > 1000
    for arguments in (["export", "--format", "pprof"], ["export", "--format", "perf-script"]):
        done = subprocess.run(["prlimit", "--fsize=100", KOV, *arguments, "-o", "out"],
                              cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 1 and done.stderr.count("cannot write all of out") == 1
        assert (tmp_path / "out").read_bytes() == before
        assert names(tmp_path) == ["out", "samples.kov"]


# ---- folders -------------------------------------------------------------------------------------

TRACE, MONITOR = ["trace", "record"], ["monitor", "record", "-p", "7"]
DATA = {"trace": "trace_subscribe", "monitor": "monitor_read"}  # the answer that brings data


@pytest.fixture(name="command", params=[TRACE, MONITOR], ids=["trace", "monitor"])
def _command(request, busy):
    if request.param is MONITOR:
        fill(busy)
    return [*request.param, "-o", "folder"]


@pytest.mark.parametrize("wrong", ["workload", "taken", "option"])
def test_a_recording_that_does_not_begin_leaves_no_folder(kov, busy, command, tmp_path, wrong):
    more = {"workload": ["--", "demoo"], "option": ["-e", "nothing"], "taken": ["-d", "0.1"]}[wrong]
    if wrong == "taken":
        busy.errors = {"trace_subscribe": (E_BUSY, "taken"), "monitor_run": (E_BUSY, "taken")}
    assert kov(*command, *more, machine=busy).code != 0
    assert names(tmp_path) == []
    (tmp_path / "folder").mkdir()  # the user's own stays
    assert kov(*command, *more, machine=busy).code != 0
    assert names(tmp_path / "folder") == []
    busy.errors = {}
    done = kov(*command, "-d", "0.1", machine=busy)
    assert done.code == 0, done.err
    assert events_of(tmp_path / "folder") >= 800


@pytest.mark.parametrize("how", ["interrupt", "kill", "gone"])
def test_a_recording_that_ends_early_is_read_without_a_complaint(kov, busy, command, tmp_path, how):
    run = Running(tmp_path, busy, *command, "-d", str(LONG))
    run.until(lambda: any(path.stat().st_size for path in (tmp_path / "folder").glob("stream_*")))
    if how == "gone":
        busy.drop_all()
    code, said = run.end({"interrupt": signal.SIGINT, "kill": signal.SIGKILL}.get(how))
    assert (code == 0) == (how == "interrupt") and len(said) == (how == "gone"), said
    assert events_of(tmp_path / "folder") > 0
    before = bytes_of(tmp_path / "folder")
    if command[0] == "monitor":
        fill(busy)
    again = kov(*command, "-d", "0.1", machine=busy)
    assert again.code == 0, again.err
    assert events_of(tmp_path / "folder") >= 800
    assert bytes_of(tmp_path / "folder.old") == before


def test_a_recording_that_is_killed_before_it_has_something_blocks_nothing(kov, busy, command,
                                                                           tmp_path):
    kind = DATA[command[0]]
    busy.misbehaviour = {kind: lambda session, request: None}
    Running(tmp_path, busy, *command, "-d", str(LONG)).until(
        lambda: kind in busy.answered).end(signal.SIGKILL)
    assert names(tmp_path / "folder") == []
    busy.misbehaviour = {}
    done = kov(*command, "-d", "0.1", machine=busy)
    assert done.code == 0, done.err


@pytest.mark.parametrize("limit", [1, 1000, 5000, 9000, 12288])
def test_a_recording_onto_a_full_disk_says_so_once(kov, busy, command, tmp_path, limit):
    code, said = Running(tmp_path, busy, *command, "-d", str(LONG), limit=limit).end()
    assert code == 1 and len(said) == 1 and "File too large" in said[0], said
    if "folder" in names(tmp_path):
        assert "metadata" in names(tmp_path / "folder")
        assert events_of(tmp_path / "folder") > 0
    assert kov(*command[:-1], "other", "-d", "0.1", machine=busy).code == 0


# ---- a folder over another ----------------------------------------------------------------------


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(name="before")
def _before(kov, busy, command, tmp_path):
    """Makes a recording. Returns its bytes."""
    assert kov(*command, "-d", "0.1", machine=busy).code == 0
    assert names(tmp_path) == ["folder"]
    if command[0] == "monitor":
        fill(busy)
    return bytes_of(tmp_path / "folder")


@pytest.mark.parametrize("wrong", ["workload", "taken", "option"])
def test_a_recording_that_does_not_begin_leaves_the_one_before(kov, busy, command, before, tmp_path,
                                                               wrong):
    more = {"workload": ["--", "demoo"], "option": ["-e", "nothing"], "taken": ["-d", "0.1"]}[wrong]
    if wrong == "taken":
        busy.errors = {"trace_subscribe": (E_BUSY, "taken"), "monitor_run": (E_BUSY, "taken")}
    for _ in range(2):
        assert kov(*command, *more, machine=busy).code != 0
        assert names(tmp_path) == ["folder"] and bytes_of(tmp_path / "folder") == before
    busy.errors = {}
    done = kov(*command, "-d", "0.1", machine=busy)
    assert done.code == 0, done.err
    assert names(tmp_path) == ["folder", "folder.old"]
    assert bytes_of(tmp_path / "folder.old") == before
    assert events_of(tmp_path / "folder") >= 800


@pytest.mark.parametrize("how", ["interrupt", "kill", "gone"])
def test_a_recording_that_ends_early_leaves_the_one_before(kov, busy, command, before, tmp_path,
                                                           how):
    run = Running(tmp_path, busy, *command, "-d", str(LONG))
    run.until((tmp_path / "folder.old").exists)
    run.until(lambda: any(path.stat().st_size for path in (tmp_path / "folder").glob("stream_*")))
    if how == "gone":
        busy.drop_all()
    code, said = run.end({"interrupt": signal.SIGINT, "kill": signal.SIGKILL}.get(how))
    assert (code == 0) == (how == "interrupt") and len(said) == (how == "gone"), said
    assert names(tmp_path) == ["folder", "folder.old"]
    assert bytes_of(tmp_path / "folder.old") == before
    assert events_of(tmp_path / "folder") > 0


def test_a_recording_that_is_killed_before_it_has_something_leaves_the_one_before(
        kov, busy, command, before, tmp_path):
    kind = DATA[command[0]]
    asked = busy.answered.count(kind)
    busy.misbehaviour = {kind: lambda session, request: None}
    Running(tmp_path, busy, *command, "-d", str(LONG)).until(
        lambda: busy.answered.count(kind) > asked).end(signal.SIGKILL)
    assert bytes_of(tmp_path / "folder") == before
    busy.misbehaviour = {}
    done = kov(*command, "-d", "0.1", machine=busy)
    assert done.code == 0, done.err
    assert names(tmp_path) == ["folder", "folder.old"]
    assert bytes_of(tmp_path / "folder.old") == before


@pytest.mark.parametrize("limit", [1, 1000, 5000, 9000, 12288])
def test_a_full_disk_leaves_the_recording_before(busy, command, before, tmp_path, limit):
    code, said = Running(tmp_path, busy, *command, "-d", str(LONG), limit=limit).end()
    assert code == 1 and len(said) == 1 and "File too large" in said[0], said
    kept = "folder.old" if "folder.old" in names(tmp_path) else "folder"
    assert bytes_of(tmp_path / kept) == before
    assert kept == "folder" or events_of(tmp_path / "folder") > 0
    assert set(names(tmp_path)) <= {"folder", "folder.old"}


def test_two_kov_do_not_write_one_folder(kov, busy, command, before, tmp_path):
    run = Running(tmp_path, busy, *command, "-d", str(LONG)).until(
        (tmp_path / "folder.old").exists)
    second = kov(*command, "-d", "0.1", machine=busy)
    assert second.code == 1 and "another kov is writing folder" in second.err
    assert run.end(signal.SIGINT)[0] == 0
    assert bytes_of(tmp_path / "folder.old") == before


def test_what_the_user_has_beside_a_recording_stays(kov, busy, command, before, tmp_path):
    """A note in it goes along with it. One in what is to be removed keeps the command from it."""
    (tmp_path / "folder" / "notes.txt").write_text("what I saw")
    (tmp_path / "link").symlink_to("folder")
    linked = [*command[:-1], "link"]
    assert kov(*linked, "-d", "0.1", machine=busy).code == 0
    assert bytes_of(tmp_path / "folder.old") == {**before, "notes.txt": b"what I saw"}
    assert (tmp_path / "link").is_symlink() and events_of(tmp_path / "folder") >= 0
    now = bytes_of(tmp_path / "folder")
    refused = kov(*command, "-d", "0.1", machine=busy)
    assert refused.code == 1 and "folder.old is there already" in refused.err
    assert bytes_of(tmp_path / "folder") == now
    assert names(tmp_path) == ["folder", "folder.old", "link"]
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "notes.txt").write_text("mine")
    refused = kov(*command[:-1], "own", "-d", "0.1", machine=busy)
    assert refused.code == 1 and "name another with -o" in refused.err


@pytest.mark.parametrize("again", [["trace", "snapshot"],
                                   ["trace", "live", "--lttng", "0", "-d", "0.5"]])
def test_each_command_of_folders_keeps_the_one_before(kov, busy, tmp_path, again):
    seen = []
    for _ in range(3):
        done = kov(*again, "-o", "folder", machine=busy)
        assert done.code == 0, done.err
        assert events_of(tmp_path / "folder") == 800
        if seen:
            assert bytes_of(tmp_path / "folder.old") == seen[-1]
        seen.append(bytes_of(tmp_path / "folder"))
    assert names(tmp_path) == ["folder", "folder.old"]


# ---- events that programs describe meanwhile -----------------------------------------------------

PICKED = types.SimpleNamespace(fields=[types.SimpleNamespace(type="u64", bits=64)], words=1,
                               header=lambda words: (words + 1) << 22 | 18 << 16 | 5)
DESCRIBED = f"""event {{ name = "apples:picked"; id = {PICKED.header(1):#x}; stream_id = 1;
fields := struct {{
    uint64 _count;
}}; }};
"""


@pytest.fixture(name="describing")
def _describing(busy):
    """Returns a machine that pushes a program's events which its metadata describe when they are
    asked for again."""
    plain, asked = trace_folder.metadata(), set()

    def answer(session, request):
        busy.metadata = plain + DESCRIBED if session in asked else plain
        asked.add(session)
        session.do_trace_metadata(request)

    busy.misbehaviour = {"trace_metadata": answer}
    known = trace_folder.BY_NAME["test0"]
    busy.packets = [(1, trace_folder.packet([(10, known, ())], 7, 1, size=4096))] + [
        (0, trace_folder.packet([(10 + number, event, values)], 7, 0, number, size=4096))
        for number, (event, values) in enumerate([(known, ()), (PICKED, (12,)), (known, ()),
                                                  (PICKED, (13,))])]
    busy.last_packets = [(0, trace_folder.packet([(20, PICKED, (14,))], 7, 0, 4, size=4096))]
    busy.trace_stats = []
    return busy


def picked(folder):
    done = subprocess.run(["babeltrace2", folder], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.findall(r"pid = (\d+)", done.stdout) == ["7"] * len(done.stdout.splitlines())
    return len(done.stdout.splitlines()), re.findall(r"apples:picked:.*count = (\d+)", done.stdout)


@pytest.mark.parametrize("how", ["end", "interrupt", "kill", "gone"])
def test_what_programs_describe_meanwhile_is_described_whenever_kov_ends(describing, tmp_path, how):
    run = Running(tmp_path, describing, "trace", "record", "-o", "folder", "-d",
                  "0.5" if how == "end" else str(LONG))
    if how != "end":
        stream = tmp_path / "folder" / "stream_7_0"
        run.until(lambda: stream.exists() and stream.stat().st_size == 4 * 4096)
    if how == "gone":
        describing.drop_all()
    code, said = run.end({"interrupt": signal.SIGINT, "kill": signal.SIGKILL}.get(how))
    assert (code == 0) == (how in ("end", "interrupt")) and len(said) == (how == "gone"), said
    whole = how in ("end", "interrupt")
    expected = (6, ["12", "13", "14"]) if whole else (5, ["12", "13"])
    assert picked(tmp_path / "folder") == expected


@pytest.mark.parametrize("how", ["interrupt", "kill", "gone"])
def test_what_is_not_described_yet_waits(describing, tmp_path, how):
    """A machine that does not answer in time."""
    answer, asked = describing.misbehaviour["trace_metadata"], []

    def slow(session, request):
        asked.append(request)
        if len(asked) == 1:
            answer(session, request)

    describing.misbehaviour["trace_metadata"] = slow
    run = Running(tmp_path, describing, "trace", "record", "-o", "folder", "-d", str(LONG))
    run.until(lambda: len(asked) > 1)
    if how == "gone":
        describing.drop_all()
    if how == "interrupt":  # it still waits for the answer, and a second one does not
        run.process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        describing.drop_all()
    code, said = run.end(signal.SIGKILL if how == "kill" else None)
    assert code != 0
    assert how == "kill" or sum("3 packets are left out" in line for line in said) == 1, said
    assert picked(tmp_path / "folder") == (2, [])


def test_descriptions_that_find_no_room_are_told(describing, tmp_path):
    """Also where the disk is full just then: what is there is described."""
    least = len(trace_folder.metadata())
    seen = set()
    for number, more in enumerate([*range(0, 200, 20), len(DESCRIBED) + 1000]):
        run = Running(tmp_path, describing, "trace", "record", "-o", f"folder{number}", "-d", "0.5",
                      limit=max(least + more, 8192))
        code, said = run.end()
        assert len(said) == code and (code == 0 or "File too large" in said[0]), said
        if (tmp_path / f"folder{number}").exists():
            events, counts = picked(tmp_path / f"folder{number}")
            assert ["12", "13", "14"][:len(counts)] == counts
            seen.add(events)
    assert {2, 6} <= seen


# ---- kov serve -----------------------------------------------------------------------------------

def serve(tmp_path, port, *options, limit=None):
    return Gateway("-m", f"left=127.0.0.1:{port}", "--record", tmp_path / "tape", *options,
                   limit=limit)


def until(true):
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def size_of(path):
    return path.stat().st_size if path.exists() else 0


@pytest.fixture(name="tape")
def _tape(busy, tmp_path):
    """Makes a tape. Returns its bytes."""
    with serve(tmp_path, busy.port) as gateway, Browser(gateway):
        until(lambda: size_of(tmp_path / "tape") > 0)
    assert names(tmp_path) == ["tape"]
    return (tmp_path / "tape").read_bytes()


def is_played(tape):
    with Gateway("-m", f"old={tape}") as gateway, Browser(gateway) as browser:
        browser.until(lambda: "ends here" in browser.states.get("old", {}).get("message", ""))
        return browser.states["old"]["state"] == "played"


def check_next(busy, tmp_path, before):
    """The same command works, and keeps what it finds."""
    with serve(tmp_path, busy.port) as gateway, Browser(gateway):
        until(lambda: size_of(tmp_path / "tape.old") > 0
              and (tmp_path / "tape.old").read_bytes() == before)
    assert is_played(tmp_path / "tape")
    assert names(tmp_path) == ["tape", "tape.old"]


def fail_to_record(busy, tmp_path, wrong):
    if wrong == "port":
        with Gateway("-m", f"left=127.0.0.1:{busy.port}") as gateway:
            other = gateway.origin.split(":")[-1]
            done = subprocess.run([KOV, "serve", "-l", other, "-m", "a=127.0.0.1:1", "--record",
                                   tmp_path / "tape"], capture_output=True, check=False)
            assert done.returncode == 1
        return
    if wrong == "token":
        busy.tokens = {}
    with serve(tmp_path, 1 if wrong == "machine" else busy.port) as gateway, \
            Browser(gateway) as browser:
        browser.until(lambda: browser.states.get("left", {}).get("message"))
    busy.tokens = {"orrery": dci.ROLE_CONTROLLER}


@pytest.mark.parametrize("wrong", ["port", "machine", "token"])
def test_a_tape_of_nothing_leaves_no_file(busy, tmp_path, wrong):
    fail_to_record(busy, tmp_path, wrong)
    assert names(tmp_path) == []
    with serve(tmp_path, busy.port) as gateway, Browser(gateway):
        until(lambda: size_of(tmp_path / "tape") > 0)


@pytest.mark.parametrize("wrong", ["port", "machine", "token"])
def test_a_tape_of_nothing_leaves_the_one_before(busy, tape, tmp_path, wrong):
    for _ in range(2):
        fail_to_record(busy, tmp_path, wrong)
        assert names(tmp_path) == ["tape"] and (tmp_path / "tape").read_bytes() == tape
    check_next(busy, tmp_path, tape)


@pytest.mark.parametrize("how", ["interrupt", "kill", "gone", "taken"])
def test_a_tape_that_ends_early_leaves_the_one_before(busy, tape, tmp_path, how):
    """kov serve leaves the machine's trace alone."""
    if how == "taken":
        busy.errors = {"sampling_start": (E_BUSY, "taken"), "count_start": (E_BUSY, "taken")}
    with serve(tmp_path, busy.port) as gateway, Browser(gateway) as browser:
        browser.until(lambda: browser.states.get("left"))
        browser.say(type="watch", id=1, machine="left", kind="heat", measure="run-cycles",
                    **{"from": 0, "to": 1e15})
        until(lambda: busy.asked("sampling_start") and (tmp_path / "tape.old").exists())
        if how == "gone":
            state = browser.states["left"]["state"]
            busy.kill()
            browser.until(lambda: browser.states["left"]["state"] != state)
        if how == "kill":
            gateway.process.kill()
            gateway.process.wait()
            gateway.process.returncode = 0
    assert (tmp_path / "tape.old").read_bytes() == tape
    assert is_played(tmp_path / "tape")
    assert not busy.asked("trace_set") and not busy.asked("trace_subscribe")
    busy.errors = {}
    before = (tmp_path / "tape").read_bytes()
    if how == "gone":
        busy.__enter__()
    check_next(busy, tmp_path, before)


@pytest.mark.parametrize("limit", [1, 40, 200, 1000])
def test_a_full_disk_leaves_the_tape_before(busy, tape, tmp_path, limit):
    with serve(tmp_path, busy.port, limit=limit) as gateway, Browser(gateway) as browser:
        browser.say(type="watch", id=7, machine="left", kind="status")
        browser.until(lambda: browser.topics.get(7, {}).get("recording", {}).get("lost"))
    kept = "tape.old" if "tape.old" in names(tmp_path) else "tape"
    assert (tmp_path / kept).read_bytes() == tape
    assert kept == "tape" or is_played(tmp_path / "tape")
    check_next(busy, tmp_path, (tmp_path / "tape").read_bytes())


def test_a_tape_that_was_killed_before_it_had_something_blocks_nothing(busy, tmp_path):
    run = serve(tmp_path, 1).__enter__()
    run.process.kill()
    run.process.communicate()
    assert names(tmp_path) == []
    with serve(tmp_path, busy.port) as gateway, Browser(gateway):
        until(lambda: size_of(tmp_path / "tape") > 0)
        second = subprocess.run([KOV, "serve", "-l", "0", "--record", tmp_path / "tape"],
                                capture_output=True, text=True, check=False)
        assert second.returncode != 0 and "another kov is writing" in second.stderr
    (tmp_path / "notes").write_text("mine")
    second = subprocess.run([KOV, "serve", "-l", "0", "--record", tmp_path / "notes"],
                            capture_output=True, text=True, check=False)
    assert second.returncode != 0 and "nothing is recorded over it" in second.stderr
    assert (tmp_path / "notes").read_text() == "mine"
