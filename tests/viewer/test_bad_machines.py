# SPDX-License-Identifier: MIT
"""Some machines break the protocol, or are no machines. kov then ends with 3, says what is wrong,
and never hangs."""

import socket
import struct
import time

import dci_pb2 as dci
import pytest


def raw(data, close=True):
    def answer(session, request):
        session.send_bytes(data)
        if close:
            session.connection.shutdown(socket.SHUT_RDWR)
    return answer


def framed(payload):
    return struct.pack(">I", len(payload)) + payload


def silent(session, request):
    pass


def test_nobody_listens(kov):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    result = kov("--port", port, "hello")
    assert result.code == 3
    assert "make run" in result.err


def test_no_such_host(kov):
    assert kov("--host", "no.such.host.invalid", "hello").code == 3


@pytest.mark.parametrize("data, message", [
    (b"", "closed"),
    (b"\0\0", "inside a frame"),
    (struct.pack(">I", 100) + b"short", "inside a frame"),
    (struct.pack(">I", 0xffffffff), "longer than 1 MB"),
    (b"HTTP/1.1 400 Bad Request\r\n\r\n", "longer than 1 MB"),
    (framed(b"\xff\xff\xff\xff"), "no message"),
    (framed(dci.ServerFrame(response=dci.Response(id=1,
                                                  system=dci.SystemInfo())).SerializeToString()),
     "another question"),
    (framed(dci.ServerFrame(response=dci.Response(id=1)).SerializeToString()), "another question"),
    (framed(dci.ServerFrame(response=dci.Response(id=0)).SerializeToString()), "answer to nothing"),
])
def test_a_hello_that_is_answered_badly(kov, machine, data, message):
    machine.misbehaviour["hello"] = raw(data)
    result = kov("hello", machine=machine)
    assert result.code == 3
    assert message in result.err


@pytest.mark.parametrize("command", [["hello"], ["objects"], ["stat"], ["record"],
                                     ["trace", "record"], ["top"]])
def test_a_machine_that_never_answers(kov, machine, command):
    machine.misbehaviour["hello"] = silent
    result = kov("--timeout", "0.3", *command, machine=machine)
    assert result.code == 3
    assert "0.3 s" in result.err


@pytest.mark.parametrize("kind, command", [
    ("objects", ["objects"]), ("dref_read", ["stat", "-d", "0.1"]),
    ("sampling_stop", ["record", "-d", "0.1"]),
    ("trace_unsubscribe", ["trace", "record", "-d", "0.1"]),
    ("workload_status", ["stat", "--", "demo"]),
])
def test_a_machine_that_stops_answering(kov, machine, kind, command):
    machine.misbehaviour[kind] = silent
    result = kov("--timeout", "0.3", *command, machine=machine)
    assert result.code == 3


def test_another_version_of_the_protocol(kov, machine):
    machine.misbehaviour["hello"] = lambda session, request: session.respond(
        request, hello=dci.HelloReply(version=3, role=dci.ROLE_CONTROLLER))
    result = kov("hello", machine=machine)
    assert result.code == 3
    assert "version 2" in result.err


def test_a_machine_that_refuses_the_version(kov, machine):
    machine.errors["hello"] = (-14, "version 2 only")
    result = kov("hello", machine=machine)
    assert result.code == 3
    assert "version" in result.err


def test_answers_to_other_calls_and_unknown_frames_are_passed_over(kov, machine):
    def answer(session, request):
        session.send(dci.ServerFrame())
        session.send(dci.ServerFrame(event=dci.Event()))
        session.send(dci.ServerFrame(response=dci.Response(id=4711, classes=dci.ClassesReply())))
        session.do_classes(request)
    machine.misbehaviour["classes"] = answer
    assert len(kov("classes", "--json", machine=machine).json["classes"]) == 3


def test_a_list_without_end_is_given_up(kov, machine):
    def answer(session, request):
        while True:
            session.respond(request, more=True, classes=dci.ClassesReply())
    machine.misbehaviour["classes"] = answer
    assert kov("--timeout", "0.05", "classes", machine=machine).code == 3


def chatter(session, request):
    """Sends frames that are no answer, without end."""
    while True:
        session.send(dci.ServerFrame(event=dci.Event()))
        time.sleep(0.01)


def drip(session, request):
    """Sends a frame that never comes to its end."""
    session.send_bytes(struct.pack(">I", 1 << 19))
    while True:
        session.send_bytes(b"\x12")
        time.sleep(0.01)


