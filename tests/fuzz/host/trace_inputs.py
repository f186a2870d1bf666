# SPDX-License-Identifier: MIT
"""Traces as kov gets them - folders, dumps of memory, disks - small, whole, and to be spoiled."""

import os
import random
import struct
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
sys.path.insert(0, os.path.join(ROOT, "tests/viewer"))

import trace_folder  # noqa: E402
import trace_simulated  # noqa: E402

PACKET_BYTES = 8192
HEADER_BYTES = trace_folder.HEADER.size
TELLING = (0, 1, 0x7f, 0x80, 0xff)
CPUS = 2
CPU_STATE = struct.Struct(">9Q2QIHH10Q")
DESCRIPTOR = struct.Struct(">16sQIIQQQ8QQ")
BASE = 0x10000  # of a dump
CPU_MAGIC, SNAPSHOT_MAGIC = 0x4f52527472616365, 0x4f525259534e4150
SLOT_BYTES, SLOT_HEADER = 1 << 18, 4096
MASK = (1 << 64) - 1


def streams(seed):
    """By (pid, CPU): what a made-up machine logs, or any events at random."""
    chance = random.Random(seed)
    if seed % 2 == 0:
        machine = [trace_simulated.Cpu(cpu, seed + cpu, 150) for cpu in range(CPUS)]
        parts = {(0, cpu.number): [cpu.events[at:at + 100] for at in range(0, len(cpu.events), 100)]
                 for cpu in machine}
    else:
        parts = {(pid, cpu): [] for pid, cpu in ((0, 0), (0, 1), (7, 0), (9, 1))}
        for packets in parts.values():
            when = chance.randrange(1, trace_folder.HZ)
            for _ in range(4):
                packets.append([])
                for _ in range(chance.randrange(1, 60)):
                    when += chance.randrange(1, 1 << chance.randrange(1, 32))
                    packets[-1].append(trace_folder.random_event(chance, when))
    return {(pid, cpu): [trace_folder.packet(part, pid, cpu, number, size=PACKET_BYTES)
                         for number, part in enumerate(packets)]
            for (pid, cpu), packets in parts.items()}


def name_of(pid, cpu):
    return f"stream_{cpu}" if pid == 0 else f"stream_{pid}_{cpu}"


def folder_files(seed):
    made = streams(seed)
    files = {name_of(*stream): b"".join(packets) for stream, packets in made.items()}
    metadata = trace_folder.metadata()
    if seed % 4 < 2:
        metadata = trace_folder.listing(metadata, made)
    return {"metadata": metadata.encode(), **files}


