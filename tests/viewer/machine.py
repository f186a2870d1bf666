# SPDX-License-Identifier: MIT
"""A machine that speaks the DCI, played by Python: answers as Orrery does, from tables that tests may change, and
can be told to misbehave."""

import socket
import struct
import threading
import time

import dci_pb2 as dci

TIMEBASE_HZ = 512_000_000
BUILD_ID = bytes(range(20))
PACKET_BYTES = 4096
PACKET_HEADER = struct.Struct(">I16sI7QII")

# Errors of include/orrery/errors.h
E_INVAL, E_NOENT, E_BUSY, E_PERM, E_NOTSUP = -1, -3, -5, -7, -14

METADATA = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8;
typealias integer { size = 32; align = 8; signed = false; } := uint32;
typealias integer { size = 64; align = 8; signed = false; } := uint64;
trace { major = 1; minor = 8; byte_order = be; uuid = "00000000-0000-4000-8000-000000000000";
    packet.header := struct { uint32 magic; uint8 uuid[16]; uint32 stream_id; }; };
clock { name = timebase; freq = 512000000; };
typealias integer { size = 32; align = 8; signed = false; map = clock.timebase.value; } := time32;
typealias integer { size = 64; align = 8; signed = false; map = clock.timebase.value; } := time64;
typealias integer { size = 10; align = 1; signed = false; } := uint10;
typealias integer { size = 22; align = 1; signed = false; } := uint22;
stream { id = 0; event.header := struct { time32 timestamp; uint10 length; uint22 id; };
    packet.context := struct { time64 timestamp_begin; time64 timestamp_end; uint64 content_size;
        uint64 packet_size; uint64 events_discarded; uint64 packet_seq_num; uint64 events_overwritten;
        uint32 event_count; uint32 cpu_id; }; };
