# SPDX-License-Identifier: MIT
"""The server under siege: clients that flood it and go, connections that never say who they are, a
full house, frames of all kinds.
tests/system/siege.py does the last for as long as wanted."""

import socket
import struct
import time

import pytest

import dci_client as dci
import siege
from dci_client import pb
from machine import CONTROLLER, OBSERVER

E_LIMIT = -6
FLOODS = {"200 KB": 200000, "50 KB": 50000}  # more, and less, than the server keeps of one client
FRAMES = 6000


def framed(**body):
    payload = pb.Request(id=7, **body).SerializeToString()
    return struct.pack(">I", len(payload)) + payload


def flood(port, size, token):
    """A connection that has sent so many bytes of requests, or what of that was taken, and reads
    nothing."""
    sock = socket.create_connection(("127.0.0.1", port))
    sock.sendall(framed(hello=pb.HelloRequest(version=dci.VERSION, token=token)))
    request = framed(objects=pb.ObjectsRequest(scope=pb.SCOPE_ALL, classes=True))
    sock.settimeout(2)
    try:
        sock.sendall(request * (size // len(request)))
    except OSError:
        pass  # nobody takes more, or it has been closed
    return sock


def reset(sock):
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


def half_close(sock):
    try:
        sock.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # it has been closed


@pytest.mark.parametrize("end", [socket.socket.close, reset, half_close],
                         ids=["close", "reset", "half-close"])
@pytest.mark.parametrize("size", FLOODS)
def test_requests_of_who_has_gone_are_dropped(machine2, capsys, end, size):
    """A full house, each with thousands of requests: places are free again long before those could
    be carried out."""
    with dci.connect(machine2.port, CONTROLLER) as viewer:
        limits = viewer.hello().limits
        siege.wait_for_free_slots(viewer)
    house = [OBSERVER] * limits.observers + [CONTROLLER] * (limits.clients - limits.observers)
    floods = [flood(machine2.port, FLOODS[size], token) for token in house]
    for sock in floods:
        end(sock)
    with siege.enter_when_there_is_a_place(machine2.port, CONTROLLER) as viewer:
        seconds = siege.wait_for_free_slots(viewer)
        assert seconds <= siege.FREE_SECONDS
        begin = time.monotonic()
        assert viewer.objects()
        with capsys.disabled():
            print(f"\nplaces free after {seconds:.1f} s of the machine, "
                  f"then objects in {time.monotonic() - begin:.2f} s")
    for sock in floods:
        sock.close()


def test_who_half_closes_gets_all_answers(machine2):
    with dci.connect(machine2.port, OBSERVER) as client:
        ids = [client.send(system=pb.SystemRequest()) for _ in range(50)]
        client.socket.shutdown(socket.SHUT_WR)
        assert all(list(client.responses(number))[0].system.cpu_count == 2 for number in ids)
        with pytest.raises(dci.Closed):
            client.receive_frame()


def test_mute_connections_lock_nobody_out(machine2):
    """As many as there can be, renewed as soon as one is closed; whoever has a token gets in at its
    first attempt, each time."""
    mute = []
    for _ in range(60):
        mute.append(socket.create_connection(("127.0.0.1", machine2.port)))
    for turn in range(30):
        mute.append(socket.create_connection(("127.0.0.1", machine2.port)))
        with siege.enter(machine2.port, CONTROLLER if turn % 2 else OBSERVER) as client:
            assert client.system().cpu_count == 2
            if turn == 29:
                assert client.server_stat().without_role > 1
    for sock in mute:
        sock.close()


def hello_answer(client):
    client.send(hello=pb.HelloRequest(version=dci.VERSION, token=OBSERVER))
    return client.receive_frame()


def test_a_full_server_keeps_a_place_for_controllers_and_tells_whom_it_serves(machine2):
    with dci.connect(machine2.port, CONTROLLER) as viewer:
        limits = viewer.hello().limits
        siege.wait_for_free_slots(viewer)
    observers = [dci.connect(machine2.port, OBSERVER) for _ in range(limits.observers)]
    client = dci.Client(machine2.port)
    refusal = hello_answer(client).response
    assert refusal.error == E_LIMIT and f"{limits.observers} observers" in refusal.message
    assert [one.role for one in refusal.served] == [pb.ROLE_OBSERVER] * limits.observers
    assert all(one.address.count(".") == 3 for one in refusal.served)
    client.close()
    said = machine2.kov_run("hello", token=OBSERVER, check=False)
    assert said.returncode == 3 and "observer) from 10.0.2.2 since" in said.stderr, said.stderr
    with siege.enter(machine2.port, CONTROLLER) as controller:
        assert len(controller.server_stat().clients) == limits.clients
        said = machine2.kov_run("hello", check=False)
        assert said.returncode == 3 and "(controller) from" in said.stderr, said.stderr
    for observer in observers:
        observer.close()


def test_mutated_frames_of_all_roles(machine2, capsys):
    account = siege.siege(machine2.port, FRAMES, seed=11)
    with capsys.disabled():
        print("\n" + ", ".join(f"{what} {number:.3g}" for what, number in account.items()))
    assert account["malformed"] > 0 and account["denied"] > 0
    assert account["answers to the witness"] > 0
    assert account["slots free after"] <= siege.FREE_SECONDS
