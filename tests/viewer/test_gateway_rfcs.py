# SPDX-License-Identifier: MIT
"""`kov serve` keeps to HTTP (RFC 9110) and to WebSockets (RFC 6455), whatever a client does."""

import gzip

import pytest

from attacker import BINARY, CLOSE, PING, PONG, TEXT, Connection, Ended, WebSocket
from browser import Gateway

CONTINUATION = 0
PROTOCOL_ERROR, NO_BINARY, TOO_BIG = 1002, 1003, 1009
FILES = "/", "/main.js", "/style.css", "/icon.svg"


@pytest.fixture(scope="module")
def port():
    with Gateway("-m", "orrery=127.0.0.1:1", "--metrics") as gateway:  # no machine is needed
        yield int(gateway.origin.rsplit(":", 1)[1])


def response(port, line, **headers):
    """Returns the status, the headers and the body of the response to one request."""
    with Connection(port) as connection:
        status, fields = connection.ask(line, Connection="close", **headers)
        return status, fields, connection.receive_all()


# ---- WebSockets --------------------------------------------------------------------------------


@pytest.mark.parametrize("frame", [
    {"payload": b"{}"}, {"payload": b""}, {"payload": b"", "opcode": PING},
    {"payload": b"", "opcode": CLOSE}, {"payload": bytes(300)}, {"payload": bytes(70000)}])
def test_an_unmasked_frame_ends_the_connection(port, frame):
    with WebSocket(port) as client:
        client.send_frame(masked=False, **frame)
        assert client.close_code() == PROTOCOL_ERROR


def test_an_unmasked_frame_behind_a_masked_one_ends_the_connection(port):
    ping = bytes([0x80 | PING, 0x80 | 3]) + bytes(4) + b"one"
    for split in range(1, len(ping) + 2):
        with WebSocket(port) as client:
            data = ping + bytes([0x80 | PING, 3]) + b"two"
            client.send(data[:split])
            client.send(data[split:])
            assert client.next_frame() == (PONG, b"one")
            assert client.close_code() == PROTOCOL_ERROR


@pytest.mark.parametrize("first", [
    bytes([0x80 | opcode]) for opcode in (3, 7, 11, 15)] + [
    bytes([0x80 | reserved | TEXT]) for reserved in (0x40, 0x20, 0x10)] + [
    bytes([PING]), bytes([CLOSE]), bytes([CONTINUATION]), bytes([0x80 | CONTINUATION])])
def test_a_frame_that_none_may_send_ends_the_connection(port, first):
    """An opcode or a bit that is reserved, a control frame in parts, a part of no message."""
    with WebSocket(port) as client:
        client.send(first + b"\x80" + bytes(4))
        assert client.close_code() == PROTOCOL_ERROR


def test_a_message_within_another_ends_the_connection(port):
    with WebSocket(port) as client:
        client.send_frame(b"{", final=False)
        client.send_frame(b"{}")
        assert client.close_code() == PROTOCOL_ERROR


@pytest.mark.parametrize("opcode", [PING, PONG, CLOSE])
def test_a_control_frame_has_125_bytes_at_most(port, opcode):
    with WebSocket(port) as client:
        client.send_frame(b"p" * 125, opcode=PING)
        assert client.next_frame() == (PONG, b"p" * 125)
        client.send_frame(b"p" * 126, opcode=opcode)
        assert client.close_code() == PROTOCOL_ERROR


@pytest.mark.parametrize("announced", [16385, 65536, 1_500_000_000, 1 << 62])
def test_too_long_a_message_is_told_by_the_code(port, announced):
    with WebSocket(port) as client:
        client.send_frame(b"[", announced=announced)  # and no more: its head is enough
        assert client.close_code() == TOO_BIG


def test_too_long_a_message_in_parts_is_told_by_the_code(port):
    with WebSocket(port) as client:
        client.send_frame(b"[" * 16384, final=False)
        client.send_frame(b"p", opcode=PING)
        assert client.next_frame() == (PONG, b"p")
        client.send_frame(b"[", opcode=CONTINUATION)
        assert client.close_code() == TOO_BIG


def test_a_binary_message_is_told_by_the_code(port):
    with WebSocket(port) as client:
        client.send_frame(b"{}", opcode=BINARY)
        assert client.close_code() == NO_BINARY


def test_a_close_is_answered_with_its_code(port):
    with WebSocket(port) as client:
        client.send_frame(b"\x03\xe8bye", opcode=CLOSE)
        assert client.close_code() == 1000
        client.receive_all()


def test_a_frame_may_come_byte_by_byte_and_with_a_mask(port):
    text, mask = b'{"type": "watch"}', b"\x12\x34\x56\x78"
    with WebSocket(port) as client:
        masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(text))
        for byte in bytes([0x80 | TEXT, 0x80 | len(text)]) + mask + masked:
            client.send(bytes([byte]))
        assert client.next()["type"] == "refused"


