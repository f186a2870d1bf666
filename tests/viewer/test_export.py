# SPDX-License-Identifier: MIT
"""kov export: a parser of its own reads each format. The sums are those of the recording."""

import collections
import re

import dci_pb2 as dci
import pytest

from machine import TIMEBASE_HZ, add_samples
from power_program import Program
from profile_parser import Profile

EVENT = "run-cycles"
PERIOD = 5000
# What was recorded: (process, object): samples that are not idle.
EXPECTED = {("kernel", "PageAllocator(PageAllocatorDist) 0x1010"): 10, ("kernel", "[none]"): 3,
            ("she:ll;x:7", "Job(JobShared) 0x1010 of she:ll;x:7"): 20,
            ("she:ll;x:7", "Thread(ThreadShared) 0x1020"): 7,
            ("init:1", "[gone] 0x7770 of init:1"): 5}
BUSY, IDLE, LOST = 45, 25, 4


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return Program(tmp_path_factory.mktemp("program"), "kernel")


@pytest.fixture
def recorded(kov, machine, program):
    """Records calls from _start over odd into bottom. The process's name has characters that the
    formats use as marks."""
    machine.add_processes()
    machine.processes[1].name = "she:ll;x"
    machine.system.build_id = bytes.fromhex(program.build_id)
    bottom, odd, start = program.address(5), program.address(19), program.address(23)
    kernel = dci.SAMPLE_KERNEL | dci.SAMPLE_ATTRIBUTED
    add_samples(machine, {(0x1010, bottom): 10}, callers=[odd + 4, start + 4], lost=LOST)
    add_samples(machine, {(0, odd): 3}, flags=dci.SAMPLE_KERNEL, callers=[start + 4], lost=LOST)
    add_samples(machine, {(0x1010, 0x20000000): 20}, cpu=1, flags=dci.SAMPLE_ATTRIBUTED, pid=7)
    add_samples(machine, {(0x1020, bottom): 7}, cpu=1, flags=kernel, pid=7, callers=[0x20000104])
    add_samples(machine, {(0x7770, 0x20000000): 5}, flags=dci.SAMPLE_ATTRIBUTED, pid=1, lost=LOST)
    add_samples(machine, {(0, start): IDLE}, cpu=1, flags=dci.SAMPLE_KERNEL | dci.SAMPLE_IDLE)
    assert kov("record", "-d", "0.1", "-c", PERIOD, machine=machine).code == 0


@pytest.fixture
def export(kov, recorded, program):
    def run(*arguments, code=0):
        result = kov("export", "--kernel", program.path, *arguments)
        assert result.code == code, result.err
        return result

    return run


# ---- folded stacks

def folded(text):
    """Returns {frames: count}, taking lines apart as flamegraph.pl does."""
    stacks = {}
    for line in text.splitlines():
        match = re.fullmatch(r"(.*)\s+?(\d+(?:\.\d*)?)", line)
        assert match, line
        frames = tuple(match[1].split(";"))
        assert all(frames) and frames not in stacks
        stacks[frames] = int(match[2])
    return stacks


def test_folded_stacks_add_up_to_the_recording(export):
    assert sum(folded(export("-f", "folded").out).values()) == BUSY * PERIOD
    assert sum(folded(export("-f", "folded", "--idle").out).values()) == (BUSY + IDLE) * PERIOD
    assert sum(folded(export("-f", "folded", "--pid", "7").out).values()) == 27 * PERIOD


def test_folded_stacks_begin_with_process_and_object(export):
    sums = collections.Counter()
    for frames, count in folded(export("-f", "folded").out).items():
        sums[frames[:2]] += count
    assert sums == {tuple(name.replace(";", ":") for name in key): count * PERIOD
                    for key, count in EXPECTED.items()}


def test_folded_stacks_are_outermost_first(export):
    stacks = folded(export("-f", "folded").out)
    assert stacks[("kernel", "PageAllocator(PageAllocatorDist) 0x1010", "_start", "odd",
                   "bottom")] == 10 * PERIOD
    assert stacks[("kernel", "[none]", "_start", "odd")] == 3 * PERIOD
    assert stacks[("she:ll:x:7", "Thread(ThreadShared) 0x1020", "0x20000100",
                   "bottom")] == 7 * PERIOD


# ---- perf script

