# SPDX-License-Identifier: MIT
"""kov trace live against clients in Python: well-behaved, hostile, and slow ones."""

import re
import signal
import socket
import struct
import subprocess
import threading
import time

import pytest

from conftest import KOV
from machine import METADATA, PACKET_HEADER, PATIENCE, TIMEBASE_HZ, packet

CONNECT, LIST, ATTACH, INDEX, PACKET, METADATA_OF, STREAMS, CREATE, DETACH = range(1, 10)
OK, RETRY, HUP, ERROR, INACTIVE = 1, 2, 3, 4, 5
INDEX_ANSWER = struct.Struct(">7QII")
SIZES = {CONNECT: 20, LIST: 0, ATTACH: 20, INDEX: 8, PACKET: 20, METADATA_OF: 8, STREAMS: 8,
         CREATE: 0, DETACH: 8}
SESSION = 1
SILENT_SECONDS = 10   # then others may have an attached client's place (viewer/lttng/lttng.h)
PLACES = 8
PLACE_SECONDS = 13    # until one that has not attached has lost its own


class Client:
    def __init__(self, port, hello=True):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.settimeout(PATIENCE)
        if hello:
            answer = self.ask(CONNECT, struct.pack(">QIII", 0, 2, 4, 1), 20)
            assert struct.unpack(">QIII", answer)[1:] == (2, 4, 1)

    def send(self, command, payload, size=None):
        size = len(payload) if size is None else size
        self.socket.sendall(struct.pack(">QII", size, command, 0) + payload)

    def receive(self, size):
        data = b""
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def ask(self, command, payload, size):
        self.send(command, payload)
        return self.receive(size)

    def attach(self, session=SESSION, seek=2, create=True):
        if create:
            assert self.ask(CREATE, b"", 4) == struct.pack(">I", 1)
        return self.streams(self.ask(ATTACH, struct.pack(">QQI", session, 0, seek), 8))

    def streams(self, head):
        status, count = struct.unpack(">II", head)
        listed = [struct.unpack_from(">QQI", self.receive(24 - 4 + 4096 + 255))
                  for _ in range(count)]
        return status, [(id_, metadata) for id_, _, metadata in listed]

    def new_streams(self):
        return self.streams(self.ask(STREAMS, struct.pack(">Q", SESSION), 8))

    def index(self, stream):
        return INDEX_ANSWER.unpack(self.ask(INDEX, struct.pack(">Q", stream), INDEX_ANSWER.size))

    def packet(self, stream, offset, size):
        status, length, _ = struct.unpack(">III", self.ask(
            PACKET, struct.pack(">QQI", stream, offset, size), 12))
        return status, self.receive(length)

    def metadata(self, stream=0):
        length, status = struct.unpack(">QI", self.ask(
            METADATA_OF, struct.pack(">Q", stream), 12))
        return status, self.receive(length).decode()

    def is_cut_off(self):
        """Waits for the other side to end the connection. Returns whether it does."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True


class Live:
    """Runs kov trace live against the played machine. Tests push its packets."""

    def __init__(self, machine, *options):
        self.machine, self.subscribed, self.session = machine, threading.Event(), None
        machine.misbehaviour["trace_subscribe"] = self.subscribe
        self.process = subprocess.Popen(
            [KOV, "--port", str(machine.port), "--token", "orrery", "--timeout", str(PATIENCE),
             "trace", "live", "--lttng", "0", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        url = self.process.stdout.readline()
        assert url, self.process.stderr.read()
        self.port = int(url.split("localhost:")[1].split("/")[0])
        assert self.subscribed.wait(PATIENCE)

    def subscribe(self, session, request):
        self.session = session
        session.do_trace_subscribe(request)
        self.subscribed.set()

    def push(self, cpu, *arguments, **options):
        self.session.push_packet(cpu, packet(cpu, *arguments, **options))

    def end(self):
        self.process.send_signal(signal.SIGINT)
        said, complaints = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, (said, complaints)
        return said, complaints


@pytest.fixture(name="live")
def _live(machine):
    live = Live(machine, "--pid", "0")
    yield live
    if live.process.poll() is None:
        live.process.kill()
    live.process.communicate()


def index_when(client, stream, *statuses):
    """Asks until the answer is one of these."""
    while (answer := client.index(stream))[7] not in statuses:
        assert answer[7] in (RETRY, INACTIVE)
    return answer


def test_a_viewer_gets_packets_as_they_were_pushed(live):
    client = Client(live.port)
    status, streams = client.attach()
    assert (status, streams) == (1, [(0, 1), (1, 0), (2, 0)])
    assert client.metadata() == (1, METADATA) and client.metadata() == (2, "")
    assert client.index(1)[7] == RETRY
    first, second = packet(0, 0, [100, 200]), packet(0, 1, [300, 400])
    live.push(0, 0, [100, 200])
    live.push(0, 1, [300, 400])
    assert client.index(1)[7] == RETRY, "the other CPU has told nothing yet"
    live.push(1, 0, [150, 250])
    offset, packet_bits, _, begin, end, discarded, kind, status, flags = index_when(client, 1, OK)
    assert (offset, packet_bits, begin, end) == (0, 8 * len(first), 100, 200)
    assert (discarded, kind, status, flags) == (0, 0, OK, 0)
    assert client.packet(1, 0, len(first)) == (1, first)
    assert client.packet(1, 100, 50) == (1, first[100:150])
    assert index_when(client, 1, INACTIVE)[4] == 249, "where the other CPU is, less its number"
    assert client.index(1)[7] == RETRY, "no beacon twice"
    live.push(1, 1, [500, 600])
    assert index_when(client, 1, OK)[0] == len(first)
    assert client.packet(1, len(first), len(second)) == (1, second)


def test_streams_of_processes_come_later_and_what_breaks_a_promise_is_left_out(machine):
    live, second = Live(machine), TIMEBASE_HZ
    client = Client(live.port)
    client.attach()
    for cpu in (0, 1):
        live.push(cpu, 0, [100, 200])
        live.push(cpu, 1, [20 * second, 21 * second])
    for stream in (1, 2):
        assert index_when(client, stream, OK)[3] == 100
        assert index_when(client, stream, INACTIVE)[4] == 20 * second - stream
    process = 7 << 32  # in the packet's sequence number
    live.push(0, process, [10 * second, 11 * second])  # promised: there is nothing
    live.push(0, process + 1, [22 * second, 23 * second])
    for cpu in (0, 1):
        live.push(cpu, 2, [24 * second, 25 * second])
    answer = index_when(client, 1, OK)
    assert answer[8] & 2 == 2, "there is a new stream"
    assert client.new_streams() == (1, [(3, 0)]) and client.new_streams() == (2, [])
    answer = index_when(client, 3, OK)
    assert (answer[3], answer[6]) == (22 * second, 1), "of the other class"
    client.socket.close()
    said, _ = live.end()
    assert " 1 came too late" in said


def test_a_packet_waits_until_the_metadata_knows_its_events(machine):
    """The viewer is told that the metadata has grown, and gets the new part."""
    live = Live(machine)
    client = Client(live.port)
    client.attach()
    assert client.metadata() == (1, METADATA) and client.metadata() == (2, "")
    own, new = 18 << 16 | 16, 'event { name = "own:one"; id = 0x520010; stream_id = 1; };\n'
    asked = []

    def still_unknown(session, request):
        asked.append(request)
        machine.metadata = METADATA + new  # described between the question and its answer
        del machine.misbehaviour["trace_metadata"]
        session.do_trace_metadata(request)

    machine.misbehaviour["trace_metadata"] = still_unknown
    live.push(0, 7 << 32, [1000, 2000], event=own)
    for cpu in (0, 1):
        live.push(cpu, 0, [100, 200])
        live.push(cpu, 1, [20 * TIMEBASE_HZ, 21 * TIMEBASE_HZ])
    assert index_when(client, 1, OK)[8] & 2 == 2
    assert client.new_streams() == (1, [(3, 0)])
    answer = index_when(client, 3, OK)
    assert answer[3] == 1000 and answer[8] & 1 == 1 and len(asked) == 1
    assert client.metadata() == (1, "/* CTF 1.8 */\n" + new) and client.metadata() == (2, "")
    client.socket.close()
    live.end()


def big_packet(cpu, sequence, begin, size=1000000):
    small = packet(cpu, sequence, [begin, begin + 1])
    fields = list(PACKET_HEADER.unpack_from(small))
    fields[6] = 8 * size
    return (PACKET_HEADER.pack(*fields) + small[PACKET_HEADER.size:]).ljust(size, b"\0")


@pytest.mark.long
def test_who_takes_nothing_is_cut_off_with_an_account(live):
    """One client asks a thousand times and reads no answer. Others are served meanwhile."""
    bad = Client(live.port)
    bad.attach()
    bad.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    bad.socket.sendall(struct.pack(">QIIQ", 8, METADATA_OF, 0, 0)
                       + struct.pack(">QIIQ", 8, INDEX, 0, 1) * 1000)
    for sequence in range(280):
        live.session.push_packet(0, big_packet(0, sequence, 100 + 10 * sequence))
        if sequence % 10 == 0:
            good = Client(live.port)  # who has not attached for long is cut off, too
        assert good.ask(LIST, b"", 4) and good.receive(8 + 12 + 64 + 255)
    with pytest.raises((EOFError, ConnectionError)):
        while True:
            bad.receive(1 << 16)
    said, complaints = live.end()
    assert "lttng-live client 1 is cut off: it is too far behind; 268 packets were waiting" \
        in complaints
    assert 268 < int(re.search(r"(\d+) were not taken", said).group(1)) <= 280


def test_the_end_brings_the_rest_and_then_hangs_up(live):
    client = Client(live.port)
    client.attach()
    live.machine.last_packets = [(0, packet(0, 0, [100, 200]))]
    live.process.send_signal(signal.SIGINT)
    assert index_when(client, 1, OK, HUP)[7] == OK and client.index(1)[7] == HUP
    assert index_when(client, 2, HUP) and client.new_streams() == (4, [])
    assert Client(live.port).ask(LIST, b"", 4) == bytes(4), "there is no session to attach to"
    assert client.ask(DETACH, struct.pack(">Q", SESSION), 4) == struct.pack(">I", 1)
    said, complaints = live.process.communicate(timeout=PATIENCE)
    assert live.process.returncode == 0 and complaints == ""
    assert "1 packets given to them, 0 came too late, 0 were not taken" in said


def refusals(live, *texts):
    said, complaints = live.end()
    for text in texts:
        assert text in complaints
    return said, complaints


@pytest.mark.parametrize("what", [
    b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", bytes(16), b"\xff" * 16, b"\xff" * 5000,
    struct.pack(">QII", 20, 0, 0), struct.pack(">QII", 8, 10, 0),
    struct.pack(">QII", 2**64 - 1, CONNECT, 0), struct.pack(">QII", 19, CONNECT, 0),
    struct.pack(">QII", 21, CONNECT, 0), struct.pack(">QII", 2**32, LIST, 0),
    struct.pack(">QIIQIII", 20, CONNECT, 0, 0, 3, 0, 1), struct.pack(">QII", 0, LIST, 0),
    struct.pack(">QIIQ", 8, INDEX, 0, 1),
], ids=lambda what: what[:40].hex())
def test_who_says_nonsense_is_cut_off_and_nobody_else(live, what):
    good, bad = Client(live.port), Client(live.port, hello=False)
    good.attach()
    bad.socket.sendall(what)
    assert bad.is_cut_off()
    live.push(0, 0, [100, 200])
    live.push(1, 0, [100, 200])
    assert index_when(good, 1, OK)
    good.socket.close()
    said, _ = refusals(live, "lttng-live client 2 is cut off: ")
    assert said.splitlines()[-1].startswith("2 clients, 1 of them refused")


def test_who_connects_twice_is_cut_off(live):
    client = Client(live.port)
    client.send(CONNECT, bytes(20))
    assert client.is_cut_off()
    refusals(live, "it connects twice")


def test_questions_out_of_place_are_answered_with_errors(live):
    client = Client(live.port)
    assert client.attach(create=False) == (6, []), "no session was created"
    assert client.attach(session=7) == (3, []) and client.attach(seek=3) == (5, [])
    assert client.index(1)[7] == ERROR and client.metadata()[0] == 3
    assert client.new_streams() == (3, []) and client.packet(1, 0, 10) == (3, b"")
    client.attach()
    assert client.attach() == (2, []), "twice"
    for stream in (0, 3, 2**63, 2**64 - 1):
        assert client.index(stream)[7] == ERROR and client.packet(stream, 0, 1) == (3, b"")
    assert client.metadata(1)[0] == 3
    assert client.packet(1, 0, 10) == (3, b""), "before its index"
    live.push(0, 0, [100, 200])
    live.push(1, 0, [100, 200])
    size = index_when(client, 1, OK)[1] // 8
    for offset, length in ((0, size + 1), (size, 1), (1, size), (2**64 - 1, 2), (0, 0),
                           (2**63, 2**32 - 1), (size + 1, 2**32 - 1)):
        assert client.packet(1, offset, length) == (3, b""), (offset, length)
    assert client.ask(DETACH, struct.pack(">Q", 2), 4) == struct.pack(">I", 2)
    assert client.ask(DETACH, struct.pack(">Q", SESSION), 4) == struct.pack(">I", 1)
    assert client.index(1)[7] == ERROR
    assert client.attach()[0] == 1
    client.socket.close()
    live.end()


@pytest.mark.parametrize("command", SIZES)
@pytest.mark.parametrize("share", [0, 0.5, 1])
def test_a_client_may_go_at_any_time(live, command, share):
    """A client goes within the header, within the request, and before it has taken the answer."""
    client = Client(live.port)
    client.attach()
    request = struct.pack(">QII", SIZES[command], command, 0) + bytes(SIZES[command])
    client.socket.sendall(request[:round(share * len(request))])
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.socket.close()  # with a reset
    assert Client(live.port).attach()[0] == 1
    live.machine.last_packets = []
    live.process.send_signal(signal.SIGTERM)
    live.process.communicate(timeout=PATIENCE)


def test_requests_may_come_byte_by_byte_or_all_at_once(live):
    client = Client(live.port)
    for byte in struct.pack(">QII", 0, CREATE, 0):
        client.socket.sendall(bytes([byte]))
    assert client.receive(4) == struct.pack(">I", 1)
    client.attach(create=False)
    client.socket.sendall(struct.pack(">QIIQ", 8, INDEX, 0, 1) * 1000)
    answers = [INDEX_ANSWER.unpack(client.receive(INDEX_ANSWER.size)) for _ in range(1000)]
    assert {answer[7] for answer in answers} == {RETRY}
    client.socket.close()
    live.end()


def is_served(port):
    try:
        return Client(port).ask(LIST, b"", 4) is not None
    except (EOFError, ConnectionError):
        return False


def test_there_are_places_for_eight(live):
    clients = [Client(live.port) for _ in range(PLACES)]
    assert Client(live.port, hello=False).is_cut_off()
    clients.pop().socket.close()
    while not is_served(live.port):
        pass
    _, complaints = live.end()
    assert "there are 8 lttng-live clients already" in complaints


def place_comes_free(port):
    """Seconds until a client is served."""
    begin = time.monotonic()
    while not is_served(port):
        assert time.monotonic() < begin + PATIENCE
        time.sleep(0.1)
    return time.monotonic() - begin


def fill_places(port, hello, said=b""):
    """A connection in each place, that says this and nothing more."""
    clients = [Client(port, hello) for _ in range(PLACES)]
    for client in clients:
        client.socket.sendall(said)
    return clients


@pytest.mark.long
def test_mute_connections_keep_nobody_out(live, machine):
    """As many as there are places: that say nothing at all; that say half a request; that say who
    they are, and no more. All three wait at the same time."""
    lives = [live, Live(machine, "--pid", "0"), Live(machine, "--pid", "0")]
    mute = [fill_places(lives[0].port, False), fill_places(lives[1].port, False, bytes(7)),
            fill_places(lives[2].port, True)]
    for one, clients in zip(lives, mute):
        assert place_comes_free(one.port) < PLACE_SECONDS
        assert all(client.is_cut_off() for client in clients)
        _, complaints = one.end()
        assert complaints.count("it has not attached in time") == PLACES


@pytest.mark.long
def test_an_attached_client_that_asks_nothing_gives_way(live):
    silent = [Client(live.port) for _ in range(7)]
    busy = Client(live.port)
    for client in [*silent, busy]:
        client.attach()
    end = time.monotonic() + SILENT_SECONDS + 1
    while time.monotonic() < end:
        busy.index(1)
        time.sleep(0.2)
    others = [Client(live.port) for _ in range(7)]
    for client in others:
        client.attach()
    assert all(client.is_cut_off() for client in silent)
    busy.index(1)
    assert Client(live.port, hello=False).is_cut_off()
    _, complaints = live.end()
    assert complaints.count("another wants its place") == 7


def test_only_this_host_may_attach(live):
    lines = [line.split() for line in open("/proc/net/tcp", encoding="ascii").readlines()[1:]]
    listening = {line[1] for line in lines if line[3] == "0A"}
    assert f"0100007F:{live.port:04X}" in listening
    assert f"00000000:{live.port:04X}" not in listening


@pytest.mark.parametrize("arguments, message", [
    ((), "give --lttng PORT"), (("--lttng", "65536"), "--lttng"), (("--lttng", "x"), "--lttng"),
    (("--lttng", "0", "--pid", "3"), "--pid"), (("--lttng", "0", "-e", "nothing"), "nothing"),
])
def test_what_cannot_be_is_refused(kov, machine, arguments, message):
    result = kov("--token", "orrery", "trace", "live", *arguments, machine=machine)
    assert result.code == 2 and message in result.err


def test_a_port_that_is_taken_is_told(kov, machine):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        result = kov("--token", "orrery", "trace", "live", "--lttng", port, machine=machine)
    assert result.code == 1 and f"cannot listen on 127.0.0.1:{port}" in result.err
