# SPDX-License-Identifier: MIT
"""A table of damages x every tool: what is lost is told, the rest is as in the undamaged trace."""

import random
import struct
import subprocess

import pytest

import trace_folder
from trace_folder import BY_NAME, HEADER, PACKET_BYTES, packet
from trace_simulated import Cpu, packets

# Places of each damage, and the part of the tools that look at each.
PLACES = [pytest.param(range(1, 12, 5), 4, id="3 places"),
          pytest.param(range(1, 21), 1, id="20 places, each tool", marks=pytest.mark.minutes)]
SLOW = 1 << 14  # times the simulated times: a few seconds
PACKETS = 26  # of each CPU
TOOLS = {"show": ("show",), "activity": ("show", "--activity"), "breakdown": ("breakdown",),
         "sched": ("sched",), "idle": ("idle",), "threads": ("threads",), "waits": ("waits",),
         "syscalls": ("syscalls",), "faults": ("faults",), "locks": ("locks",),
         "profile": ("profile",), "count": ("count", "wake..switch")}


def put(data, offset, form, value):
    return data[:offset] + struct.pack(form, value) + data[offset + struct.calcsize(form):]


# Offsets in struct trace_packet.
BEGIN, END, CONTENT, SIZE, DISCARDED, SEQUENCE, EVENTS, CPU = 24, 32, 40, 48, 56, 68, 80, 84


def spoil(offset, form, value):
    """Returns a damage that changes one field of a packet's header."""
    return lambda stream, at, chance: [*stream[:at], put(stream[at], offset, form, value),
                                       *stream[at + 1:]]


def missing(stream, at, chance):
    return stream[:at] + stream[at + 1:]


def moved(stream, at, chance):
    rest = missing(stream, at, chance)
    to = chance.randrange(len(stream))
    return [*rest[:to], stream[at], *rest[to:]]


def twice(stream, at, chance):
    to = chance.randrange(len(stream))
    return [*stream[:to], stream[at], *stream[to:]]


def cut_short(stream, at, chance):
    return [*stream[:at], stream[at][:chance.randrange(HEADER.size, PACKET_BYTES)],
            *stream[at + 1:]]


def garbage(stream, at, chance):
    return [*stream[:at], chance.randbytes(chance.randrange(1, 9000)), *stream[at:]]


def bad_event(stream, at, chance):
    return [*stream[:at], put(stream[at], HEADER.size + 4, ">I", 0xffffffff), *stream[at + 1:]]


