# SPDX-License-Identifier: MIT
"""How connections end: one program plays the same table in the guest and on Linux, and Linux is
right. It is tests/guest/user/tcp-ends: close, half-close, reset, unread data."""

import os
import struct
import subprocess
import time

import pytest

from machine import ROOT, Machine
from ports import Port
from test_net import connect
from waiting import PATIENCE

SOURCES = os.path.join(ROOT, "tests/guest/user/tcp-ends")
DATA, CONTROL = 5000, 5001  # DATA is test_net's, too
LAST = "ends: all\n"
TAKEN_SECONDS = 10
GUEST = bytes([10, 0, 2, 15])
TCP_RESET = 4


@pytest.fixture(scope="module", name="witness")
def _witness(tmp_path_factory):
    """The same program for Linux: its path."""
    program = str(tmp_path_factory.mktemp("ends") / "tcp-ends")
    files = [os.path.join(SOURCES, name) for name in ("main.c", "ends.c")]
    subprocess.run(["cc", "-std=gnu17", "-Wall", "-o", program, *files], check=True)
    return program


def rows_of(text):
    """The table: acts and what each gave, by row."""
    lines = [line for line in text.split("\n") if line.startswith("ends: a") and "=" in line or
             line.startswith("ends: b")]
    return [line.removeprefix("ends: ").split() for line in lines]


@pytest.fixture(scope="module", name="truth")
def _truth(witness):
    port = Port()
    try:
        said = subprocess.run([witness, str(port.number)], check=True, capture_output=True,
                              text=True, timeout=PATIENCE).stdout
    finally:
        port.release()
    rows = rows_of(said)
    assert len(rows) > 40 and said.endswith(LAST)
    return rows


@pytest.mark.parametrize("cpus", [1, 4])
def test_inside_of_the_machine_as_on_linux(boot, truth, cpus):
    machine = boot(f"ends{cpus}", cpus=cpus, network=False, typing=True)
    machine.wait_console("orrery:/$ ")
    machine.type("tcp-ends 6500\n")
    machine.wait_console(LAST)
    assert rows_of(machine.console) == truth


def carried(rows):
    """What the guest's side sees of each row, as far as the emulator's network carries it. Behind
    an end of the host's, that network tells of a reset only with the guest's second write."""
    found = []
    for row in rows:
        ended = False
        found.append([])
        for one in row:
            if ended and one[:2] in ("bw", "ac", "al"):
                break
            ended |= one[:2] in ("as", "ac", "ax")
            if one[0] == "b":
                found[-1].append(one)
    return found


def resets_of_the_guest(path):
    """Connections that the guest has reset, from what went over its wire (pcap)."""
    with open(path, "rb") as file:
        data = file.read()
    at, found = 24, set()
    while at + 16 <= len(data):
        size = struct.unpack_from("<I", data, at + 8)[0]
        frame = data[at + 16:at + 16 + size]
        at += 16 + size
        is_tcp = frame[12:14] == b"\x08\x00" and frame[23] == 6
        if is_tcp and frame[26:30] == GUEST and frame[47] & TCP_RESET:
            found.add(frame[34:38])
    return found


@pytest.fixture(scope="module", name="outside")
def _outside(tmp_path_factory):
    """A machine in whose shell things can be typed, with two ports."""
    folder = str(tmp_path_factory.mktemp("outside"))
    wire = os.path.join(folder, "wire")
    with Machine(folder, "outside", network=False, typing=True, forward=[DATA, CONTROL],
                 qemu=["-object", f"filter-dump,id=wire,netdev=n0,file={wire}"]) as machine:
        machine.wire = wire
        machine.wait_console("orrery:/$ ")
        yield machine


def test_from_outside_as_on_linux(outside, witness, truth):
    """The guest is the side that accepts. Of its resets the emulator's network makes ends for the
    host, so these are looked for on the wire."""
    outside.type(f"tcp-ends serve {DATA} {CONTROL}\n")
    outside.wait_console("ends: ready")
    ports = [str(outside.forwarded[port]) for port in (DATA, CONTROL)]
    said = subprocess.run([witness, "drive", *ports], check=True, capture_output=True, text=True,
                          timeout=PATIENCE).stdout
    assert said.endswith(LAST)
    assert carried(rows_of(said)) == carried(truth)
    seen_by_a = [row for row in truth if {"bc=0", "bl=0"} & set(row) and any(
        one[0] == "a" and ("ERR" in one or "ECONNRESET" in one) for one in row)]
    assert len(resets_of_the_guest(outside.wire)) == len(seen_by_a) == 5


def test_what_nobody_takes_is_not_taken_for_long(outside):
    """A program that has ended takes nothing more: who sends to it learns of that, and does not
    send for ever."""
    with connect(outside, f"netperf -t 1 -l send {DATA}") as connection:
        connection.settimeout(TAKEN_SECONDS)
        while connection.recv(65536):
            pass
        begin = time.monotonic()
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            while time.monotonic() < begin + TAKEN_SECONDS:
                connection.sendall(bytes(4096))
                time.sleep(0.05)