# this and the next two: what stackcollapse-perf.pl looks for
HEAD = re.compile(r"^(\S.+?)\s+(\d+)\/*(\d+)*\s+")
EVENT_OF_HEAD = re.compile(r":\s*(\d+)*\s+(\S+):\s*$")
FRAME = re.compile(r"^\s*(\w+)\s*(.+) \((.*)\)")
STRICT_HEAD = re.compile(r"(\S+) +(\d+)/(\d+) +\[(\d{3})\] +(\d+)\.(\d{6}): +(\d+) (\S+): $")
STRICT_FRAME = re.compile(r"\t +([0-9a-f]+) (.+?)(?:\+0x([0-9a-f]+))? \((\S+)\)$")


def perf_script(text):
    """Returns [{comm, pid, thread, cpu, time, period, event, frames: [(address, function,
    file)]}]."""
    samples = []
    assert text.endswith("\n\n")
    for block in text[:-2].split("\n\n"):
        head, *frames = block.split("\n")
        strict = STRICT_HEAD.fullmatch(head)
        assert strict and HEAD.match(head), head
        assert HEAD.match(head)[1] == strict[1] \
            and EVENT_OF_HEAD.search(head).groups() == (strict[7], strict[8])
        stack = []
        for frame in frames:
            one = STRICT_FRAME.fullmatch(frame)
            assert one and FRAME.match(frame), frame
            assert FRAME.match(frame)[1] == one[1] and FRAME.match(frame)[3] == one[4]
            stack.append((int(one[1], 16), one[2], one[4]))
        assert stack
        samples.append({"comm": strict[1], "pid": int(strict[2]), "cpu": int(strict[4]),
                        "time": int(strict[5]) + int(strict[6]) / 1e6, "period": int(strict[7]),
                        "event": strict[8], "frames": stack})
    return samples


def test_perf_script_has_every_sample(export):
    samples = perf_script(export("-f", "perf-script").out)
    assert len(samples) == BUSY and {sample["event"] for sample in samples} == {EVENT}
    assert sum(sample["period"] for sample in samples) == BUSY * PERIOD
    assert collections.Counter(sample["pid"] for sample in samples) == {0: 13, 7: 27, 1: 5}
    assert collections.Counter(sample["cpu"] for sample in samples) == {0: 18, 1: 27}
    # ';' would split a stack
    assert {sample["comm"] for sample in samples if sample["pid"] == 7} == {"she:ll:x"}
    assert len(perf_script(export("-f", "perf-script", "--idle").out)) == BUSY + IDLE


def test_perf_script_is_in_order_of_time(export):
    times = [sample["time"] for sample in perf_script(export("-f", "perf-script").out)]
    assert times == sorted(times)


def test_perf_script_times_are_seconds(kov, machine):
    add_samples(machine, {(0x1010, 0x100): 1})
    machine.samples[0].samples[0].time = 3 * TIMEBASE_HZ + TIMEBASE_HZ // 4
    kov("record", "-d", "0.1", machine=machine)
    sample, = perf_script(kov("export", "-f", "perf-script").out)
    assert sample["time"] == 3.25 and sample["frames"] == [(0x100, "[unknown]",
                                                            "[kernel.kallsyms]")]


def test_perf_script_stacks_are_innermost_first(export, program):
    samples = perf_script(export("-f", "perf-script").out)
    stacks = collections.Counter(tuple(name for _, name, _ in sample["frames"])
                                 for sample in samples)
    assert stacks == {("bottom", "odd", "_start"): 10, ("odd", "_start"): 3, ("[unknown]",): 25,
                      ("bottom", "[unknown]"): 7}
    first = next(sample for sample in samples if len(sample["frames"]) == 3)
    assert [address for address, _, _ in first["frames"]] == [program.address(5),
                                                              program.address(19), program.address(
                                                                  23)]
    mixed = next(sample for sample in samples if sample["frames"][1:]
                 and sample["frames"][1][1] == "[unknown]")
    assert [file for _, _, file in mixed["frames"]] == ["[kernel.kallsyms]", "[unknown]"]


def test_perf_script_offsets_are_from_the_functions_start(export, program):
    start = program.functions()["bottom"][0][0]
    assert f"bottom+0x{program.address(5) - start:x} (" in export("-f", "perf-script").out


def test_blanks_in_a_process_name_do_not_split_it(kov, machine):
    machine.add_processes()
    machine.processes[1].name = "two words 3"
    add_samples(machine, {(0, 0x100): 2}, flags=0, pid=7)
    kov("record", "-d", "0.1", machine=machine)
    assert {sample["comm"] for sample in perf_script(kov("export", "-f",
                                                         "perf-script").out)} == {"two_words_3"}


# ---- pprof

@pytest.fixture
def profile(export, tmp_path):
    def make(*arguments):
        result = export("-f", "pprof", "-o", "profile.pb.gz", *arguments)
        assert "samples written to profile.pb.gz" in result.out
        return Profile(tmp_path / "profile.pb.gz")

    return make


