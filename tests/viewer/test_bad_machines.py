# SPDX-License-Identifier: MIT
"""Machines that break the protocol, or are none: kov ends with 3 and says what is wrong, and never hangs."""

import socket
import struct

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
    (framed(dci.ServerFrame(response=dci.Response(id=1, system=dci.SystemInfo())).SerializeToString()),
     "another question"),
    (framed(dci.ServerFrame(response=dci.Response(id=1)).SerializeToString()), "another question"),
    (framed(dci.ServerFrame(response=dci.Response(id=0)).SerializeToString()), "answer to nothing"),
])
def test_a_hello_that_is_answered_badly(kov, machine, data, message):
    machine.misbehaviour["hello"] = raw(data)
    result = kov("hello", machine=machine)
    assert result.code == 3
    assert message in result.err


@pytest.mark.parametrize("command", [["hello"], ["objects"], ["stat"], ["record"], ["trace", "record"], ["top"]])
def test_a_machine_that_never_answers(kov, machine, command):
    machine.misbehaviour["hello"] = silent
    result = kov("--timeout", "0.3", *command, machine=machine, timeout=5)
    assert result.code == 3
    assert "0.3 s" in result.err


@pytest.mark.parametrize("kind, command", [
    ("objects", ["objects"]), ("dref_read", ["stat", "-d", "0.1"]), ("sampling_stop", ["record", "-d", "0.1"]),
    ("trace_unsubscribe", ["trace", "record", "-d", "0.1"]), ("workload_status", ["stat", "--", "demo"]),
])
def test_a_machine_that_stops_answering(kov, machine, kind, command):
    machine.misbehaviour[kind] = silent
    result = kov("--timeout", "0.3", *command, machine=machine, timeout=10)
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
    assert kov("--timeout", "0.05", "classes", machine=machine, timeout=15).code == 3


def test_a_machine_that_ends_the_session_while_recording(kov, machine):
    def answer(session, request):
        session.do_sampling_start(request)
        session.send(dci.ServerFrame(response=dci.Response(id=0, error=-6, message="too slow")))
        session.connection.shutdown(socket.SHUT_RDWR)
    machine.misbehaviour["sampling_start"] = answer
    result = kov("record", "-d", "5", machine=machine)
    assert result.code == 1
    assert "too slow (limit reached)" in result.err