def no_end(session, request):
    """Answers with the first parts of a list that goes on for ever."""
    body = request.WhichOneof("body")
    reply = {"classes": dci.ClassesReply, "objects": dci.ObjectsReply,
             "dref_read": dci.DrefReadReply, "sleep_locks_read": dci.SleepLocksReadReply,
             "processes": dci.ProcessesReply}[body]
    while True:
        session.respond(request, more=True, **{body: reply()})


def sleep_locks_on(session, request):
    session.respond(request, sleep_locks_enable=dci.SleepLocksEnableReply(time=1))


COMMANDS = {
    "hello": ["hello"], "classes": ["classes"], "objects": ["objects"], "processes": ["ps"],
    "server_stat": ["server"],
    "dref_read": ["stat", "-d", "0.1"], "sampling_start": ["record", "-d", "0.1"],
    "sampling_stop": ["top", "-n", "1", "-d", "0.1"],
    "sleep_locks_enable": ["locks", "--sleep", "-d", "0.1"],
    "sleep_locks_read": ["locks", "--sleep", "-d", "0.1"],
    "trace_metadata": ["trace", "record", "-d", "0.1"],
    "trace_subscribe": ["trace", "record", "-d", "0.1"],
    "trace_unsubscribe": ["trace", "record", "-d", "0.1"], "trace_stat": ["trace", "stat"],
    "trace_events": ["trace", "list"],
    "workloads": ["workload", "list"], "workload_start": ["workload", "run", "demo"],
    "pmu_events": ["events"],
    "run_open": ["run", "hello"], "run_start": ["run", "hello"],
    "console_attach": ["console", "-d", "0.1"],
}


@pytest.mark.parametrize("kind", COMMANDS)
@pytest.mark.parametrize("lie", [chatter, drip])
def test_the_timeout_bounds_every_command(kov, machine, kind, lie):
    """All waits of a command share one patience, however it is kept going."""
    machine.misbehaviour["sleep_locks_enable"] = sleep_locks_on
    machine.misbehaviour[kind] = lie
    result = kov("--timeout", "0.6", "--no-reconnect", *COMMANDS[kind], machine=machine)
    assert result.code == 3 and "0.6 s" in result.err, result.err


@pytest.mark.parametrize("kind",
                         ["classes", "objects", "dref_read", "sleep_locks_read", "processes"])
def test_no_list_goes_on_for_ever(kov, machine, kind):
    machine.misbehaviour["sleep_locks_enable"] = sleep_locks_on
    machine.misbehaviour[kind] = no_end
    assert kov("--timeout", "0.6", "--no-reconnect", *COMMANDS[kind], machine=machine).code == 3


def test_answers_that_come_late_are_late_together(kov, machine):
    """Each answer comes within the time limit, but all of them do not."""
    def late(kind):
        def answer(session, request):
            time.sleep(0.5)
            getattr(session, "do_" + kind)(request)
        return answer
    for kind in ("processes", "objects", "dref_enable", "dref_read"):
        machine.misbehaviour[kind] = late(kind)
    result = kov("--timeout", "1.2", "--no-reconnect", "stat", "-d", "0.1", machine=machine)
    assert result.code == 3 and "1.2 s" in result.err


@pytest.mark.long
@pytest.mark.parametrize("command", ["stat", "record"])
def test_the_time_that_was_asked_for_costs_no_patience(kov, machine, command):
    assert kov("--timeout", "10", command, "-d", "11", machine=machine).code == 0


def test_a_full_machine_tells_whom_it_serves(kov, machine):
    machine.misbehaviour["hello"] = lambda session, request: session.respond(
        request, error=-6, message="16 clients are served\x1b[2J already", served=[
            dci.ServedClient(number=3, role=dci.ROLE_OBSERVER, address="10.0.2.2", seconds=12),
            dci.ServedClient(number=4, role=dci.ROLE_CONTROLLER, address="10.0.2.2\n", seconds=7)])
    result = kov("objects", machine=machine)
    assert result.code == 3
    assert "client 3 (observer) from 10.0.2.2 since 12 s, " \
        "client 4 (controller) from 10.0.2.2" in result.err
    assert "\x1b" not in result.err


def test_a_machine_that_ends_the_session_while_recording(kov, machine):
    def answer(session, request):
        session.do_sampling_start(request)
        session.send(dci.ServerFrame(response=dci.Response(id=0, error=-6, message="too slow")))
        session.connection.shutdown(socket.SHUT_RDWR)
    machine.misbehaviour["sampling_start"] = answer
    result = kov("record", "-d", "5", machine=machine)
    assert result.code == 1
    assert "too slow (limit reached)" in result.err
