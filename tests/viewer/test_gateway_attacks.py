# SPDX-License-Identifier: MIT
"""Whoever attacks `kov serve` is refused or bounded. Another browser's numbers go on meanwhile."""

import itertools
import pathlib
import random
import re
import subprocess
import threading
import time

import dci_pb2 as dci
import pytest

from attacker import CLOSE, PING, Connection, Ended, WebSocket
from browser import Browser, Gateway
from machine import PATIENCE, TIMEBASE_HZ

MESSAGE_IN_BYTES = 16384
REQUESTS_WAITING = 128
MEMORY_BOUND_KB = 64 << 10  # of the gateway with all that may wait for a few browsers
STATUS, HEAT, NOTHING = 1, 2, 3
SEED = 20
# Larger than any page: so many of them at once are not all served.
MANY = 300


def until(what):
    """Waits until what() is true."""
    end = time.monotonic() + PATIENCE
    while not (value := what()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return value


class Attacked(Gateway):
    """A gateway of one machine that a test attacks."""

    def __init__(self, machine, *arguments):
        super().__init__("-m", f"orrery=127.0.0.1:{machine.port}", *arguments)

    def __enter__(self):
        super().__enter__()
        self.observer = re.match(r"observer: +\S+/#t=(\S+)", self.process.stdout.readline())[1]
        self.port = int(self.origin.rsplit(":", 1)[1])
        self.proc = pathlib.Path("/proc", str(self.process.pid))
        return self

    def files(self):
        """Returns the number of open descriptors: connections, and some that are always there."""
        return len(list((self.proc / "fd").iterdir()))

    def memory_kb(self):
        """Returns the most memory that it ever had."""
        return int(re.search(r"VmHWM:\s+(\d+)", (self.proc / "status").read_text())[1])


class Witness(Browser):
    """A browser that watches. The attack must not disturb it."""

    def __init__(self, gateway):
        super().__init__(gateway)
        self.say(type="watch", id=STATUS, machine="orrery", kind="status")
        self.say(type="watch", id=HEAT, machine="orrery", kind="heat", measure="run-cycles")
        self.until(lambda: {STATUS, HEAT} <= set(self.topics))

    def goes_on(self):
        """Takes what was on its way. Then waits until both topics say something new."""
        assert self.do(type="ask", id=NOTHING, machine="orrery", what="nothing")["type"] == "error"
        self.topics.clear()
        self.until(lambda: {STATUS, HEAT} <= set(self.topics))


@pytest.fixture
def gateway(machine):
    begin = time.monotonic()
    machine.clock = lambda: int((9 + time.monotonic() - begin) * TIMEBASE_HZ)
    with Attacked(machine) as attacked:
        yield attacked
    for token in (attacked.token, attacked.observer):
        assert token not in attacked.err


@pytest.fixture
def witness(gateway):
    with Witness(gateway) as browser:
        browser.goes_on()
        yield browser
        browser.goes_on()
        assert gateway.memory_kb() < MEMORY_BOUND_KB


def test_another_host_gets_nothing(gateway, witness):
    for host in (None, "", "localhost", "127.0.0.1", "127.0.0.1:1", "evil.example"):
        for ask in (Connection.ask, Connection.upgrade):
            with Connection(gateway.port) as connection:
                assert ask(connection, Host=host)[0] in (400, 403), host
                assert b"<script" not in connection.receive_all(), host


def test_who_types_localhost_is_told_the_name(gateway, witness):
    with Connection(gateway.port) as connection:
        assert connection.ask(Host=f"localhost:{gateway.port}")[0] == 403
        assert gateway.origin.encode() in connection.receive_all()


def test_what_is_no_websocket_of_our_page_is_refused(gateway, witness):
    for headers in (
            {"Origin": None}, {"Origin": "null"}, {"Origin": "http://evil.example"},
            {"Origin": "http://127.0.0.1:1"}, {"Origin": "http://localhost"},
            {"Upgrade": "h2c", "Connection": "Upgrade, HTTP2-Settings",
             "HTTP2_Settings": "AAMAAABkAAQCAAAAAAIAAAAA"},
            {"Upgrade": "raw"}, {"Upgrade": "websocket, h2c"},
            {"Sec_WebSocket_Protocol": None}, {"Sec_WebSocket_Protocol": "http"},
            {"Sec_WebSocket_Protocol": "other"}, {"Sec_WebSocket_Protocol": ""}):
        with Connection(gateway.port) as connection:
            assert connection.upgrade(**headers)[0] == 403, headers
            assert b"orrery" not in connection.receive_all(), headers


def test_only_get_and_head_are_served(gateway, witness):
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "NONSENSE"):
        with Connection(gateway.port) as connection:
            connection.request(f"{method} / HTTP/1.1", Content_Length="5")
            reply = connection.receive_all()
            assert b" 200 " not in reply and b"<script" not in reply, method