# Each damage, and how many packets it costs.
DAMAGES = {
    "missing": (missing, 1), "moved": (moved, 0), "twice": (twice, 0),
    "cut short": (cut_short, 1), "garbage": (garbage, 0), "bad event": (bad_event, 1),
    "magic": (spoil(0, ">I", 0), 1), "uuid": (spoil(4, ">I", 1), 1),
    "size small": (spoil(SIZE, ">Q", 8 * PACKET_BYTES // 2), 1),
    "size large": (spoil(SIZE, ">Q", 8 * PACKET_BYTES * 2), 1),
    "size huge": (spoil(SIZE, ">Q", 1 << 63), 1), "size odd": (spoil(SIZE, ">Q", 12345), 1),
    "content": (spoil(CONTENT, ">Q", 8 * PACKET_BYTES), 1),
    "sequence back": (spoil(SEQUENCE, ">I", 0), 1),
    "sequence far": (spoil(SEQUENCE, ">I", 500), 1),
    "begin": (spoil(BEGIN, ">Q", 1 << 60), 1), "begin 0": (spoil(BEGIN, ">Q", 0), 1),
    "end": (spoil(END, ">Q", 0x3fffffffffffffff), 1), "end 0": (spoil(END, ">Q", 0), 1),
    "events": (spoil(EVENTS, ">I", 3), 1), "cpu": (spoil(CPU, ">I", 1), 1),
    "no cpu": (spoil(CPU, ">I", 7), 1), "discarded": (spoil(DISCARDED, ">Q", 1 << 40), 1),
}


def machine():
    """Returns the packets of two CPUs that a machine has simulated."""
    cpus = [Cpu(number, number, 150) for number in (0, 1)]
    streams = {}
    for cpu in cpus:
        cpu.pass_time(max(other.time for other in cpus) - cpu.time)
        cpu.log("test0")
        cpu.events = [(SLOW * when, event, values) for when, event, values in cpu.events]
        streams[0, cpu.number] = packets(cpu, -(-len(cpu.events) // PACKETS))
    return streams


@pytest.fixture(name="streams", scope="module")
def _streams():
    return machine()


# Of the whole trace, not of the rows.
COUNTED = ("left_out_packets", "lost_packets", "discarded", "unsure", "alone", "unfinished",
           "first_alone", "second_alone")


class Look:
    """What the tools say of a trace."""

    def __init__(self, kov, folder):
        self.kov, self.folder, self.told, self.known = kov, folder, "", {}

    def tool(self, name, *options):
        if (name, options) not in self.known:
            result = self.kov("trace", *TOOLS[name], self.folder, "--json", *options)
            assert result.code == 0, (name, self.folder, result.err)
            self.told, self.known[name, options] = result.err, result.json
        return self.known[name, options]

    def events(self):
        """Not their texts: what is missing may have told a name."""
        return [(*(event[key] for key in ("ticks", "cpu", "event")), *event["fields"].items())
                for event in self.tool("show")["events"] if event["event"] != "lost"]

    def answer(self, name, *options):
        document = dict(self.tool(name, *options))
        return {key: value for key, value in document.items()
                if key not in COUNTED}


@pytest.fixture(name="whole", scope="module")
def _whole(streams, tmp_path_factory):
    return trace_folder.write(tmp_path_factory.mktemp("whole") / "trace", streams)


def no_more_than(found, expected):
    """What a tool is sure of, it was sure of in the undamaged trace. The rest is unknown."""
    for cpu, other in zip(found["cpus"], expected["cpus"], strict=True):
        for key, ticks in cpu.items():
            if key.endswith("_ticks") and key != "unknown_ticks":
                assert ticks <= other[key], (key, cpu)


# Of one CPU, while another's stream is damaged. (A wake-up of a thread that sleeps may be lost with
# another CPU's events, so sched and what follows it say less then.)
ALONE = ("activity", "idle", "syscalls", "faults", "locks", "profile", "count")


@pytest.mark.parametrize("name", DAMAGES)
@pytest.mark.parametrize("places, part", PLACES)
def test_what_is_lost_is_told_and_the_rest_is_as_it_was(kov, tmp_path, streams, whole, name, places,
                                                        part):
    damage, cost = DAMAGES[name]
    undamaged, good = Look(kov, whole), streams[0, 0]
    for at in places:
        spoilt = damage(good, at, random.Random(at))
        folder = trace_folder.write(tmp_path / str(at), {(0, 0): spoilt, (0, 1): streams[0, 1]})
        look = Look(kov, trace_folder.list_streams(folder, streams))
        begin, end = struct.unpack_from(">2Q", good[at], BEGIN)
        gone = HEADER.unpack_from(good[at])[11] if cost else 0
        expected, found = undamaged.events(), look.events()
        assert len(found) == len(expected) - gone, (at, look.told)
        assert [event for event in expected if event in set(found)] == found, at
        assert all(event[1] == 0 and begin <= event[0] <= end
                   for event in set(expected) - set(found)), at
        if cost and name != "missing" or name in ("twice", "garbage"):
            assert look.told.count(f"warning: {tmp_path}") == 1, look.told
        for tool in list(TOOLS)[at % part::part]:
            assert look.tool(tool)["lost_packets"] == cost, (at, tool)
            assert cost or look.answer(tool) == undamaged.answer(tool), (at, tool)
            assert tool not in ALONE or look.answer(tool, "--cpu", 1) == \
                undamaged.answer(tool, "--cpu", 1), (at, tool)
        no_more_than(look.tool("breakdown"), undamaged.tool("breakdown"))


# ---- ends, missing streams, other files --------------------------------------------------------


def cpus_of(kov, folder):
    """Returns what `breakdown` says of each CPU, and what kov warns of."""
    result = kov("trace", "breakdown", folder, "--json")
    assert result.code == 0, result.err
    return result.json, {row["cpu"]: row for row in result.json["cpus"]}, result.err


@pytest.mark.parametrize("kept", [1, 7, 15])
def test_a_cpu_is_unknown_behind_the_end_of_its_stream(kov, tmp_path, streams, whole, kept):
    folder = trace_folder.write(tmp_path / "trace", {(0, 0): streams[0, 0][:kept],
                                                     (0, 1): streams[0, 1]})
    document, cpus, told = cpus_of(kov, folder)
    last = struct.unpack_from(">Q", streams[0, 0][kept - 1], END)[0]
    assert cpus[0]["unknown_ticks"] >= document["to_ticks"] - last > 0
    assert "stream of CPU 0 ends" in told
    no_more_than(document, cpus_of(kov, whole)[0])
    intervals = kov("trace", "show", "--activity", folder, "--json").json["intervals"]
    behind = [row for row in intervals if row["cpu"] == 0 and row["to_ticks"] > last]
    assert [row["activity"] for row in behind] == ["unknown"]
    for row in kov("trace", "sched", folder, "--cpu", 0, "--json").json["threads"]:
        assert row["run_ticks"] + row["ready_ticks"] <= last - document["from_ticks"]
    idle = kov("trace", "idle", folder, "--json").json["cpus"][0]
    assert idle["unknown_ticks"] >= document["to_ticks"] - last


def test_a_wait_may_have_ended_behind_the_end_of_a_stream(kov, tmp_path):
    """A call is answered on its server's CPU: nothing says that it is not."""
    def call(time, cpu):
        return packet([(time, BY_NAME["test0"], ()),
                       (time + 10, BY_NAME["ipc_call"], (0xabc, 7 + cpu, 3, 0, 0, 1))], cpu=cpu)

    def end(time, cpu, sequence):
        return packet([(time, BY_NAME["test0"], ())], cpu=cpu, sequence=sequence)

    whole = {(0, cpu): [call(1000, cpu), end(4 * trace_folder.HZ, cpu, 1)] for cpu in (0, 1)}
    cut = {(0, 0): whole[0, 0], (0, 1): whole[0, 1][:1]}
    missing = {(0, 1): whole[0, 1]}
    for name, streams, sure in (("whole", whole, True), ("cut", cut, False),
                                ("missing", missing, False)):
        folder = trace_folder.write(tmp_path / name, streams)
        waits = kov("trace", "waits", folder, "--json").json["waits"]
        assert waits and {not row["unsure"] for row in waits} == {sure}, name


@pytest.mark.parametrize("cpu", [0, 1])
def test_a_stream_that_is_missing_is_told_and_its_cpu_is_unknown(kov, tmp_path, streams, cpu):
    folder = trace_folder.write(tmp_path / "trace", streams)
    (folder / f"stream_{cpu}").unlink()
    document, cpus, told = cpus_of(kov, folder)
    length = document["to_ticks"] - document["from_ticks"]
    assert f"CPU {cpu} has no stream" in told
    assert cpus[cpu]["unknown_ticks"] == length and cpus[1 - cpu]["unknown_ticks"] < length


# ---- streams that a recording lists ------------------------------------------------------------


@pytest.fixture(name="listed", scope="module")
def _listed(streams):
    """Adds streams of two processes, one of which begins late and has a gap."""
    test = BY_NAME["test0"]

    def process(pid, cpu, sequences):
        return [packet([(SLOW * (2000 + 100 * number), test, ()),
                        (SLOW * (2050 + 100 * number), test, ())], pid, cpu, number)
                for number in sequences]

    return {**streams, (7, 0): process(7, 0, range(5)), (7, 1): process(7, 1, range(3)),
            (9, 1): process(9, 1, [4, 5, 7])}


def told_by(kov, folder, tool):
    result = kov("trace", *TOOLS[tool], folder, "--json")
    assert result.code == 0, result.err
    return result.json, result.err


def write_listed(folder, listed, kept):
    """Writes a recording, then keeps so many packets of each stream: None is all, 0 no file."""
    trace_folder.write(folder, {key: packets[:kept.get(key)] for key, packets in listed.items()
                                if kept.get(key) != 0})
    return trace_folder.list_streams(folder, listed)


@pytest.mark.parametrize("tool", TOOLS)
def test_each_tool_tells_what_is_missing_of_a_recording(kov, tmp_path, listed, tool):
    whole = write_listed(tmp_path / "whole", listed, {})
    undamaged, said = told_by(kov, whole, tool)
    assert said == "" or "missing" not in said
    # Of process 9: 4 before it began, and a gap. The list of activities has no counts.
    assert undamaged.get("lost_packets", 5) == 5
    # the packets that are gone; of (9, 1) all from the first on, with its gap
    for (key, kept), gone in {((7, 0), 0): 5, ((9, 1), 0): 4, ((7, 1), 1): 2, ((7, 0), 4): 1,
                              ((0, 1), 0): PACKETS, ((0, 0), PACKETS - 2): 2}.items():
        folder = write_listed(tmp_path / f"{key[0]}_{key[1]}_{kept}", listed, {key: kept})
        name = f"stream_{key[0]}_{key[1]}" if key[0] else f"stream_{key[1]}"
        document, said = told_by(kov, folder, tool)
        assert said.count("missing") == 1, said
        assert f"{name} is missing, with {gone} packets" in said if kept == 0 \
            else f"the last {gone} packets of {name} are missing" in said, said
        before = 5 if key != (9, 1) else 0
        assert document.get("lost_packets", before + gone) == before + gone
        if key[0] != 0 and tool not in ("show", "count"):  # they are all of the kernel's events
            assert {k: v for k, v in document.items() if k not in COUNTED} == \
                {k: v for k, v in undamaged.items() if k not in COUNTED}


def test_what_is_missing_is_an_event_of_the_listing(kov, tmp_path, listed):
    folder = write_listed(tmp_path / "trace", listed, {(7, 0): 2, (7, 1): 0})
    lost = [event for event in told_by(kov, folder, "show")[0]["events"]
            if event["event"] == "lost" and event["pid"] == 7]
    assert sorted((event["cpu"], event["packets"]) for event in lost) == [(0, 3), (1, 3)]
    of_cpu = kov("trace", "show", folder, "--cpu", 0, "--pid", 7, "--json").json
    assert of_cpu["lost_packets"] == 3


def test_a_recording_that_was_killed_may_have_more_than_it_lists(kov, tmp_path, listed):
    less = {key: packets[:1] for key, packets in listed.items() if key != (7, 1)}
    folder = trace_folder.list_streams(trace_folder.write(tmp_path / "trace", listed), less)
    document, said = told_by(kov, folder, "breakdown")
    assert said == "" and document["lost_packets"] == 5


def test_babeltrace2_reads_a_list_of_streams(tmp_path, listed):
    folder = write_listed(tmp_path / "trace", listed, {})
    done = subprocess.run(["babeltrace2", folder], capture_output=True, text=True, check=True)
    assert not [line for line in done.stderr.splitlines() if line and "iscarded" not in line]
    assert len(done.stdout.splitlines()) == sum(
        HEADER.unpack_from(data)[11] for packets in listed.values() for data in packets)


@pytest.mark.parametrize("line", ['stream_ = "0-1";', 'stream_9 = "0-1";', 'stream_7_9 = "0-1";',
                                  'stream_7_0 = "5-1";', 'stream_7_0 = "0-99999999999";',
                                  'stream_7_0 = "0";', "stream_7_0 = 5;", 'stream_7_0_1 = "0-9";',
                                  'stream_99999999999_0 = "0-1";'])
def test_a_list_that_makes_no_sense_is_none(kov, tmp_path, streams, line):
    folder = trace_folder.write(tmp_path / "trace", streams)
    metadata = folder / "metadata"
    metadata.write_text(metadata.read_text().replace("cpus = 2; ", f"cpus = 2; {line} "))
    document, said = told_by(kov, folder, "breakdown")
    assert said == "" and document["lost_packets"] == 0


def test_a_recording_without_any_stream_is_told(kov, tmp_path, listed):
    folder = write_listed(tmp_path / "trace", listed, {})
    for path in folder.glob("stream_*"):
        path.unlink()
    result = kov("trace", "breakdown", folder)
    assert result.code == 1 and "no packet in it can be read" in result.err


# ---- other files -------------------------------------------------------------------------------


def test_the_same_packets_count_once_and_other_files_are_no_streams(kov, tmp_path, streams, whole):
    folder = trace_folder.write(tmp_path / "trace", streams)
    (folder / "stream_0~").write_bytes((folder / "stream_0").read_bytes())
    (folder / "notes.txt").write_text("what I saw")
    (folder / "empty").write_bytes(b"")
    (folder / "more").mkdir()
    look, undamaged = Look(kov, folder), Look(kov, whole)
    for tool in TOOLS:
        assert look.answer(tool) == undamaged.answer(tool), tool
        assert f"{len(streams[0, 0])} packets are there twice" in look.told
        assert "notes" not in look.told and "empty" not in look.told


def test_a_stream_without_any_packet_is_told(kov, tmp_path, streams):
    folder = trace_folder.write(tmp_path / "trace", streams)
    (folder / "stream_1").write_bytes(b"nothing of it is left")
    assert "CPU 1 has no stream" in cpus_of(kov, folder)[2]
    (folder / "stream_0").write_bytes(b"nor of this")
    result = kov("trace", "breakdown", folder)
    assert result.code == 1 and "no packet in it can be read" in result.err


@pytest.mark.parametrize("field, at", [(END, -1), (BEGIN, 0)])
def test_a_time_that_no_other_cpu_knows_is_not_believed(kov, tmp_path, streams, whole, field,
                                                        at):
    later = 1 << 40  # both CPUs have run for a while
    moved = {key: [put(put(data, BEGIN, ">Q", later + struct.unpack_from(">Q", data, BEGIN)[0]),
                       END, ">Q", later + struct.unpack_from(">Q", data, END)[0])
                   for data in stream] for key, stream in streams.items()}
    bad = 0x3fffffffffffffff if field == END else 5000
    moved[0, 0][at] = put(moved[0, 0][at], field, ">Q", bad)
    folder = trace_folder.write(tmp_path / "trace", moved)
    document, _, told = cpus_of(kov, folder)
    good = cpus_of(kov, whole)[0]
    assert document["from_ticks"] >= later and told
    assert document["to_ticks"] - document["from_ticks"] <= good["to_ticks"] - good["from_ticks"]
    no_more_than(document, good)