def test_frames_before_the_answer_are_refused(port):
    with Connection(port) as client:
        client.request(**client.upgrade_headers(), end=b"\x81\x82\0\0\0\0{}")
        status, _ = client.receive_head()
        assert status == 400


def test_a_request_before_the_upgrade_is_none(port):
    with Connection(port) as client:
        client.request("HEAD / HTTP/1.1")
        client.request(**client.upgrade_headers())
        assert [client.receive_head()[0] for _ in range(2)] == [200, 101]


@pytest.mark.parametrize("names", [
    "orrery", "other, orrery", "orrery, other", "other,orrery,more", "http, orrery"])
def test_our_subprotocol_is_taken_among_others(port, names):
    with Connection(port) as client:
        status, headers = client.upgrade(Sec_WebSocket_Protocol=names)
        assert (status, headers["sec-websocket-protocol"]) == (101, "orrery")


def test_our_subprotocol_is_taken_in_a_second_header(port):
    with Connection(port) as client:
        status, headers = client.upgrade(Sec_WebSocket_Protocol="other\r\n"
                                         "Sec-WebSocket-Protocol: orrery")
        assert (status, headers["sec-websocket-protocol"]) == (101, "orrery")


@pytest.mark.parametrize("names", [
    "http", "orrer", "orreryy", "x-orrery", "orrery-2", "Orrery", "other, more", "no, subprotocol"])
def test_what_is_not_our_subprotocol_is_refused(port, names):
    with Connection(port) as client:
        assert client.upgrade(Sec_WebSocket_Protocol=names)[0] == 403


# ---- HTTP --------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES)
@pytest.mark.parametrize("accepted", ["gzip", "gzip, deflate, br", "identity;q=0.5, GZIP;q=0.8"])
def test_head_is_get_without_the_body(port, path, accepted):
    got = response(port, f"GET {path} HTTP/1.1", Accept_Encoding=accepted)
    head = response(port, f"HEAD {path} HTTP/1.1", Accept_Encoding=accepted)
    assert got[0] == 200 and int(got[1]["content-length"]) == len(got[2]) > 0
    assert head == (200, got[1], b"")


def test_after_head_the_connection_goes_on(port):
    with Connection(port) as client:
        for line in ("HEAD / HTTP/1.1", "HEAD /main.js HTTP/1.1"):
            assert client.ask(line)[0] == 200
        status, headers = client.ask("GET / HTTP/1.1")
        assert status == 200
        client.receive(int(headers["content-length"]))


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_other_methods_are_told_which_there_are(port, method):
    status, headers, _ = response(port, f"{method} / HTTP/1.1", Content_Length="0")
    assert (status, headers["allow"]) == (405, "get, head")


@pytest.mark.parametrize("path", FILES)
def test_who_takes_no_gzip_gets_the_file_itself(port, path):
    _, headers, packed = response(port, f"GET {path} HTTP/1.1", Accept_Encoding="gzip")
    assert headers["content-encoding"] == "gzip" and headers["vary"] == "accept-encoding"
    for accepted in (None, "identity", "gzip;q=0", "br, gzip; q=0.000", "deflate", "x-gzipped",
                     "*;q=0, identity", "identity, gzip;q=0, *", ""):
        status, headers, plain = response(port, f"GET {path} HTTP/1.1", Accept_Encoding=accepted)
        assert (status, headers["vary"]) == (200, "accept-encoding"), accepted
        assert "content-encoding" not in headers, accepted
        assert int(headers["content-length"]) == len(plain), accepted
        assert plain == gzip.decompress(packed), accepted


@pytest.mark.parametrize("accepted", ["*", "deflate, *;q=0.1", "x-gzip", "gzip;q=0.001", "br,gzip"])
def test_who_takes_gzip_gets_it(port, accepted):
    assert response(port, "GET / HTTP/1.1",
                    Accept_Encoding=accepted)[1]["content-encoding"] == "gzip"


@pytest.mark.parametrize("line, status", [
    ("GET /nothing HTTP/1.1", 404), ("HEAD /nothing HTTP/1.1", 404), ("GET /metrics HTTP/1.1", 401),
    ("POST / HTTP/1.1", 405), ("GET /%2e%2e/x HTTP/1.1", 404), ("GET /../x HTTP/1.1", 404)])
def test_an_error_page_needs_nothing_else(port, line, status):
    got, headers, body = response(port, line)
    assert got == status
    for wanted in (b"href", b"src", b"url("):
        assert wanted not in body
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert (len(body) == 0) == line.startswith("HEAD")
    if status == 401:
        assert headers["www-authenticate"] == "bearer"