def test_no_path_leads_to_a_file_of_the_host(gateway, witness):
    for path in ("/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd",
                 "//etc/passwd", "/main.js/../../../etc/passwd", "/etc/passwd", "/main.js%00",
                 "\\..\\..\\etc\\passwd"):
        with Connection(gateway.port) as connection:
            connection.request(f"GET {path} HTTP/1.1", Connection="close")
            reply = connection.receive_all()
            assert b" 200 " not in reply and b"root:" not in reply, path
            assert b"location:" not in reply.lower(), path  # no redirect either


def test_a_wrong_token_ends_the_connection_at_the_third_time(gateway, witness):
    with WebSocket(gateway.port) as stranger:
        for _ in range(3):
            stranger.hello("0" * 32)
            assert "token" in stranger.next()["message"]
        stranger.receive_all()
    with WebSocket(gateway.port) as stranger:
        stranger.watch(1, "status")
        assert stranger.next()["type"] == "refused"
        stranger.receive_all()


def test_an_observer_is_refused_every_act(gateway, witness, machine):
    with WebSocket(gateway.port, gateway.observer) as observer:
        for act in ("sample", "workload_start", "workload_stop", "kill", "move", "console",
                    "power_off", "anything"):
            observer.say("act", id=1, machine="orrery", do=act, text="demo", number=1, to=1)
            assert "observers" in observer.until("error")["message"]
    for kind in ("workload_start", "workload_stop", "kill", "move", "console_input", "power_off"):
        assert not machine.asked(kind)


WRONG_ACTS = [
    {"do": "kill", "number": 4294967304}, {"do": "kill", "number": 8.5},
    {"do": "kill", "number": 8.0}, {"do": "kill", "number": -8}, {"do": "kill", "number": 1 << 62},
    {"do": "kill", "number": "8"}, {"do": "kill", "number": None}, {"do": "kill"},
    {"do": "kill", "number": 8, "text": "more"}, {"do": "move", "number": 8},
    {"do": "move", "number": 4294967304, "to": 1}, {"do": "move", "number": 8, "to": 4294967296},
    {"do": "move", "number": 8, "to": 1.5}, {"do": "workload_stop", "number": 1.5},
    {"do": "workload_stop", "number": (1 << 53) + 1}, {"do": "workload_start"},
    {"do": "power_off", "number": 1}, {"do": "anything"}]


def test_a_number_that_is_none_does_nothing(gateway, witness, machine):
    """4294967304 is 8 in 32 bits, and 8.5 is 8 without its fraction."""
    for wrong in WRONG_ACTS:
        with WebSocket(gateway.port, gateway.token) as controller:
            controller.say("act", id=1, machine="orrery", **wrong)
            assert controller.until("error", "refused")["message"], wrong
    with WebSocket(gateway.port, gateway.token) as controller:
        controller.say("act", id=2, machine="orrery", do="kill", number=8)
        assert controller.until("answer")["id"] == 2
    assert [request.pid for request in machine.asked("kill")] == [8]
    for kind in ("workload_start", "workload_stop", "move", "power_off"):
        assert not machine.asked(kind)


def test_a_message_may_be_16_kb_long_and_no_longer(gateway, witness):
    message = b'{"type": "hello", "version": 1, "token": "%s"}' % gateway.observer.encode()
    with WebSocket(gateway.port) as browser:
        browser.send_frame(message.ljust(MESSAGE_IN_BYTES))
        assert browser.next()["type"] == "welcome"
    with WebSocket(gateway.port) as attacker:
        attacker.send_frame(message.ljust(MESSAGE_IN_BYTES + 1))
        assert attacker.next_frame()[0] == CLOSE
        assert attacker.receive_all() == b""


def test_a_frame_that_announces_much_takes_no_memory(gateway, witness):
    for announced in (1_500_000_000, 1 << 62, (1 << 64) - 1):
        with WebSocket(gateway.port) as attacker, pytest.raises(Ended):
            attacker.send_frame(b"[", announced=announced)
            while True:
                attacker.send(bytes(4096))


