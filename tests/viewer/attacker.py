# SPDX-License-Identifier: MIT
"""Attacks on `kov serve`. HTTP and WebSocket are written by hand, so every rule can be broken."""

import base64
import json
import os
import socket
import struct

from machine import PATIENCE

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
FRAME_ID = struct.Struct("<I")


class Ended(Exception):
    """The gateway has ended the connection."""


class Connection:
    """A TCP connection to a gateway, and requests on it."""

    def __init__(self, port, receive_buffer=None):
        self.port, self.data = port, b""
        self.socket = socket.socket()
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(("127.0.0.1", port))

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        try:
            self.socket.sendall(data)
        except (ConnectionError, BrokenPipeError) as error:
            raise Ended from error

    def receive(self, size):
        while len(self.data) < size:
            self.receive_more()
        data, self.data = self.data[:size], self.data[size:]
        return data

    def receive_more(self):
        try:
            more = self.socket.recv(1 << 20)
        except ConnectionError as error:
            raise Ended from error
        if not more:
            raise Ended
        self.data += more

    def receive_all(self):
        """Returns what the gateway says until it ends the connection."""
        try:
            while True:
                self.receive_more()
        except Ended:
            return self.data

    def receive_head(self):
        """Returns the status and the headers of a response."""
        while b"\r\n\r\n" not in self.data:
            self.receive_more()
        head, self.data = self.data.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        return int(lines[0].split()[1]), dict(line.lower().split(": ", 1) for line in lines[1:])

    def request(self, line="GET / HTTP/1.1", end=b"", **headers):
        """Sends a request. `headers` have _ for -. None: that one is left out. `end` comes behind
        the request, at once."""
        fields = {"Host": f"127.0.0.1:{self.port}", **headers}
        text = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items()
                       if value is not None)
        self.send(f"{line}\r\n{text}\r\n".encode() + end)

    def ask(self, line="GET / HTTP/1.1", **headers):
        """Sends a request. Returns the status of the response, and its headers."""
        self.request(line, **headers)
        return self.receive_head()

    def upgrade_headers(self):
        """Returns those with which our page asks for a WebSocket."""
        return {
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13",
            "Sec_WebSocket_Key": base64.b64encode(os.urandom(16)).decode(),
            "Sec_WebSocket_Protocol": "orrery", "Origin": f"http://127.0.0.1:{self.port}"}

    def upgrade(self, **headers):
        """Asks for a WebSocket as our page does. The given headers replace those of the page."""
        return self.ask(**{**self.upgrade_headers(), **headers})


class WebSocket(Connection):
    """A connection that became a WebSocket. With a token it has said hello and was welcomed."""

    def __init__(self, port, token=None, **options):
        super().__init__(port, **options)
        status, _ = self.upgrade()
        if status != 101:
            raise Ended
        if token is not None:
            self.hello(token)
            assert self.until("welcome")["version"] == 1

    def send_frame(self, payload, opcode=TEXT, final=True, announced=None, masked=True):
        """Sends a frame. `announced` is the length that its head tells; it may be a lie."""
        length = len(payload) if announced is None else announced
        head, mask = bytes([opcode | 0x80 * final]), 0x80 * masked
        if length < 126:
            head += bytes([mask | length])
        elif length < 1 << 16:
            head += struct.pack(">BH", mask | 126, length)
        else:
            head += struct.pack(">BQ", mask | 127, length)
        self.send(head + bytes(4 * masked) + payload)  # masked with zeros

    def say(self, message, **fields):
        self.send_frame(json.dumps({"type": message, **fields}).encode())

    def hello(self, token, version=1):
        self.say("hello", token=token, version=version)

    def watch(self, number, kind, **fields):
        self.say("watch", id=number, machine="orrery", kind=kind, **fields)

    def next_frame(self):
        """Returns (opcode, payload)."""
        first, length = self.receive(2)
        if length == 126:
            length = struct.unpack(">H", self.receive(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self.receive(8))[0]
        return first & 15, self.receive(length)

    def close_code(self):
        """Returns with which code the gateway closes. Skips what it says before."""
        while (frame := self.next_frame())[0] != CLOSE:
            pass
        return struct.unpack_from(">H", frame[1])[0]

    def next(self):
        """Returns the next message. A frame becomes {"type": "frame", "id": …, "bytes": …}."""
        while True:
            opcode, payload = self.next_frame()
            if opcode == CLOSE:
                raise Ended
            if opcode == TEXT:
                return json.loads(payload)
            if opcode == BINARY:
                return {"type": "frame", "id": FRAME_ID.unpack_from(payload, 8)[0],
                        "bytes": payload}

    def until(self, *kinds):
        """Returns the next message of one of these types. Skips the others."""
        while (message := self.next())["type"] not in kinds:
            pass
        return message