def dump(seed):
    """As `pmemsave`: the last packet of each CPU is open."""
    rings = [packets for (pid, _), packets in sorted(streams(seed).items()) if pid == 0]
    count = 1 << max(len(ring) for ring in rings).bit_length()
    texts = trace_folder.metadata().encode() + b"\0\0"
    states = BASE + DESCRIPTOR.size
    tables = states + CPUS * CPU_STATE.size
    text = tables + CPUS * count * 8
    packets = -(-(text + len(texts)) // PACKET_BYTES) * PACKET_BYTES
    head = [DESCRIPTOR.pack(
        b"ORRERY-TRACE-2".ljust(16, b"\0"), BASE, CPUS, PACKET_BYTES, 0, text,
        text + len(texts) - 1, *(states + cpu * CPU_STATE.size for cpu in range(CPUS)),
        *[0] * (8 - CPUS), 0)]
    places = [[packets + (cpu * count + number) * PACKET_BYTES for number in range(count)]
              for cpu in range(CPUS)]
    for cpu, ring in enumerate(rings):
        last = trace_folder.HEADER.unpack_from(ring[-1])
        pos = places[cpu][len(ring) - 1] + last[5] // 8
        head.append(CPU_STATE.pack(
            last[11] << 32 | pos, 0, *[0] * 7, CPU_MAGIC, tables + cpu * count * 8, count, 2, cpu,
            len(ring), len(ring) - 1, 0, 0, 0, 0, 0, 0, 0, 0))
    head += [struct.pack(f">{count}Q", *row) for row in places]
    body = [b"".join(ring).ljust(count * PACKET_BYTES, b"\0") for ring in rings]
    return (b"".join(head) + texts).ljust(packets - BASE, b"\0") + b"".join(body)


# ---- disks -------------------------------------------------------------------------------------


def checksum(data):
    """As servers/fs/snapshot.c has it."""
    words = (len(data), *struct.unpack(f">{len(data) // 8 + 1}Q", data.ljust(
        (len(data) // 8 + 1) * 8, b"\0")))
    total = 0xcbf29ce484222325
    for word in words:
        total = (total ^ word) * 0x9e3779b97f4a7c15 & MASK
        total = (total << 29 | total >> 35) & MASK
    return total


def archive(files):
    entries = []
    for name, data in [*files.items(), ("TRAILER!!!", b"")]:
        fields = [0, 0o100644, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
        head = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
        entries += [part.ljust(-len(part) // 4 * -4, b"\0") for part in (head, data)]
    return b"".join(entries)


def disk(data):
    """A disk whose first slot has this archive, and whose header and sum are right."""
    header = struct.pack(">6Q", SNAPSHOT_MAGIC, 1, 3, len(data), checksum(data), SLOT_BYTES)
    header += struct.pack(">Q", checksum(header))
    return (header.ljust(SLOT_HEADER, b"\0") + data).ljust(2 * SLOT_BYTES, b"\0")


def disk_archive(seed):
    return archive({f"t/{name}": data for name, data in folder_files(seed).items()})


# ---- spoiling ----------------------------------------------------------------------------------


def spoil(chance, data, reach=None):
    """One byte, one word, or the end."""
    data, way = bytearray(data), chance.random()
    if not data:
        return b""
    at = chance.randrange(min(reach or len(data), len(data)))
    if way < 0.6:
        data[at] = chance.choice([*TELLING, chance.randrange(256)])
    elif way < 0.9:
        at -= at % 8
        word = chance.choice([0, 1, MASK, 1 << 63, chance.getrandbits(64), chance.randrange(999)])
        data[at:at + 8] = struct.pack(">Q", word)[:len(data) - at]
    else:
        del data[at:]
    return bytes(data)


def spoil_packet(chance, data):
    """Mostly what an event holds, which tools must bear; else headers and the first events."""
    if chance.random() < 0.5 or len(data) < PACKET_BYTES:
        return spoil(chance, data, HEADER_BYTES + 64)
    data, used = bytearray(data), struct.unpack_from(">Q", data, 40)[0] // 8
    at, bodies = HEADER_BYTES, []
    while at + 8 <= min(used, len(data)):
        words = struct.unpack_from(">Q", data, at)[0] >> 22 & 0x3ff
        bodies += range(at + 8, at + 8 * words, 8)
        at += 8 * max(words, 1)
    for at in chance.sample(bodies, min(len(bodies), chance.randrange(1, 20))):
        word = chance.choice([0, 1, 7, 9, 100, 102, MASK, 1 << 63, chance.getrandbits(64)])
        if at + 8 <= len(data):
            struct.pack_into(">Q", data, at, word)
    return bytes(data)


def spoil_stream(chance, data):
    packets = [data[at:at + PACKET_BYTES] for at in range(0, len(data), PACKET_BYTES)]
    at = chance.randrange(len(packets))
    if chance.random() < 0.9:
        packets[at] = spoil_packet(chance, packets[at])
    elif chance.random() < 0.5:
        del packets[at]
    else:
        packets.insert(at, chance.choice(packets))
    return b"".join(packets)


def spoil_files(chance, files):
    """One to three changes, of which few spoil the metadata: not much is left then."""
    files, names = dict(files), list(files)[1:]
    for _ in range(chance.randrange(1, 4)):
        name = "metadata" if chance.random() < 0.2 else chance.choice(names)
        change = spoil if name == "metadata" else spoil_stream
        if files[name]:
            files[name] = change(chance, files[name])
    return files


def spoil_dump(chance, data):
    for _ in range(chance.randrange(1, 4)):
        at = len(data) // PACKET_BYTES * PACKET_BYTES - PACKET_BYTES * chance.randrange(1, 8)
        if chance.random() < 0.4:
            data = spoil(chance, data, DESCRIPTOR.size + CPUS * CPU_STATE.size + 64)
        elif at > 0:
            data = data[:at] + spoil_packet(chance, data[at:at + PACKET_BYTES]).ljust(
                PACKET_BYTES, b"\0") + data[at + PACKET_BYTES:]
    return data


def spoil_disk(chance, data):
    """The archive, of which the sum is right then; or anything."""
    if chance.random() < 0.3:
        return spoil(chance, disk(data), chance.choice([64, SLOT_HEADER + len(data)]))
    for _ in range(chance.randrange(1, 4)):
        data = spoil(chance, data, chance.choice([200, len(data)]))
    return disk(data)