def test_endless_fragments_end_the_connection(gateway, witness):
    with WebSocket(gateway.port, gateway.observer) as attacker, pytest.raises(Ended):
        attacker.send_frame(b"[" * 1000, final=False)
        while True:
            attacker.send_frame(b"[" * 1000, opcode=0, final=False)


def test_fragments_of_nothing_take_no_memory(gateway, witness):
    with WebSocket(gateway.port, gateway.observer) as attacker:
        attacker.send_frame(b"[", final=False)
        for _ in range(2000):
            attacker.send(b"\0\x80\0\0\0\0" * 50)
        witness.goes_on()
        attacker.send_frame(b"]", opcode=0)
        assert attacker.until("refused")


def test_pings_without_end_are_borne(gateway, witness):
    with WebSocket(gateway.port, gateway.observer, receive_buffer=4096) as attacker:
        try:
            for _ in range(2000):
                attacker.send_frame(b"p" * 125, opcode=PING)
        except Ended:
            pass
        witness.goes_on()


def test_garbage_is_refused(gateway, witness):
    chance = random.Random(SEED)
    for _ in range(200):
        with Connection(gateway.port) as attacker:
            attacker.send(chance.randbytes(chance.randrange(1, 3000)))
        with WebSocket(gateway.port) as attacker:
            try:
                attacker.send(chance.randbytes(chance.randrange(1, 3000)))
            except Ended:
                pass


@pytest.mark.long
def test_who_reads_nothing_is_cut_off(gateway, witness):
    """The reader's socket never becomes writable, so only a time limit can end it."""
    with WebSocket(gateway.port, gateway.observer, receive_buffer=4096) as attacker:
        nonsense = b"\x81\x82\0\0\0\0[]" * 10000
        with pytest.raises(Ended):
            for turn in itertools.count():
                attacker.send(nonsense)
                if turn % 8 == 0:
                    witness.goes_on()


@pytest.mark.long
def test_a_thousand_sockets_leave_the_others_alone(gateway, witness):
    before = gateway.files()
    attackers = [Connection(gateway.port) for _ in range(1000)]
    witness.goes_on()
    for attacker in attackers:
        attacker.receive_all()  # each is ended, without a word of ours
        attacker.close()
    until(lambda: gateway.files() <= before)


@pytest.mark.long
def test_who_has_no_token_is_ended_and_others_get_in(gateway, witness):
    strangers = []
    with pytest.raises(Ended):
        while True:
            strangers.append(WebSocket(gateway.port))
    assert len(strangers) == 64
    for stranger in strangers:
        assert b"no token in time" in stranger.receive_all()
        stranger.close()
    WebSocket(gateway.port, gateway.observer).close()


# ---- a machine that answers nothing -------------------------------------------------------------


def fall_silent(machine):
    """Makes the machine answer nothing, and waits until the gateway waits for it. Returns a
    function that makes it speak again."""
    kinds = dci.Request.DESCRIPTOR.oneofs_by_name["body"].fields
    stuck, again = threading.Event(), threading.Event()

    def keep(session, request):
        stuck.set()
        again.wait()
        machine.misbehaviour.clear()
        getattr(session, "do_" + request.WhichOneof("body"))(request)

    machine.misbehaviour.update({kind.name: keep for kind in kinds})
    assert stuck.wait(PATIENCE)
    return again.set


def test_what_waits_for_a_silent_machine_is_bounded(machine):
    with Attacked(machine, "--timeout", 10 * PATIENCE) as gateway:
        with Witness(gateway) as witness, WebSocket(gateway.port, gateway.observer) as attacker:
            witness.goes_on()
            speak_again = fall_silent(machine)
            asked, refused = 20000, 0
            for number in range(asked):
                attacker.say("ask", id=number, machine="orrery", what="object", of="o:0:1000")
            witness.say(type="ask", id=NOTHING, machine="orrery", what="nothing")
            while (number := attacker.until("error")["id"]) < asked - 1:
                refused += 1
            assert asked - REQUESTS_WAITING <= refused + 1
            assert gateway.memory_kb() < MEMORY_BOUND_KB
            speak_again()
            answers = [attacker.until("answer")["id"] for _ in range(asked - refused - 1)]
            assert answers == sorted(answers)
            witness.until(lambda: witness.answers.pop(NOTHING, None))
            witness.goes_on()


# ---- the count of connections ------------------------------------------------------------------


