# SPDX-License-Identifier: MIT
"""A browser of `kov serve`, as far as tests need one: the program that serves, and a WebSocket to
it."""

import base64
import json
import os
import re
import signal
import socket
import struct
import subprocess
import time

from conftest import KOV
from machine import PATIENCE

FRAME_HEAD = struct.Struct("<BBHIIIdd")  # viewer/gateway/messages.def
OBJECTS, HEAT, METRIC, RANKING, SLICES, BYTES, THREADS = 1, 2, 3, 5, 7, 12, 13
# name and code of each column
SLICE_COLUMNS = {"from": "d", "to": "d", "time": "d", "process": "I", "thread": "I", "what": "I",
                 "count": "I", "cpu": "B", "activity": "B"}
THREAD_COLUMNS = {"from": "d", "to": "d", "time": "d", "process": "I", "thread": "I", "what": "I",
                  "by": "I", "count": "I", "cpu": "B", "state": "B"}


class Gateway:
    """Runs `kov serve` until the block ends. Its arguments come behind `serve -l 0`."""

    def __init__(self, *arguments, limit=None):
        self.limit = limit
        self.command = [str(KOV), "--timeout", "30", "serve", "-l", "0", *map(str, arguments)]

    def __enter__(self):
        command = self.command
        if self.limit is not None:  # of the files that it may write
            command = ["prlimit", f"--fsize={self.limit}", *command]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        self.origin, self.token = re.match(r"controller: (\S+)/#t=(\S+)",
                                           self.process.stdout.readline()).groups()
        return self

    def __exit__(self, *exception):
        self.process.send_signal(signal.SIGINT)
        _, self.err = self.process.communicate(timeout=PATIENCE)
        assert exception[0] is not None or self.process.returncode == 0, self.err


class Browser:
    """A page's connection. It keeps what it was told: states and notices by machine, names, topics
    by id."""

    def __init__(self, gateway):
        host, port = gateway.origin.removeprefix("http://").split(":")
        self.socket = socket.create_connection((host, int(port)), timeout=PATIENCE)
        self.data = b""
        self.states, self.notices, self.topics, self.answers = {}, [], {}, {}
        self.things, self.strings, self.stopped = {}, {}, {}
        self.rates, self.shares = {}, {}
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((
            f"GET /ws HTTP/1.1\r\nHost: {host}:{port}\r\nOrigin: {gateway.origin}\r\n"
            f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: orrery\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.data:
            self.more()
        head, self.data = self.data.split(b"\r\n\r\n", 1)
        assert b"101" in head.split(b"\r\n")[0], head
        self.say(type="hello", token=gateway.token, version=1)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.socket.close()

    def more(self):
        data = self.socket.recv(65536)
        if not data:
            raise EOFError("kov serve ended the connection")
        self.data += data

    def take(self, size):
        while len(self.data) < size:
            self.more()
        data, self.data = self.data[:size], self.data[size:]
        return data

    def say(self, **message):
        text = json.dumps(message).encode()
        length = bytes([0x80 | len(text)]) if len(text) < 126 \
            else b"\xfe" + struct.pack(">H", len(text))
        self.socket.sendall(b"\x81" + length + b"\0\0\0\0" + text)  # a mask of zeros

    def message(self):
        payload, kind, last = b"", 0, False
        while not last:
            first, size = self.take(2)
            if size == 126:
                size, = struct.unpack(">H", self.take(2))
            elif size == 127:
                size, = struct.unpack(">Q", self.take(8))
            payload += self.take(size)
            kind, last = kind or first & 15, first & 0x80
        return kind, payload

    def hear(self):
        """Takes one message into what this browser knows."""
        kind, payload = self.message()
        if kind == 2:
            self.take_frame(payload)
            self.say(type="credit", bytes=len(payload))
            return
        if kind in (9, 10):
            return
        if kind != 1:
            raise EOFError("kov serve ended the connection")
        message = json.loads(payload)
        match message["type"]:
            case "machine":
                self.states[message["machine"]] = message
            case "notice":
                self.notices.append(message["message"])
            case "names":
                self.things.update(enumerate(message["things"], message["first"]))
                self.strings.update(enumerate(message["strings"], message["first_string"]))
            case "state":
                self.topics[message["id"]] = message["data"]
            case "stopped":
                self.stopped[message["id"]] = message["message"]
            case "answer" | "error":
                self.answers[message["id"]] = message

    def take_frame(self, payload):
        kind, flags, _, rows, topic, _, *interval = FRAME_HEAD.unpack_from(payload)
        columns = payload[FRAME_HEAD.size:]
        if kind == OBJECTS:
            self.topics[topic] = self.objects(columns, rows)
        elif kind == HEAT:
            self.topics[topic] = self.heat(columns, rows)
            self.rates[topic] = self.heat(columns, rows, column=2, code="f")
            self.shares[topic] = self.heat(columns, rows, column=4, code="f")
        elif kind == RANKING:
            self.topics[topic] = self.heat(columns, rows)
            self.shares[topic] = self.heat(columns, rows, column=4, code="f")
        elif kind == METRIC:
            self.metric(topic, columns, rows, flags)
        elif kind in (SLICES, THREADS):
            names = SLICE_COLUMNS if kind == SLICES else THREAD_COLUMNS
            self.topics[topic] = {"rows": self.slices(columns, rows, names), "interval": interval}
        elif kind == BYTES:
            before = b"" if flags & 1 else self.topics.get(topic, b"")
            self.topics[topic] = before + columns[:rows]

    def slices(self, columns, rows, names):
        """Returns rows as the schema names their columns; process is its key, or None."""
        found, at = [], 0
        for code in names.values():
            found.append(struct.unpack_from(f"<{rows}{code}", columns, at))
            at += (rows * struct.calcsize(code) + 7) // 8 * 8
        rows = [dict(zip(names, row)) for row in zip(*found)]
        for row in rows:
            row["process"] = self.things[row["process"]][0] if row["process"] else None
            row["what"] = self.strings[row["what"]]
        return rows

    def metric(self, topic, columns, rows, flags):
        """Returns {time in ms: value}."""
        times = struct.unpack_from(f"<{rows}d", columns)
        values = struct.unpack_from(f"<{rows}f", columns, 8 * rows)
        points = {} if flags & 1 else self.topics.get(topic, {})
        points.update((round(time / 1e6), round(value, 3)) for time, value in zip(times, values))
        self.topics[topic] = points

    def heat(self, columns, rows, column=1, code="I"):
        """Returns {key: samples}, or another column, where there are any."""
        things = struct.unpack_from(f"<{rows}I", columns)
        values = struct.unpack_from(f"<{rows}{code}", columns, column * ((4 * rows + 7) // 8 * 8))
        return {self.things[thing][0]: value for thing, value in zip(things, values)
                if value and thing}

    def objects(self, columns, rows):
        """Returns [(key, parent's key, class, representatives, misses)], in order."""
        found, at = [], 0
        for code in "IIIHd":
            found.append(struct.unpack_from(f"<{rows}{code}", columns, at))
            at += (rows * struct.calcsize(code) + 7) // 8 * 8
        return [(self.things[thing][0], self.things[parent][0] if parent else None,
                 self.strings.get(one), reps, misses)
                for thing, parent, one, reps, misses in zip(*found)]

    def until(self, what):
        """Hears messages until what() is true. Returns its value."""
        end = time.monotonic() + PATIENCE
        while not (value := what()):
            assert time.monotonic() < end, (self.states, self.notices, self.stopped, self.topics)
            self.hear()
        return value

    def do(self, **message):
        self.say(**message)
        return self.until(lambda: self.answers.pop(message["id"], None))
