#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Clients of all roles that send mutated frames, half-close, reset and leave; and a witness.

By hand, as many frames as wanted: tests/system/siege.py --frames 1000000
"""

import argparse
import pathlib
import random
import socket
import struct
import sys
import tempfile
import threading
import time

import dci_client as dci
from dci_client import pb
from machine import CONTROLLER, OBSERVER, Machine
from waiting import wait_for

TOKENS = {"none": "", "wrong": "wrong", "observer": OBSERVER, "controller": CONTROLLER}
# Connections of each role. Some of the server's 16 places are left for those who mean it well, and
# for who has just gone: if controllers had all of them, it would be right to let nobody else in.
AT_ONCE = {"none": 20, "wrong": 4, "observer": 8, "controller": 4}
BODIES = [field for field in pb.Request.DESCRIPTOR.fields if field.containing_oneof is not None]
# to a controller they do what they say
FORBIDDEN = {"power_off", "kill", "move", "console_input", "workload_start"}
PROGRAMS = ["", "nothing", "bin/nothing", "../..", "a" * 200]
E_LIMIT = -6
# The machine's, after which the place of who has gone is free. It takes a hundredth of that.
FREE_SECONDS = 10
WAIT_SECONDS = 1  # The host's, of which another client waits at most. So only by hand.
EDGES = [0, 1, 2, 3, 7, 8, 255, 256, 65535, 1 << 31, (1 << 32) - 1, 1 << 63, (1 << 64) - 1]


class Mutator:
    """Frames: requests with wild values, and some of them with wild bytes."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def number(self, field):
        value = self.random.choice(EDGES) if self.random.random() < 0.5 \
            else self.random.getrandbits(self.random.randrange(64))
        bits = 32 if field.cpp_type in (field.CPPTYPE_INT32, field.CPPTYPE_UINT32,
                                        field.CPPTYPE_ENUM) else 64
        value &= (1 << bits) - 1
        signed = field.cpp_type in (field.CPPTYPE_INT32, field.CPPTYPE_INT64, field.CPPTYPE_ENUM)
        return value - (1 << bits) if signed and value >> (bits - 1) else value

    def scalar(self, field):
        if field.cpp_type == field.CPPTYPE_BOOL:
            return self.random.random() < 0.5
        if field.type == field.TYPE_BYTES:
            return self.random.randbytes(self.random.choice([0, 1, 100, 8192, 8193]))
        if field.cpp_type == field.CPPTYPE_STRING:
            if field.name == "program":
                return self.random.choice(PROGRAMS)
            if field.name == "token":
                return self.random.choice(["", "wrong", OBSERVER, "x" * 64, "x" * 65])
            return "".join(chr(self.random.randrange(1, 0x250))
                           for _ in range(self.random.randrange(80)))
        if field.cpp_type in (field.CPPTYPE_DOUBLE, field.CPPTYPE_FLOAT):
            return self.random.choice([0.0, -1.0, 1e300, float("nan"), float("inf")])
        if field.cpp_type == field.CPPTYPE_ENUM and self.random.random() < 0.8:
            return self.random.choice(field.enum_type.values).number
        return self.number(field)

    def fill(self, message):
        for field in message.DESCRIPTOR.fields:
            if self.random.random() < 0.4:
                continue
            repeated = hasattr(getattr(message, field.name), "append")
            count = self.random.choice([1, 1, 2, 9, 40]) if repeated else 1
            for _ in range(count):
                if field.message_type is not None:
                    self.fill(getattr(message, field.name).add() if repeated
                              else getattr(message, field.name))
                elif repeated:
                    getattr(message, field.name).append(self.scalar(field))
                else:
                    setattr(message, field.name, self.scalar(field))

    def request(self):
        request = pb.Request(id=self.random.choice([1, 2, 1 << 31, (1 << 32) - 1]))
        field = self.random.choice(BODIES)
        body = getattr(request, field.name)
        body.SetInParent()
        self.fill(body)
        return request.SerializeToString()

    def wild_bytes(self, data):
        data = bytearray(data)
        for _ in range(self.random.randrange(1, 4)):
            place = self.random.randrange(len(data))
            kind = self.random.randrange(4)
            if kind == 0:
                data[place] ^= 1 << self.random.randrange(8)
            elif kind == 1:
                data[place] = self.random.randrange(256)
            elif kind == 2:
                data[place:place] = self.random.randbytes(self.random.randrange(1, 9))
            elif len(data) > 1:
                del data[place]
        return bytes(data)

    def frame(self):
        """One frame, that ends no machine whoever sends it."""
        payload = b""
        while not payload or does_as_told(payload):
            payload = self.request()
            if self.random.random() < 0.15:
                payload = self.wild_bytes(payload)
        length = len(payload)
        if self.random.random() < 0.01:
            length = self.random.choice(EDGES) & 0xffffffff
        return struct.pack(">I", length) + payload


def does_as_told(payload):
    """Would a controller's frame switch the machine off, or end or hold up what the siege is to
    leave alone?"""
    try:
        request = pb.Request.FromString(payload)
    except Exception:  # pylint: disable=broad-except  # whatever protobuf says: it is no request
        return False
    return request.WhichOneof("body") in FORBIDDEN


def enter(port, token):
    """A client that has got in at its first attempt."""
    client = dci.Client(port)
    try:
        client.hello(token)
    except dci.DciError:
        client.close()
        raise
    return client


def enter_when_there_is_a_place(port, token):
    """The same, at a later attempt if those who have just gone have their places still."""
    while True:
        try:
            return enter(port, token)
        except dci.DciError as error:
            if error.error != E_LIMIT:
                raise
            time.sleep(0.05)