event { name = "TEST:zero"; id = 65536; stream_id = 0; };
"""


def packet(cpu, sequence, times, discarded=0, overwritten=0):
    """A CTF packet of events without data (major 1, minor 0) at these times."""
    events = b"".join(struct.pack(">II", when & 0xffffffff, 1 << 22 | 1 << 16) for when in times)
    content = PACKET_HEADER.size + len(events)
    header = PACKET_HEADER.pack(
        0xc1fc1fc1, bytes.fromhex("00000000000040008000000000000000"), 0, times[0], times[-1], 8 * content,
        8 * PACKET_BYTES, discarded, sequence, overwritten, len(times), cpu)
    return (header + events).ljust(PACKET_BYTES, b"\0")


class Session(threading.Thread):
    """One client's connection."""

    def __init__(self, machine, connection):
        super().__init__(daemon=True)
        self.machine = machine
        self.connection = connection
        self.role = dci.ROLE_NONE

    def run(self):
        try:
            while True:
                length = self.receive(4)
                self.answer(dci.Request.FromString(self.receive(struct.unpack(">I", length)[0])))
        except (OSError, EOFError):
            pass
        finally:
            self.connection.close()

    def receive(self, size):
        data = b""
        while len(data) < size:
            more = self.connection.recv(size - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def send_bytes(self, data):
        self.connection.sendall(data)

    def send(self, frame):
        payload = frame.SerializeToString()
        self.send_bytes(struct.pack(">I", len(payload)) + payload)

    def respond(self, request, more=False, **fields):
        self.send(dci.ServerFrame(response=dci.Response(id=request.id, more=more, **fields)))

    def refuse(self, request, error, message):
        self.respond(request, error=error, message=message)

    def push(self, **body):
        self.send(dci.ServerFrame(event=dci.Event(**body)))

    def answer(self, request):
        kind = request.WhichOneof("body")
        self.machine.requests.append(request)
        if kind in self.machine.misbehaviour:
            self.machine.misbehaviour[kind](self, request)
        elif kind in self.machine.errors:
            self.refuse(request, *self.machine.errors[kind])
        elif kind != "hello" and self.role == dci.ROLE_NONE:
            self.refuse(request, E_PERM, "say hello with a token first")
        elif kind in self.machine.CONTROL and self.role != dci.ROLE_CONTROLLER:
            self.refuse(request, E_PERM, "only a controller may do this")
        else:
            getattr(self, "do_" + kind)(request)

    def do_hello(self, request):
        machine = self.machine
        if request.hello.version != 1:
            self.refuse(request, E_NOTSUP, "this machine speaks version 1")
            return
        if request.hello.token and request.hello.token not in machine.tokens:
            self.refuse(request, E_PERM, "wrong token")
            return
        self.role = machine.tokens.get(request.hello.token, dci.ROLE_NONE)
        reply = dci.HelloReply(version=1, role=self.role, limits=dci.Limits(
            request_bytes=65536, frame_bytes=1 << 20, queue_bytes=1 << 22, clients=64, idle_seconds=10))
        if self.role != dci.ROLE_NONE:
            reply.system.CopyFrom(machine.system)
        self.respond(request, hello=reply)

    def do_system(self, request):
        self.respond(request, system=self.machine.system)

    def do_server_stat(self, request):
        clients = [dci.ClientStat(number=4, role=dci.ROLE_CONTROLLER, self=True, requests=2),
                   dci.ClientStat(number=3, role=dci.ROLE_OBSERVER, stalls=6, dref=True)]
        self.respond(request, more=True, server_stat=dci.ServerStat(
            accepted=4, refused=1, malformed=2, denied=3, network=dci.NetworkStat(received_frames=99),
            clients=clients[:1]))
        self.respond(request, server_stat=dci.ServerStat(clients=clients[1:]))

    def do_power_off(self, request):
        self.respond(request)

    def in_chunks(self, items, size, make, request):
        """Lists come in several responses."""
        for start in range(0, max(len(items), 1), size):
            self.respond(request, more=start + size < len(items), **make(items[start:start + size]))

    def do_classes(self, request):
        self.in_chunks(self.machine.classes, 2, lambda part: {"classes": dci.ClassesReply(classes=part)}, request)

    def do_objects(self, request):
        self.in_chunks(self.machine.objects, 3, lambda part: {"objects": dci.ObjectsReply(objects=part)}, request)

    def do_dref_enable(self, request):
        self.machine.dref_enabled = request.dref_enable.on
        self.respond(request)

    def do_dref_read(self, request):
        machine = self.machine
        begin, counts = machine.dref_readings[min(machine.dref_reads, len(machine.dref_readings) - 1)]
        machine.dref_reads += 1
        self.in_chunks(counts, 2, lambda part: {
            "dref_read": dci.DrefReadReply(begin=begin, end=begin, counts=part)}, request)

    def do_sampling_start(self, request):
        self.respond(request, sampling_start=dci.SamplingStartReply(session=1))
        for batch in self.machine.samples:
            self.push(samples=batch)

    def do_sampling_stop(self, request):
        for batch in self.machine.last_samples:
            self.push(samples=batch)
        self.respond(request, sampling_stop=dci.SamplingStatReply(session=1, cpus=self.machine.sampling_stats))

    def trace_stat_reply(self):
        return dci.TraceStatReply(mask=self.machine.mask, cpus=self.machine.trace_stats)

    def do_trace_stat(self, request):
        self.respond(request, trace_stat=self.trace_stat_reply())

    def do_trace_set(self, request):
        if request.trace_set.set_mask:
            self.machine.mask = request.trace_set.mask
        self.respond(request)

    def do_trace_events(self, request):
        self.in_chunks(self.machine.events, 2, lambda part: {
            "trace_events": dci.TraceEventsReply(events=part)}, request)

    def do_trace_metadata(self, request):
        text = METADATA.encode()
        for start in range(0, len(text), 500):
            self.respond(request, more=True, trace_metadata=dci.TraceMetadataReply(text=text[start:start + 500]))
        self.respond(request, trace_metadata=dci.TraceMetadataReply())  # the last one may be empty

    def do_trace_subscribe(self, request):
        self.respond(request)
        for cpu, data in self.machine.packets:
            self.push(packet=dci.TracePacket(cpu=cpu, data=data))

    def do_trace_unsubscribe(self, request):
        for cpu, data in self.machine.last_packets:
            self.push(packet=dci.TracePacket(cpu=cpu, data=data))
        self.respond(request, trace_unsubscribe=self.trace_stat_reply())

    def do_workloads(self, request):
        self.in_chunks(self.machine.workloads, 1, lambda part: {
            "workloads": dci.WorkloadsReply(workloads=part)}, request)

    def do_workload_start(self, request):
        command = request.workload_start.command
        if command.split(":")[0] not in [workload.name for workload in self.machine.workloads]:
            self.refuse(request, E_NOENT, "no workload of this name")
            return
        self.machine.workload_polls = 0
        self.machine.workload_stopped = False
        self.respond(request, workload_start=dci.WorkloadStartReply(id=7))

    def do_workload_stop(self, request):
        self.machine.workload_stopped = True
        self.respond(request)

    def do_workload_status(self, request):
        machine = self.machine
        machine.workload_polls += 1
        running = machine.workload_polls <= machine.workload_duration and not machine.workload_stopped
        self.respond(request, workload_status=dci.WorkloadStatusReply(
            running=running, result=0 if running else machine.workload_result, report=machine.workload_report))


class Machine:
    """Listens on a free port of this host, and serves any number of clients."""

    CONTROL = {"power_off", "dref_enable", "sampling_start", "sampling_stop", "trace_set", "trace_subscribe",
               "trace_unsubscribe", "workload_start", "workload_stop"}

    def __init__(self):
        self.requests = []
        self.misbehaviour = {}  # kind of request: function(session, request) that answers in place of us
        self.errors = {}  # kind of request: (error, message)
        self.tokens = {"orrery": dci.ROLE_CONTROLLER, "look": dci.ROLE_OBSERVER}
        self.system = dci.SystemInfo(
            cpu_count=2, timebase_hz=TIMEBASE_HZ, boot_time=0, time=3 * TIMEBASE_HZ, memory_bytes=512 << 20,
            free_bytes=500 << 20, build_id=BUILD_ID, version="Orrery 0.1 test")
        self.classes = [
            dci.ObjectClass(class_id=1, name="Kernel", implementation="KernelRoot", size=64, live=1),
            dci.ObjectClass(class_id=2, name="PageAllocator", implementation="PageAllocatorDist", size=256,
                            distributed=True, live=1),
            dci.ObjectClass(class_id=3, name="Thread", implementation="ThreadShared", size=128, live=3),
        ]
        self.objects = [
            dci.Object(coid=0x1000, class_id=1, rep_count=1, misses=2, children=[0x1010, 0x1020, 0x1030]),
            dci.Object(coid=0x1010, class_id=2, rep_count=2, misses=2, children=[0x1030]),
            dci.Object(coid=0x1020, class_id=3, rep_count=1, misses=1),
            dci.Object(coid=0x1030, class_id=3, rep_count=1, misses=1),
            dci.Object(coid=0x1040, class_id=3, rep_count=1, misses=1),
        ]
        self.dref_enabled = None
        self.dref_reads = 0
        self.dref_readings = [(TIMEBASE_HZ, [])]
        self.samples, self.last_samples, self.sampling_stats = [], [], []
        self.mask = 0
        self.events = [
            dci.TraceEvent(major=1, minor=0, name="TEST:zero", format="", field_count=0),
            dci.TraceEvent(major=3, minor=0, name="SCHED:switch", format="from=%lu to=%lu", field_count=2),
            dci.TraceEvent(major=3, minor=1, name="SCHED:wake", format="thread=%lu", field_count=1),
        ]
        self.trace_stats, self.packets, self.last_packets = [], [], []
        self.workloads = [dci.Workload(name="demo", help="work=1-2-4, seconds=0"),
                          dci.Workload(name="idle", help="seconds=0")]
        self.workload_duration, self.workload_result, self.workload_report = 1, 0, "calls 70\nmode fast\n"
        self.workload_polls, self.workload_stopped = 0, False

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *exception):
        self.listener.close()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            Session(self, connection).start()

    def asked(self, kind):
        """The requests of a kind, in order."""
        return [getattr(request, kind) for request in self.requests if request.WhichOneof("body") == kind]

    def wait_for(self, kind, seconds=5):
        end = time.monotonic() + seconds
        while not self.asked(kind):
            if time.monotonic() > end:
                raise TimeoutError(f"kov did not ask for {kind}")
            time.sleep(0.01)


def add_samples(machine, counts, cpu=0, lost=0, **fields):
    """Samples to be pushed on the start of sampling, on one CPU; counts: {(coid, pc): how many}."""
    fields = {"flags": dci.SAMPLE_KERNEL | dci.SAMPLE_ATTRIBUTED, "thread": 3, "event": dci.PMU_EVENT_CYCLES, **fields}
    batch = dci.Samples(cpu=cpu, lost=lost)
    for (coid, pc), count in counts.items():
        for _ in range(count):
            batch.samples.append(dci.Sample(time=len(batch.samples), coid=coid, pc=pc, **fields))
    machine.samples.append(batch)
    while len(machine.sampling_stats) <= cpu:
        machine.sampling_stats.append(dci.SamplingStat(cpu=len(machine.sampling_stats)))
    machine.sampling_stats[cpu].taken += len(batch.samples)
    machine.sampling_stats[cpu].lost = lost
