# SPDX-License-Identifier: MIT
"""The net server as a process: sockets from inside, and from the host through the emulator's
network."""

import os
import re
import socket
import threading

import pytest

from waiting import PATIENCE

PORT = 5000
BYTES = 4_000_000


@pytest.mark.parametrize("cpus", [1, 4])
def test_sockets_as_programs_see_them(boot, cpus):
    """Streams, ends, limits, hostile shared memory, killed clients, a killed server: test-net
    checks itself."""
    machine = boot(f"net{cpus}", cpus=cpus, append="run=bin/test-net oneshot", network=False)
    machine.wait_passed("test-net")


@pytest.fixture(scope="module", name="machine")
def _machine(tmp_path_factory):
    from machine import Machine  # pylint: disable=import-outside-toplevel
    folder = str(tmp_path_factory.mktemp("net"))
    with Machine(folder, "net", network=False, typing=True, forward=[PORT]) as machine:
        machine.wait_console("orrery:/$ ")
        yield machine


def refused(connection):
    """Whether the connection has ended before anybody in the guest said a word."""
    connection.settimeout(0.1)
    try:
        return not connection.recv(1, socket.MSG_PEEK)
    except socket.timeout:
        return False
    except ConnectionError:
        return True


def connect(machine, command):
    """Types a command that listens on PORT; a connection to it.

    The emulator accepts at once, and resets the connection when it has learnt that nobody listens
    in the guest, on a busy host after whole seconds. So a connection that is still there says
    nothing: the program has to tell that it has it.
    """
    told = machine.console.count("connected: ")
    machine.type(f"{command}\n")

    def connected():
        connection = socket.create_connection(("127.0.0.1", machine.forwarded[PORT]),
                                              timeout=PATIENCE)
        while not refused(connection):
            if machine.console.count("connected: ") > told:
                connection.settimeout(PATIENCE)
                return connection
        connection.close()
        return None

    return machine.wait_for(connected, f"{command}: a connection")


def echo_through(connection, data):
    """Sends data and returns what comes back."""
    received = bytearray()

    def send():
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)

    sender = threading.Thread(target=send)
    sender.start()
    while piece := connection.recv(65536):
        received += piece
    sender.join()
    return bytes(received)


def test_bytes_come_back_as_they_were(machine):
    data = os.urandom(BYTES)
    with connect(machine, f"netperf -l echo {PORT}") as connection:
        assert echo_through(connection, data) == data
    machine.wait_console(f"echoed {BYTES} bytes")


def test_the_guest_counts_what_it_was_sent(machine):
    with connect(machine, f"netperf -l receive {PORT}") as connection:
        connection.sendall(bytes(BYTES + 1))
    machine.wait_console(f"received {BYTES + 1} bytes")


def test_tcp_is_a_pipe_to_the_host(machine):
    with connect(machine, f"echo from the guest | tcp -l {PORT} > /tmp/got") as connection:
        assert connection.recv(100) == b"from the guest\n"
        connection.sendall(b"from the host\n")
    machine.type("cat /tmp/got\n")
    machine.wait_console("\nfrom the host\n")


def test_a_killed_net_server_resets_connections_and_comes_back(machine):
    with connect(machine, f"netperf -l echo {PORT} &") as connection:
        assert echo_once(connection, b"before") == b"before"
        machine.type("ps | grep net$\n")
        pid = wait_for_pid(machine)
        machine.type(f"kill {pid}\n")
        machine.wait_console(f"init: net (pid {pid}) ended")
    data = os.urandom(100_000)
    machine.type("wait\n")
    with connect(machine, f"netperf -l echo {PORT}") as connection:
        assert echo_through(connection, data) == data
    machine.wait_console("echoed 100000 bytes")


def echo_once(connection, data):
    connection.sendall(data)
    received = b""
    while len(received) < len(data):
        received += connection.recv(100)
    return received


def wait_for_pid(machine):
    """The net server's process number, from the ps that was typed."""
    found = machine.wait_for(lambda: re.findall(r"^ +(\d+) +\d+ live .* net$", machine.console,
                                                re.MULTILINE),
                             "ps shows the net server")
    return found[-1]