def room(gateway):
    """Returns how many connections are served at once. It closes them again."""
    before = gateway.files()
    connections, served = [Connection(gateway.port) for _ in range(MANY)], 0
    for connection in connections:
        try:
            served += connection.ask()[0] == 200
        except Ended:
            pass
    for connection in connections:
        connection.close()
    until(lambda: gateway.files() <= before)
    return served


def half_a_request(connection):
    connection.send(b"GET / HTTP/1.1\r\nHos")


def several_requests(connection):
    for line in ("GET / HTTP/1.1", "HEAD / HTTP/1.1", "OPTIONS * HTTP/1.1"):
        connection.request(line)


def refused_upgrade(**headers):
    return lambda connection: connection.upgrade(**headers)


def after_upgrade(data):
    def attack(connection):
        connection.upgrade()
        connection.send(data)
    return attack


WAYS = [
    lambda connection: None,
    lambda connection: connection.ask(),
    lambda connection: connection.request(Host="evil.example"),
    lambda connection: connection.request("POST / HTTP/1.1", Content_Length="5"),
    lambda connection: connection.ask("GET /../etc/passwd HTTP/1.1"),
    lambda connection: connection.request("CONNECT / HTTP/1.1"),
    lambda connection: connection.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(40)),
    lambda connection: connection.send(random.randbytes(300)),
    half_a_request, several_requests,
    refused_upgrade(Origin=None), refused_upgrade(Upgrade="raw"), refused_upgrade(Upgrade="h2c"),
    refused_upgrade(Sec_WebSocket_Protocol="other"), refused_upgrade(Sec_WebSocket_Key=None),
    refused_upgrade(Sec_WebSocket_Version="7"),
    after_upgrade(b""), after_upgrade(b"\x89\x80\0\0\0\0" * 50), after_upgrade(b"\x81\x80\0\0\0\0"),
    after_upgrade(b"\x88\x80\0\0\0\0"), after_upgrade(b"\xff" * 100),
]


@pytest.mark.long
def test_connections_are_counted_whatever_ends_them(gateway, witness):
    served, before = room(gateway), gateway.files()
    assert 0 < served < MANY
    for number in range(10000):
        with Connection(gateway.port) as connection:
            try:
                WAYS[number % len(WAYS)](connection)
            except Ended:
                pass
    until(lambda: gateway.files() <= before)
    assert room(gateway) == served
    witness.goes_on()


# ---- tokens and signals ------------------------------------------------------------------------


def test_tokens_are_told_to_nobody_else(gateway, witness):
    tokens = [gateway.token.encode(), gateway.observer.encode()]
    replies = b""
    for line in ("GET / HTTP/1.1", "GET /main.js HTTP/1.1", f"GET /?t={gateway.token} HTTP/1.1",
                 f"GET /{gateway.token} HTTP/1.1", f"GET //{gateway.token}/ HTTP/1.1"):
        with Connection(gateway.port) as connection:
            connection.request(line, Connection="close")
            replies += connection.receive_all()
    assert b"location:" not in replies.lower()
    for command in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            replies += command.read_bytes()
        except OSError:
            pass  # it has ended
    assert not any(token in replies for token in tokens)


BETWEEN = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>
// Once the file GO is there, a signal comes in the main thread when it has looked for one and does
// not wait yet.
int poll(struct pollfd *fds, nfds_t count, int timeout)
{
    static int (*next)(struct pollfd *, nfds_t, int);
    if (next == NULL)
        next = dlsym(RTLD_NEXT, "poll");
    if (gettid() != getpid() || timeout == 0)
        return next(fds, count, timeout);
    while (access(GO, F_OK) != 0) {
        int ready = next(fds, count, 10);
        if (ready != 0)
            return ready;
    }
    unlink(GO);
    raise(SIGTERM);
    return next(fds, count, timeout);
}
"""


def test_a_signal_just_before_the_wait_ends_it(machine, tmp_path, monkeypatch):
    source, library, go = (tmp_path / name for name in ("between.c", "between.so", "go"))
    source.write_text(BETWEEN)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, f'-DGO="{go}"', source, "-ldl"],
                   check=True)
    monkeypatch.setenv("LD_PRELOAD", str(library))
    with Attacked(machine, "--timeout", 10 * PATIENCE) as gateway:
        monkeypatch.delenv("LD_PRELOAD")
        with Witness(gateway) as witness:
            witness.goes_on()
        fall_silent(machine)  # so that nothing wakes the loop but the signal
        go.touch()
        until(lambda: not go.exists())
        until(lambda: gateway.process.poll() is not None)
