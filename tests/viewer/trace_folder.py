# SPDX-License-Identifier: MIT
"""Folders of traces, written with the image's own event descriptions (trace/events/*.def)."""

import itertools
import pathlib
import random
import re
import struct
import sys

from conftest import ROOT

sys.path.insert(0, str(ROOT / "trace/tools"))
import event_defs  # noqa: E402
import event_output  # noqa: E402

HZ = 512000000
PACKET_BYTES = 65536
HEADER = struct.Struct(">I16sI5QIIQII")
UUID = "00000000-0000-4000-8000-000000000000"
MAJORS, EVENTS = event_defs.load(ROOT / "trace/events")
BY_NAME = {event.name: event for event in EVENTS}


def metadata(cpus=2):
    """Returns the metadata as trace/src/metadata.c writes it."""
    source = (ROOT / "trace/src/metadata.c").read_text()
    text = source[source.index("template[] ="):source.index("static void format_uuid")]
    lines = re.findall(r'"((?:[^"\\]|\\.)*)"', text)
    preamble = "".join(lines).replace("\\n", "\n").replace('\\"', '"')
    return preamble.replace("%s", UUID).replace("%lu", str(HZ), 1).replace("%lu", "0") \
        .replace("%u", str(cpus)) \
        + "\n".join(event_output.metadata_lines(EVENTS)) + "\n"


def encode(when, event, values):
    """Returns an event as bytes. Its fields are packed from the most significant end; those without
    a value are 0. A text comes last."""
    packed, text = 0, b""
    for field, value in itertools.zip_longest(event.fields, values, fillvalue=0):
        if field.type == "text":
            text = (value or "").encode()
            text = text.ljust(max(8, -len(text) // 8 * -8), b"\0")
        else:
            packed = packed << field.bits | value & ((1 << field.bits) - 1)
    words = event.words + len(text) // 8
    return struct.pack(">II", when & 0xffffffff, event.header(words)) \
        + packed.to_bytes(8 * event.words, "big") + text


def packet(events, pid=0, cpu=0, sequence=0, discarded=0, size=PACKET_BYTES):
    """Returns a packet of events (time, event, values), in the order of time."""
    body = b"".join(encode(*event) for event in events)
    header = HEADER.pack(0xc1fc1fc1, bytes.fromhex(UUID.replace("-", "")), pid != 0, events[0][0],
                         events[-1][0], 8 * (HEADER.size + len(body)), 8 * size, discarded, pid,
                         sequence, 0, len(events), cpu)
    return (header + body).ljust(size, b"\0")


def random_value(chance, event, field):
    if field.type == "text":
        room = 8 * (event_defs.MAX_WORDS - event.words)
        # Not empty: babeltrace2 then shows the text that it has read before.
        return "".join(chance.choice("abcXYZ 09_/-") for _ in range(chance.randint(1, room)))
    return chance.getrandbits(chance.randrange(1, field.bits + 1))


def random_event(chance, when):
    event = chance.choice(EVENTS)
    return when, event, [random_value(chance, event, field) for field in event.fields]


def random_packets(chance, pid, cpu, count, start):
    """Returns the packets of one stream, with gaps, and the times of its last event."""
    when, sequence, discarded = start, 0, 0
    for _ in range(count):
        events = []
        for _ in range(chance.randrange(1, 200)):
            when += chance.randrange(1, 1 << chance.randrange(1, 32))
            events.append(random_event(chance, when))
        yield packet(events, pid, cpu, sequence, discarded)
        if chance.random() < 0.2:
            sequence += chance.randrange(1, 9)
        if chance.random() < 0.2:
            discarded += chance.randrange(1, 100)
        sequence += 1


def write(folder, streams):
    """Writes streams: {(pid, CPU): list of packets}."""
    folder = pathlib.Path(folder)
    folder.mkdir()
    (folder / "metadata").write_text(metadata(1 + max(cpu for _, cpu in streams)))
    for (pid, cpu), packets in streams.items():
        name = f"stream_{cpu}" if pid == 0 else f"stream_{pid}_{cpu}"
        (folder / name).write_bytes(b"".join(packets))
    return folder


def listing(text, streams):
    """Returns metadata that list the streams, as `kov trace record` writes them: the first and the
    last packet's sequence number of each."""
    lines = ""
    for (pid, cpu), packets in streams.items():
        first, last = (HEADER.unpack_from(packets[at])[9] for at in (0, -1))
        name = f"stream_{cpu}" if pid == 0 else f"stream_{pid}_{cpu}"
        lines += f'\n    {name} = "{first}-{last}";'
    before, behind = text.split("; };\nclock {", 1)
    return f"{before};{lines} }};\nclock {{{behind}"


def list_streams(folder, streams):
    path = folder / "metadata"
    path.write_text(listing(path.read_text(), streams))
    return folder


def random_folder(folder, seed, count=6):
    """Writes a folder of two CPUs of the kernel and two processes, with all kinds of events."""
    chance = random.Random(seed)
    streams = {(pid, cpu): list(random_packets(chance, pid, cpu, count, chance.randrange(1, HZ)))
               for pid, cpu in ((0, 0), (0, 1), (7, 0), (9, 1))}
    return write(folder, streams)