class Attacker:
    """A connection: says hello as its role, sends frames, reads or does not, and ends in one of
    four ways."""

    def __init__(self, port, role, mutator):
        self.role, self.mutator, self.random = role, mutator, mutator.random
        self.sent = 0
        self.reads = self.random.random() < 0.6
        self.left = self.random.randrange(1, 400)
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.setblocking(False)
        self.pending = b""
        if role != "none":
            hello = pb.Request(id=1, hello=pb.HelloRequest(version=dci.VERSION,
                                                           token=TOKENS[role])).SerializeToString()
            self.pending = struct.pack(">I", len(hello)) + hello

    def turn(self):
        """Some frames more. False: it has ended."""
        try:
            if self.reads:
                while self.socket.recv(1 << 16):
                    pass
                return self.end()  # the server has ended it
        except BlockingIOError:
            pass
        except OSError:
            return self.end()
        try:
            return self.send_some()
        except BlockingIOError:
            return self.random.random() < 0.9 or self.end()
        except OSError:
            return self.end()

    def send_some(self):
        if not self.pending and self.left <= 0:
            return self.end()
        if not self.pending:
            count = min(self.left, self.random.randrange(1, 20))
            self.left -= count
            self.sent += count
            self.pending = b"".join(self.mutator.frame() for _ in range(count))
        done = self.socket.send(self.pending)
        self.pending = self.pending[done:]
        return True

    def end(self):
        how = self.random.randrange(4)
        try:
            if how == 0:  # a reset
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            elif how == 1:  # half-closed, and then reads for a while, or not
                self.socket.shutdown(socket.SHUT_WR)
                self.socket.settimeout(0.05)
                if self.reads:
                    self.socket.recv(1 << 16)
        except OSError:
            pass
        self.socket.close()
        return False


class Witness(threading.Thread):
    """A controller that asks for little, again and again, and comes anew now and then: how long has
    it waited at most?"""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port = port
        self.over = threading.Event()
        self.waits, self.connects = [], []
        self.error = None

    def run(self):
        try:
            while not self.over.is_set():
                begin = time.monotonic()
                with enter_when_there_is_a_place(self.port, CONTROLLER) as client:
                    self.connects.append(time.monotonic() - begin)
                    self.ask(client)
        except Exception as error:  # pylint: disable=broad-except  # told by whoever joins
            self.error = error

    def ask(self, client):
        for _ in range(200):
            begin = time.monotonic()
            client.system()
            self.waits.append(time.monotonic() - begin)
            if self.over.wait(0.01):
                return


def besiege(port, frames, seed):
    """Sends so many frames by all roles: how many connections that took."""
    mutator = Mutator(seed)
    attackers, sent, connections = [], 0, 0
    while sent < frames:
        for role, count in AT_ONCE.items():
            while sum(one.role == role for one in attackers) < count:
                attackers.append(Attacker(port, role, mutator))
                connections += 1
        ended = [one for one in attackers if not one.turn()]
        sent += sum(one.sent for one in ended)
        attackers = [one for one in attackers if one not in ended]
    for one in attackers:
        one.end()
    return connections


def wait_for_free_slots(client):
    """Until nobody else is connected: seconds of the machine since this was called."""
    def free():
        stat = client.server_stat()
        return len(stat.clients) == 1 and stat.without_role == 0

    begin = client.system()
    wait_for(free, "the places of those who have gone")
    return (client.system().time - begin.time) / begin.timebase_hz


def siege(port, frames, seed, log=lambda line: None):
    """A whole siege: {what: number}. The machine's server is the same before and afterwards."""
    with dci.connect(port, CONTROLLER) as client:
        started = client.hello(CONTROLLER).started
        witness = Witness(port)
        witness.start()
        begin = time.monotonic()
        sent = connections = 0
        while sent < frames:  # in parts, so that somebody who waits sees it go on
            part = min(50000, frames - sent)
            connections += besiege(port, part, seed + sent)
            sent += part
            client.system()
            log(f"{sent} frames, {connections} connections, {time.monotonic() - begin:.0f} s, "
                f"longest wait {max(witness.waits, default=0):.3f} s")
        witness.over.set()
        witness.join()
        free = wait_for_free_slots(client)
        assert witness.error is None, f"the witness: {witness.error!r}"
        assert client.hello(CONTROLLER).started == started, "the server has been started again"
        stat = client.server_stat()
    return {"frames": sent, "connections": connections, "seconds": time.monotonic() - begin,
            "answers to the witness": len(witness.waits), "its longest wait": max(witness.waits),
            "its longest way in": max(witness.connects), "slots free after": free,
            "refused": stat.refused, "malformed": stat.malformed, "denied": stat.denied,
            "timed out": stat.timed_out}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frames", type=int, default=1000000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cpus", type=int, default=2)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Machine(folder, "siege",
                                                          cpus=arguments.cpus) as machine:
        machine.wait_ready()
        account = siege(machine.port, arguments.frames, arguments.seed,
                        lambda line: print(line, flush=True))
        print(pathlib.Path(machine.console_path).read_text(errors="replace"))
    for what, number in account.items():
        print(f"{what:25} {number:.3f}" if isinstance(number, float) else f"{what:25} {number}")
    longest = max(account["its longest wait"], account["its longest way in"])
    sys.exit(0 if longest <= WAIT_SECONDS and account["slots free after"] <= FREE_SECONDS else 1)


if __name__ == "__main__":
    main()