def test_a_profile_adds_up_to_the_recording(profile):
    made = profile()
    assert made.types == [("samples", "count"), (EVENT, "count")]
    assert made.sum("samples") == BUSY and made.sum(EVENT) == BUSY * PERIOD
    assert (made.period, made.period_type, made.default_type) == (PERIOD, [EVENT], EVENT)
    assert profile("--idle").sum("samples") == BUSY + IDLE
    assert profile("--pid", "1").sum("samples") == 5


def test_a_profile_has_labels(profile):
    sums, cpus = collections.Counter(), collections.Counter()
    for sample in profile().samples:
        assert set(sample["labels"]) == {"object", "class", "process", "cpu"}
        sums[sample["labels"]["process"], sample["labels"]["object"]] += sample["values"][0]
        cpus[sample["labels"]["cpu"]] += sample["values"][0]
        assert sample["labels"]["class"].split("(")[0] \
            == sample["labels"]["object"].split("(")[0].split(" ")[0]
    assert sums == EXPECTED and cpus == {"0": 18, "1": 27}


def test_equal_samples_are_one(profile):
    assert sorted(sample["values"][0] for sample in profile().samples) == [3, 5, 7, 10, 20]


def test_a_profile_has_stacks_with_functions_and_lines(profile, program):
    sample = next(sample for sample in profile().samples if len(sample["stack"]) == 3)
    lines = [(one["lines"][0][0]["name"], one["lines"][0][1]) for one in sample["stack"]]
    assert lines == [("bottom", 5), ("odd", 19), ("_start", 23)]
    assert {one["lines"][0][0]["file"] for one in sample["stack"]} == {str(program.source)}


def test_a_profile_has_programs_with_build_ids(profile, program):
    made = profile()
    kernel = next(one for one in made.mappings.values() if one["file"] == str(program.path))
    assert kernel["build_id"] == program.build_id and kernel["has_functions"]
    others = {one["file"]: one for one in made.mappings.values() if one is not kernel}
    assert set(others) == {"she:ll;x", "init"} and not any(one["has_functions"]
                                                           for one in others.values())
    mixed = next(sample for sample in made.samples if sample["values"][0] == 7)
    assert [one["mapping"]["file"] for one in mixed["stack"]] == [str(program.path), "she:ll;x"]


def test_a_profile_tells_what_was_lost(profile):
    assert any(str(LOST) in comment and "lost" in comment for comment in profile().comments)


def test_without_the_kernels_file_a_profile_has_its_build_id(kov, recorded, program, tmp_path):
    assert kov("export", "--kernel", "missing.elf", "-f", "pprof", "-o", "p.gz").code == 0
    made = Profile(tmp_path / "p.gz")
    kernel = next(one for one in made.mappings.values() if one["file"] == "[kernel]")
    assert kernel["build_id"] == program.build_id and not kernel["has_functions"]
    assert made.sum("samples") == BUSY


def test_an_empty_recording_is_exported(kov, machine, tmp_path):
    kov("record", "-d", "0.1", machine=machine)
    assert kov("export", "-f", "folded").out == "" and kov("export", "-f", "perf-script").out == ""
    assert kov("export", "-f", "pprof", "-o", "p.gz").code == 0
    assert not Profile(tmp_path / "p.gz").samples


# ---- the command

def test_losses_are_told(export):
    assert f"{LOST} samples were lost" in export("-f", "folded").err
    assert f"lost {LOST}" in export("-f", "folded", "-o", "out").out
    assert export("-f", "folded", "-o", "out", "--json").json == {
        "file": "out", "format": "folded", "samples": BUSY, "lost": LOST}


def test_a_file_gets_what_standard_output_would(export, tmp_path):
    for name in ("folded", "perf-script"):
        text = export("-f", name).out
        export("-f", name, "-o", "out")
        assert (tmp_path / "out").read_text() == text


def test_wrong_use_is_told(kov, recorded):
    assert "--format" in kov("export").err
    for arguments in ([], ["-f", "svg"], ["-f", "folded", "--json"], ["-f", "folded", "-e"],
                      ["-f", "folded", "x"]):
        assert kov("export", *arguments).code == 2, arguments
    result = kov("export", "-f", "folded", "-e", "larx")
    assert result.code == 1 and "larx" in result.err and EVENT in result.err


def test_what_cannot_be_read_or_written_is_told(kov, recorded):
    assert kov("export", "-f", "folded", "-i", "missing.kov").code == 1
    for target in ("no/such/folder", "/dev/full"):
        result = kov("export", "-f", "folded", "-o", target)
        assert result.code == 1 and target in result.err
