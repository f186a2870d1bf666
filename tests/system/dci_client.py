# SPDX-License-Identifier: MIT
"""A DCI client for the system tests: connect, request, pushed events (docs/protocol.md).

dci_pb2, which protoc generates, is looked for in the build folder ($ORRERY_BUILD or build).
"""

import contextlib
import os
import pathlib
import select
import socket
import struct
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

_ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, os.path.join(os.environ.get("ORRERY_BUILD", _ROOT / "build"), "gen", "python"))
import dci_pb2 as pb  # noqa: E402
from waiting import PATIENCE, wait_for  # noqa: E402

VERSION = 2


class DciError(Exception):
    """An error response; `error` is the number from include/orrery/errors.h."""

    def __init__(self, response):
        super().__init__(f"error {response.error}: {response.message}")
        self.error = response.error


class Closed(Exception):
    """The server ended the connection."""


class Client:
    """One connection. Pushed events that come while something else is awaited are kept in
    `events`."""

    def __init__(self, port, host="127.0.0.1", timeout=PATIENCE, receive_buffer=None):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(timeout)
        self.socket.connect((host, port))
        self.input = self.socket.makefile("rb", buffering=1 << 20)
        self.events = []
        self.next_id = 1

    def close(self):
        self.input.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # ---- frames

    def send_bytes(self, data):
        self.socket.sendall(data)

    def send_frame(self, payload):
        self.send_bytes(struct.pack(">I", len(payload)) + payload)

    def receive_frame(self):
        """The next frame as a ServerFrame; Closed at the end of the connection."""
        header = self._receive(4)
        return pb.ServerFrame.FromString(self._receive(struct.unpack(">I", header)[0]))

    def _receive(self, count):
        try:
            data = self.input.read(count)
        except ConnectionResetError as error:
            raise Closed("reset") from error
        if len(data) != count:
            raise Closed(f"end after {len(data)} of {count} bytes")
        return data

    @contextlib.contextmanager
    def reading_slowly(self, take):
        """Meanwhile a thread takes the event of a frame twice a second: far too few, but who takes
        nothing for some seconds counts as gone."""
        over = threading.Event()

        def read():
            while not over.wait(0.5):
                if select.select([self.socket], [], [], 0)[0]:
                    take(self.receive_frame().event)

        with ThreadPoolExecutor() as threads:
            reader = threads.submit(read)
            try:
                yield
            finally:
                over.set()
            reader.result()

    # ---- requests

    def send(self, **body):
        """Sends one request, as in send(objects=pb.ObjectsRequest()); returns its id."""
        request = pb.Request(id=self.next_id, **body)
        self.next_id += 1
        self.send_frame(request.SerializeToString())
        return request.id

    def responses(self, request_id):
        """All responses to a request; DciError at an error. Events meanwhile go to `events`."""
        while True:
            frame = self.receive_frame()
            if frame.HasField("event"):
                self.events.append(frame.event)
                continue
            response = frame.response
            if response.error != 0:
                raise DciError(response)
            if response.id != request_id:
                raise AssertionError(f"response to {response.id}, expected {request_id}")
            yield response
            if not response.more:
                return

    def is_answered(self, request_id):
        """Whether the last response to a request has come; takes all that has."""
        answered = False
        while not answered and select.select([self.socket], [], [], 0)[0]:
            frame = self.receive_frame()
            answered = frame.response.id == request_id and not frame.response.more
        return answered

    def request(self, **body):
        """Sends a request that has one response, and returns that."""
        (response,) = self.responses(self.send(**body))
        return response

    def list(self, name, field, message):
        """All items of a list in any number of responses."""
        items = []
        for response in self.responses(self.send(**{name: message})):
            items.extend(getattr(getattr(response, name), field))
        return items

    def next_event(self):
        """The next pushed event."""
        if self.events:
            return self.events.pop(0)
        frame = self.receive_frame()
        if not frame.HasField("event"):
            raise AssertionError(f"expected an event, got {frame}")
        return frame.event

    # ---- programs

    def start_program(self, program, *arguments):
        """Starts a program of the machine; its output and end come as events. Returns (run,
        pid)."""
        run = self.request(run_open=pb.RunOpenRequest()).run_open.run
        started = self.request(run_start=pb.RunStartRequest(run=run, program=program,
                                                            arguments=map(str, arguments)))
        return run, started.run_start.pid

    def output_of(self, run, text):
        """What a program prints until it has printed text; AssertionError when it ends before. Its
        end is kept."""
        output = b""
        while text not in output:
            event = self._event_of(run)
            if event.HasField("run_ended"):
                raise AssertionError(f"ended with {event.run_ended.status}: {output}")
            output += event.run_output.data
        return output

    def end_of(self, run):
        """The status with which a program ends, and what it printed before."""
        output = b""
        while True:
            event = self._event_of(run)
            if event.HasField("run_ended"):
                return event.run_ended.status, output
            output += event.run_output.data

    def _event_of(self, run):
        """The next event of a run; those of others are kept."""
        def is_its(event):
            return run in (event.run_output.run, event.run_ended.run)

        for place, event in enumerate(self.events):
            if is_its(event):
                return self.events.pop(place)
        while True:
            frame = self.receive_frame()
            if frame.HasField("event") and is_its(frame.event):
                return frame.event
            if frame.HasField("event"):
                self.events.append(frame.event)

    # ---- the usual ones

    def hello(self, token="", version=VERSION):
        return self.request(hello=pb.HelloRequest(version=version, token=token)).hello

    def system(self):
        return self.request(system=pb.SystemRequest()).system

    def server_stat(self):
        return self.request(server_stat=pb.ServerStatRequest()).server_stat

    def objects(self):
        return self.list("objects", "objects", pb.ObjectsRequest())

    def classes(self):
        return {c.class_id: c for c in self.list("classes", "classes", pb.ClassesRequest())}

    def dref_read(self):
        """{(coid, cpu): (invocations, misses)}"""
        counts = self.list("dref_read", "counts", pb.DrefReadRequest())
        return {(c.coid, c.cpu): (c.invocations, c.misses) for c in counts}

    def dref_enable(self, on):
        self.request(dref_enable=pb.DrefEnableRequest(on=on))

    def trace_stat(self):
        return self.request(trace_stat=pb.TraceStatRequest()).trace_stat

    def trace_metadata(self):
        request_id = self.send(trace_metadata=pb.TraceMetadataRequest())
        return b"".join(r.trace_metadata.text for r in self.responses(request_id))

    def overflows(self):
        """Of the sampling that runs, whoever has started it."""
        return sum(self.overflows_by_cpu())

    def overflows_by_cpu(self):
        return [one.overflows for one in self.request(sampling_stat=pb.SamplingStatRequest(
            )).sampling_stat.cpus]

    def run_workload(self, command):
        """Starts a workload and waits for its end: its report as {key: text}."""
        started = self.request(workload_start=pb.WorkloadStartRequest(command=command))
        return self.finish_workload(started.workload_start.id)

    def finish_workload(self, workload_id):
        """Waits for a workload's end: its report as {key: text}."""
        def ended():
            status = self.request(workload_status=pb.WorkloadStatusRequest(
                id=workload_id)).workload_status
            return None if status.running else status

        status = wait_for(ended, f"the end of workload {workload_id}")
        if status.result != 0:
            raise AssertionError(f"workload ended with {status.result}: {status.report}")
        return dict(line.split(" ", 1) for line in status.report.splitlines())


def connect(port, token="", **options):
    """A client that has said hello. Tries again while nothing listens yet."""
    def connected():
        client = None
        try:
            client = Client(port, **options)
            client.hello(token)
            return client
        except (ConnectionError, Closed):
            if client is not None:
                client.close()
            return None

    return wait_for(connected, "a connection")
