# SPDX-License-Identifier: MIT
"""A machine that Python plays. It speaks the DCI and answers as Orrery does, from tables that tests
may change. It can be told to misbehave."""

import socket
import struct
import threading
import time

import dci_pb2 as dci

TIMEBASE_HZ = 512_000_000
BUILD_ID = bytes(range(20))
PACKET_BYTES = 4096
PATIENCE = 300  # seconds: only what hangs takes so long
PACKET_HEADER = struct.Struct(">I16sI7QII")

# Errors of include/orrery/errors.h
E_INVAL, E_NOENT, E_BUSY, E_LIMIT, E_PERM, E_TIMEOUT, E_NOTSUP = -1, -3, -5, -6, -7, -9, -14

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
        uint64 packet_size; uint64 events_discarded; uint64 packet_seq_num; uint64
        events_overwritten; uint32 event_count; uint32 cpu_id; }; };
event { name = "TEST:zero"; id = 65536; stream_id = 0; };
"""


def packet(cpu, sequence, times, discarded=0, overwritten=0, event=1 << 16):
    """Returns a CTF packet of events without data (major 1, minor 0) at these times."""
    events = b"".join(struct.pack(">II", when & 0xffffffff, 1 << 22 | event) for when in times)
    content = PACKET_HEADER.size + len(events)
    header = PACKET_HEADER.pack(
        0xc1fc1fc1, bytes.fromhex("00000000000040008000000000000000"), 0, times[0], times[-1],
        8 * content, 8 * PACKET_BYTES, discarded, sequence, overwritten, len(times), cpu)
    return (header + events).ljust(PACKET_BYTES, b"\0")


def counted(slices, total):
    """Returns a count as a machine tells it, from the slices in which an event was counted: of each
    its time and its count, in the slice event. total: all of the time."""
    measured, count = sum(time for time, _ in slices), sum(count for _, count in slices)
    squares = {"time_squares": sum(time * time for time, _ in slices),
               "count_squares": sum(count * count for _, count in slices),
               "products": sum(time * count for time, count in slices)}
    halves = {name + half: value >> shift & 2**64 - 1 for name, value in squares.items()
              for half, shift in (("", 0), ("_high", 64))}
    scaled = (count * total + measured // 2) // measured if measured else count
    return dci.Count(count=min(scaled, 2**64 - 1), counted=count, measured=measured, total=total,
                     slices=len(slices), error=0 if slices and measured == total else 2**64 - 1,
                     **halves)


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
        self.machine.answered.append(kind)

    def do_hello(self, request):
        machine = self.machine
        if request.hello.version != 2:
            self.refuse(request, E_NOTSUP, "this machine speaks version 2")
            return
        if request.hello.token and request.hello.token not in machine.tokens:
            self.refuse(request, E_PERM, "wrong token")
            return
        self.role = machine.tokens.get(request.hello.token, dci.ROLE_NONE)
        reply = dci.HelloReply(version=2, role=self.role, limits=dci.Limits(
            request_bytes=65536, frame_bytes=1 << 20, queue_bytes=1 << 22, clients=64,
            idle_seconds=10, upload_bytes=1 << 20, chunk_bytes=8192))
        if self.role != dci.ROLE_NONE:
            reply.system.CopyFrom(machine.system)
        self.respond(request, hello=reply)

    def do_system(self, request):
        self.respond(request, system=self.machine.system)

    def do_server_stat(self, request):
        clients = [dci.ClientStat(number=4, role=dci.ROLE_CONTROLLER, self=True, requests=2),
                   dci.ClientStat(number=3, role=dci.ROLE_OBSERVER, stalls=6, dref=True)]
        self.respond(request, more=True, server_stat=dci.ServerStat(
            accepted=4, refused=1, malformed=2, denied=3,
            network=dci.NetworkStat(received_frames=99), clients=clients[:1]))
        self.respond(request, server_stat=dci.ServerStat(clients=clients[1:]))

    def do_power_off(self, request):
        self.respond(request)

    def in_chunks(self, items, size, make, request):
        """Lists come in several responses."""
        for start in range(0, max(len(items), 1), size):
            self.respond(request, more=start + size < len(items), **make(items[start:start + size]))

    def do_processes(self, request):
        self.in_chunks(self.machine.processes, 2, lambda part: {
            "processes": dci.ProcessesReply(time=self.machine.clock(), processes=part)}, request)

    def do_regions(self, request):
        if request.regions.pid not in self.machine.regions:
            self.refuse(request, E_NOENT, "no such process")
            return
        self.in_chunks(self.machine.regions[request.regions.pid], 2, lambda part: {
            "regions": dci.RegionsReply(regions=part)}, request)

    def do_kill(self, request):
        self.respond(request)

    def do_move(self, request):
        self.respond(request)

    def pids_of(self, body):
        if body.scope == dci.SCOPE_KERNEL:
            return [0]
        return [body.pid] if body.scope == dci.SCOPE_PROCESS else [0] \
            + [one.pid for one in self.machine.processes]

    def failure(self, pid):
        if pid not in self.machine.stuck:
            return {}
        return {"failure": dci.ProcessFailure(error=E_TIMEOUT, message="did not answer within 1 s")}

    def do_classes(self, request):
        for pid in self.pids_of(request.classes):
            classes = self.machine.classes if pid == 0 else self.machine.user_classes.get(pid, [])
            for start in range(0, len(classes), 2):
                self.respond(request, more=True, classes=dci.ClassesReply(
                    pid=pid, classes=classes[start:start + 2]))
            if self.failure(pid):
                self.respond(request, more=True,
                             classes=dci.ClassesReply(pid=pid, **self.failure(pid)))
        self.respond(request, classes=dci.ClassesReply())

    def do_objects(self, request):
        for pid in self.pids_of(request.objects):
            classes = self.machine.classes if pid == 0 else self.machine.user_classes.get(pid, [])
            objects = self.machine.objects if pid == 0 else self.machine.user_objects.get(pid, [])
            if self.failure(pid):
                self.respond(request, more=True,
                             objects=dci.ObjectsReply(pid=pid, **self.failure(pid)))
                continue
            if request.objects.classes:
                self.respond(request, more=True, objects=dci.ObjectsReply(pid=pid, classes=classes))
            for start in range(0, len(objects), 3):
                self.respond(request, more=True, objects=dci.ObjectsReply(
                    pid=pid, objects=objects[start:start + 3]))
        self.respond(request, objects=dci.ObjectsReply())

    def do_object_swap(self, request):
        body = request.object_swap
        if body.implementation == "ThreadDistributed":
            self.respond(request)
        else:
            self.refuse(request, E_TIMEOUT, "called off after 100 ms: 1 calls are inside: "
                        "thread 7 in method 3")

    def do_sched(self, request):
        if self.machine.decisions is None:
            self.refuse(request, E_NOENT, "the server sched does not run")
            return
        self.respond(request, sched=dci.SchedReply(
            pid=8, policy="balance", readings=120, decided=len(self.machine.decisions),
            held_back=3, decisions=self.machine.decisions))

    def do_sched_policy(self, request):
        if request.sched_policy.policy == "balance":
            self.respond(request)
        else:
            self.refuse(request, E_NOENT, "there is no such policy")

    def do_sched_pin(self, request):
        self.respond(request)

    def do_dref_enable(self, request):
        self.machine.dref_enabled = request.dref_enable.on
        self.respond(request)

    def do_dref_read(self, request):
        machine = self.machine
        begin, counts = machine.dref_readings[min(machine.dref_reads,
                                                  len(machine.dref_readings) - 1)]
        machine.dref_reads += 1
        for pid in self.pids_of(request.dref_read):
            if self.failure(pid):
                self.respond(request, more=True,
                             dref_read=dci.DrefReadReply(
                                 begin=begin, end=begin, pid=pid, **self.failure(pid)))
        self.in_chunks(counts, 2, lambda part: {
            "dref_read": dci.DrefReadReply(begin=begin, end=begin, counts=part)}, request)

    def do_sampling_join(self, request):
        self.respond(request, sampling_join=dci.SamplingJoinReply())

    def do_sampling_start(self, request):
        machine = self.machine
        machine.sampled = [dci.SampledEvent.FromString(event.SerializeToString()) for event in
                           request.sampling_start.events]
        machine.sampler = self
        self.respond(request, sampling_start=dci.SamplingStartReply(
            session=1, time=machine.sampling_begin))
        for batch in machine.samples:
            self.push(samples=batch)

    def do_sampling_stop(self, request):
        for batch in self.machine.last_samples:
            self.push(samples=batch)
        self.machine.sampler = None
        self.respond(request, sampling_stop=dci.SamplingStatReply(
            session=1, cpus=self.machine.sampling_stats, events=self.machine.sampled,
            time=self.machine.sampling_now))

    def do_sampling_stat(self, request):
        machine = self.machine
        self.respond(request, sampling_stat=dci.SamplingStatReply(
            session=1, cpus=machine.sampling_stats, events=machine.sampled,
            running=machine.sampler is not None))

    def do_sampling_change(self, request):
        """Changes thresholds from the machine's sampling_change_time on. Tells it to whoever
        samples, then pushes machine.samples_after_change."""
        machine, change = self.machine, request.sampling_change
        if machine.sampler is None:
            self.refuse(request, E_NOENT, "nobody samples")
            return
        machine.sampled[change.index].period = change.period
        machine.sampler.push(sampling_changed=dci.SamplingChanged(
            index=change.index, period=change.period, randomise=change.randomise,
            time=machine.sampling_change_time))
        for batch in machine.samples_after_change:
            machine.sampler.push(samples=batch)
        self.respond(request)

    def trace_stat_reply(self):
        return dci.TraceStatReply(mask=self.machine.mask, cpus=self.machine.trace_stats)

    def do_run_open(self, request):
        self.machine.uploaded = b""
        self.machine.typed = b""
        self.respond(request, run_open=dci.RunOpenReply(run=5))

    def do_run_upload(self, request):
        self.machine.uploaded += request.run_upload.data
        self.respond(request)

    def do_run_start(self, request):
        if self.machine.run_error:
            self.refuse(request, self.machine.run_error, "no such program")
            return
        self.respond(request, run_start=dci.RunStartReply(pid=44))
        for data in self.machine.run_output:
            self.push(run_output=dci.RunOutput(run=5, data=data))
        if not self.machine.run_waits_for_input:
            self.push(run_ended=dci.RunEnded(run=5, status=self.machine.run_status))

    def do_run_input(self, request):
        taken = min(len(request.run_input.data), 3)
        self.machine.typed += request.run_input.data[:taken]
        self.respond(request, run_input=dci.RunInputReply(taken=taken))
        if request.run_input.end and taken == len(request.run_input.data):
            self.push(run_output=dci.RunOutput(run=5, data=self.machine.typed.upper()))
            self.push(run_ended=dci.RunEnded(run=5, status=self.machine.run_status))

    def do_console_attach(self, request):
        start = max(self.machine.console_start, getattr(request.console_attach, "from"))
        self.respond(request, console_attach=dci.ConsoleAttachReply(position=start))
        data = self.machine.console[start - self.machine.console_start:]
        self.push(console=dci.ConsoleOutput(position=start, data=data))

    def do_console_detach(self, request):
        self.respond(request)

    def do_console_input(self, request):
        self.machine.typed += request.console_input.data
        self.respond(request, console_input=dci.ConsoleInputReply(taken=len(
            request.console_input.data)))
        end = self.machine.console_start + len(self.machine.console)
        self.push(console=dci.ConsoleOutput(position=end, data=b"typed "
                                            + request.console_input.data))

    def do_pmu_events(self, request):
        self.in_chunks(self.machine.pmu_events, 2, lambda part: {
            "pmu_events": dci.PmuEventsReply(events=part)}, request)

    def do_count_start(self, request):
        self.machine.counted = list(request.count_start.items)
        self.machine.left_out_of_session = set(self.machine.left_out)
        self.machine.count_reads = 0
        self.respond(request, count_start=dci.CountStartReply(session=1, time=TIMEBASE_HZ))

    def count_replies(self, request, body):
        """Returns the next reading, one response a CPU."""
        machine = self.machine
        machine.count_reads += 1
        when = machine.count_time(machine.count_reads)
        for cpu in range(machine.system.cpu_count):
            counts = [machine.count_of(cpu, item, machine.count_reads) for item in machine.counted]
            self.respond(request, more=cpu + 1 < machine.system.cpu_count, **{body: dci.CountReply(
                session=1, time=when, cpu=cpu, counts=counts,
                excluded=sorted(machine.left_out_of_session))})

    def do_count_read(self, request):
        self.count_replies(request, "count_read")

    def do_count_stop(self, request):
        self.count_replies(request, "count_stop")

    def do_count_tasks(self, request):
        """Answers with the tasks of the reading before. Those of a CPU come in two responses; an
        empty one ends them."""
        machine = self.machine
        for cpu in range(machine.system.cpu_count):
            tasks = [machine.task_of(cpu, name, machine.count_reads) for name in machine.tasks]
            for part in (tasks[:1], tasks[1:], []):
                self.respond(request, more=bool(part) or cpu + 1 < machine.system.cpu_count,
                             count_tasks=dci.CountTasksReply(
                    session=1, cpu=cpu, tasks=part))

    def do_count_trace(self, request):
        self.respond(request)

    def do_count_exclude(self, request):
        known = {process.pid for process in self.machine.processes}
        if not set(request.count_exclude.pids) <= known:
            self.refuse(request, E_NOENT, "no such process")
            return
        self.machine.left_out = list(request.count_exclude.pids)
        self.respond(request)

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
        text = self.machine.metadata.encode()
        for start in range(0, len(text), 500):
            self.respond(request, more=True,
                         trace_metadata=dci.TraceMetadataReply(text=text[start:start + 500]))
        self.respond(request, trace_metadata=dci.TraceMetadataReply())  # the last one may be empty

    def push_packet(self, cpu, data):
        pid = PACKET_HEADER.unpack_from(data)[8] >> 32 if len(data) >= PACKET_HEADER.size else 0
        self.push(packet=dci.TracePacket(cpu=cpu, data=data, pid=pid))

    def do_trace_subscribe(self, request):
        self.respond(request)
        for cpu, data in self.machine.packets:
            self.push_packet(cpu, data)

    def do_trace_join(self, request):
        self.respond(request, trace_join=dci.TraceJoinReply())

    def do_trace_leave(self, request):
        self.respond(request)

    def do_trace_unsubscribe(self, request):
        for cpu, data in self.machine.last_packets:
            self.push_packet(cpu, data)
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

    def do_workload_runs(self, request):
        self.respond(request, workload_runs=dci.WorkloadRunsReply(runs=self.machine.workload_runs))

    def do_workload_stop(self, request):
        self.machine.workload_stopped = True
        self.respond(request)

    def do_workload_status(self, request):
        machine = self.machine
        machine.workload_polls += 1
        running = machine.workload_polls <= machine.workload_duration \
            and not machine.workload_stopped
        self.respond(request, workload_status=dci.WorkloadStatusReply(
            running=running, result=0 if running else machine.workload_result,
            report=machine.workload_report))

    def own_monitor(self, number):
        """Returns a monitor that this client may use."""
        monitor = self.machine.monitors.get(number)
        return monitor if monitor is not None and monitor.session in (None, self) else None

    def do_monitor_create(self, request):
        machine, body = self.machine, request.monitor_create
        if body.kept and self.role != dci.ROLE_CONTROLLER:
            self.refuse(request, E_PERM, "only a controller may have a monitor kept")
            return
        number = max(machine.monitors, default=0) + 1
        machine.monitors[number] = Monitor(None if body.kept else self, body.bytes or 65536,
                                           machine.system.cpu_count,
                                           (machine.monitor_cost, machine.monitor_cost_fast))
        self.respond(request, monitor_create=dci.MonitorCreateReply(monitor=number,
                                                                    bytes=body.bytes or 65536))

    def do_monitor_track(self, request):
        monitor, body = self.own_monitor(request.monitor_track.monitor), request.monitor_track
        if monitor is None or body.pid not in {0, *(one.pid for one in self.machine.processes)}:
            self.refuse(request, E_NOENT, "no such process or thread")
            return
        monitor.tracks[body.pid, body.thread] = dci.MonitorTrack(
            pid=body.pid, thread=body.thread, id=body.id, kinds=body.kinds)
        self.respond(request)

    def do_monitor_run(self, request):
        monitor = self.own_monitor(request.monitor_run.monitor)
        monitor.running = request.monitor_run.on
        self.respond(request, monitor_run=dci.MonitorRunReply(
            time=self.machine.monitored[0 if monitor.running else 1]))
        if not monitor.running:
            monitor.fill(self.machine.last_records)

    def do_monitor_read(self, request):
        """Answers with the records of a CPU in two responses. Between them stands what was lost."""
        monitor, machine = self.own_monitor(request.monitor_read.monitor), self.machine
        monitor.fill(machine.records)
        machine.records = {}
        for cpu, records in enumerate(monitor.unread):
            half = len(records) // 2
            for part, last in ((records[:half], False), (records[half:], True)):
                unread = len(records) - half if not last else 0
                self.respond(request, more=not last or cpu + 1 < len(monitor.unread),
                             monitor_read=dci.MonitorReadReply(
                    cpu=cpu, records=part, stat=monitor.stat(cpu, unread)))
            monitor.unread[cpu] = []

    def do_monitor_stop(self, request):
        if self.own_monitor(request.monitor_stop.monitor) is None:
            self.refuse(request, E_NOENT, "no monitor that this client may use")
            return
        del self.machine.monitors[request.monitor_stop.monitor]
        self.respond(request)

    def do_monitors(self, request):
        seen = [dci.Monitor(monitor=number, kept=one.session is None, running=one.running,
                            bytes=one.bytes, tracks=one.tracks.values(),
                            cpus=[one.stat(cpu, len(unread))
                                  for cpu, unread in enumerate(one.unread)])
                for number, one in self.machine.monitors.items()
                if one.session in (None, self)]
        self.in_chunks(seen, 1, lambda part: {"monitors": dci.MonitorsReply(monitors=part)},
                       request)


class Monitor:
    """A monitor of the client's session. A session of None: a kept one."""

    def __init__(self, session, size, cpus, cost):
        self.session, self.bytes, self.running, self.tracks = session, size, False, {}
        self.cost, self.cost_fast = cost
        self.unread = [[] for _ in range(cpus)]
        self.fired, self.lost = [0] * cpus, [0] * cpus

    def fill(self, records):
        """Adds {CPU: (its records, how many were lost behind them)}."""
        for cpu, (more, lost) in records.items():
            self.unread[cpu] += more
            self.lost[cpu] += lost + sum(record.lost for record in more)
            self.fired[cpu] += len(more) + lost + sum(record.lost for record in more)

    def stat(self, cpu, unread):
        return dci.MonitorStat(fired=self.fired[cpu], lost=self.lost[cpu], unread=unread,
                               cost=self.cost, cost_fast=self.cost_fast)


class Machine:
    """Listens on a free port of this host. Serves any number of clients."""

    CONTROL = {"power_off", "dref_enable", "object_swap", "sampling_start", "sampling_stop",
               "sampling_change", "count_start", "count_stop", "count_exclude", "count_trace",
               "trace_set", "trace_subscribe", "trace_unsubscribe", "workload_start",
               "workload_stop", "kill", "move", "run_open", "run_upload",
               "run_start", "run_input", "console_input", "sched_policy", "sched_pin"}

    def __init__(self):
        self.requests, self.answered, self.sessions = [], [], []
        # kind of request: function(session, request) that answers in place of us
        self.misbehaviour = {}
        self.metadata = METADATA
        self.decisions = None  # SchedDecision; None: no scheduler runs
        self.errors = {}  # kind of request: (error, message)
        self.host = "127.0.0.1"
        self.tokens = {"orrery": dci.ROLE_CONTROLLER, "look": dci.ROLE_OBSERVER}
        self.system = dci.SystemInfo(
            cpu_count=2, timebase_hz=TIMEBASE_HZ, boot_time=0, time=3 * TIMEBASE_HZ,
            memory_bytes=512 << 20, free_bytes=500 << 20, build_id=BUILD_ID,
            version="Orrery 0.1 test")
        self.clock = lambda: 9 * TIMEBASE_HZ  # that the answer about processes tells
        self.classes = [
            dci.ObjectClass(class_id=1, name="Kernel", implementation="KernelRoot", size=64,
                            live=1),
            dci.ObjectClass(class_id=2, name="PageAllocator", implementation="PageAllocatorDist",
                            size=256, distributed=True, live=1),
            dci.ObjectClass(class_id=3, name="Thread", implementation="ThreadShared", size=128,
                            live=3),
        ]
        self.objects = [
            dci.Object(coid=0x1000, class_id=1, rep_count=1, misses=2,
                       children=[0x1010, 0x1020, 0x1030]),
            dci.Object(coid=0x1010, class_id=2, rep_count=2, misses=2, children=[0x1030]),
            dci.Object(coid=0x1020, class_id=3, rep_count=1, misses=1),
            dci.Object(coid=0x1030, class_id=3, rep_count=1, misses=1),
            dci.Object(coid=0x1040, class_id=3, rep_count=1, misses=1),
        ]
        self.processes, self.user_classes, self.user_objects, self.regions = [], {}, {}, {}
        self.stuck = set()
        self.uploaded, self.typed = b"", b""
        self.run_output, self.run_error = [b"hello\n"], 0
        self.run_status, self.run_waits_for_input = 0, False
        self.console, self.console_start = b"Orrery\n# ", 0
        self.dref_enabled = None
        self.dref_reads = 0
        self.dref_readings = [(TIMEBASE_HZ, [])]
        self.samples, self.last_samples, self.sampling_stats = [], [], []
        self.sampled, self.sampler, self.samples_after_change = [], None, []
        self.sampling_begin, self.sampling_change_time, self.sampling_now = 0, 0, 0
        # numbers that are not their places in the list
        self.pmu_events = [
            dci.PmuEventInfo(event=10 + index, name=name, unit="model", meaning=f"what {name} is",
                             modelled=modelled, counters=counters)
            for index, (name, modelled, counters) in enumerate([
                ("instructions", False, 0xff), ("cycles", True, 0x0f), ("larx", False, 0x30),
                ("stcx", False, 0x60),
                ("stcx-failed", False, 0x60), ("branches", False, 0x03),
                ("mispredicted", True, 0x04),
                ("itlb-miss", True, 0x08), ("dtlb-miss", True, 0x08)])]
        self.pmu_events.append(dci.PmuEventInfo(event=3, name="run-cycles", unit="driver",
                                                counters=0x100))
        # (CPU, item of the request, number of the reading from 1): its count since the start
        self.count_of = lambda cpu, item, reading: counted(
            [(100, item.event * 1000 * (cpu + 1))] * reading, 100 * reading)
        self.counted, self.count_reads = [], 0
        self.count_time = lambda reading: (1 + 2 * reading) * TIMEBASE_HZ
        self.left_out, self.left_out_of_session = [], set()
        # name: (pid, thread, flags, instructions and all else a reading and CPU)
        self.tasks = {}
        self.mask = 0
        self.events = [
            dci.TraceEvent(major=1, minor=0, name="TEST:zero", format="", field_count=0),
            dci.TraceEvent(major=3, minor=0, name="SCHED:switch", format="from=%lu to=%lu",
                           field_count=2),
            dci.TraceEvent(major=3, minor=1, name="SCHED:wake", format="thread=%lu", field_count=1),
        ]
        self.trace_stats, self.packets, self.last_packets = [], [], []
        # of monitors: records by CPU (Monitor.fill) of the next reading, and of those from when one
        # was suspended; when they were resumed and suspended
        self.monitors, self.records, self.last_records = {}, {}, {}
        self.monitored = TIMEBASE_HZ, 2 * TIMEBASE_HZ
        self.monitor_cost = self.monitor_cost_fast = 640  # ticks of 64 records
        self.workloads = [dci.Workload(name="demo", help="work=1-2-4, seconds=0"),
                          dci.Workload(name="idle", help="seconds=0")]
        self.workload_duration, self.workload_result, self.workload_report = 1, 0, \
            "calls 70\nmode fast\n"
        self.workload_polls, self.workload_stopped = 0, False
        self.workload_runs = []  # WorkloadRun, whoever started them
        self.port = 0  # any
        self.skipped = 0  # seconds that its clock has leapt, when it runs

    def __enter__(self):
        self.listener = socket.create_server(
            (self.host, self.port),
            family=socket.AF_INET6 if ":" in self.host else socket.AF_INET)
        self.port = self.listener.getsockname()[1]
        self.server = threading.Thread(target=self.serve, daemon=True)
        self.server.start()
        return self

    def __exit__(self, *exception):
        # The thread must have left accept() before the descriptor's number is used again, or it
        # would serve the clients of the next machine.
        if self.listener.fileno() >= 0:
            self.listener.shutdown(socket.SHUT_RDWR)
            self.server.join()
        self.listener.close()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            session = Session(self, connection)
            self.sessions.append(session)
            session.start()

    def task_of(self, cpu, name, reading):
        """Returns a task of the table with the same count of every event."""
        pid, thread, flags, count = self.tasks[name]
        return dci.CountTask(pid=pid, thread=thread, flags=flags, name=name, counts=[
            counted([(10, count * (cpu + 1))] * reading, 10 * reading) for _ in self.counted])

    def let_run(self):
        """Lets the clock run from now on. Sampling began now."""
        begin, first = time.monotonic(), 9 * TIMEBASE_HZ
        self.clock = lambda: first + int((time.monotonic() - begin + self.skipped) * TIMEBASE_HZ)
        self.sampling_begin = first

        def greet(session, request):
            self.system.time = self.clock()
            session.do_hello(request)

        self.misbehaviour["hello"] = greet

    def push_samples(self, coid, count):
        """Pushes so many samples of an object, taken now, to whoever samples."""
        session, end = None, time.monotonic() + PATIENCE
        while (session := self.sampler) is None:
            assert time.monotonic() < end, "nobody samples"
            time.sleep(0.01)
        session.push(samples=dci.Samples(cpu=0, samples=[
            dci.Sample(time=self.clock(), coid=coid, pc=0x100, thread=3,
                       flags=dci.SAMPLE_KERNEL | dci.SAMPLE_ATTRIBUTED)
            for _ in range(count)]))

    def kill(self):
        """Ends as a killed emulator does. `with` starts it again."""
        self.__exit__()
        self.drop_all()
        self.sampler = None

    def drop_all(self):
        """Ends all connections, as a server that dies does."""
        for session in self.sessions:
            try:
                session.connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.sessions = []

    def asked(self, kind):
        """Returns the requests of a kind, in order."""
        return [getattr(request, kind) for request in self.requests
                if request.WhichOneof("body") == kind]

    def add_processes(self):
        """Adds two processes, with objects in the kernel and objects of their own."""
        self.processes = [
            dci.Process(pid=1, parent=0, state=1, object=0x2000, name="init", cpu_ticks=TIMEBASE_HZ,
                        dispatchers=1, memory_pages=100, faults=7),
            dci.Process(pid=7, parent=1, state=1, object=0x2010, name="shell",
                        cpu_ticks=2 * TIMEBASE_HZ, start_time=5 * TIMEBASE_HZ, dispatchers=3,
                        memory_pages=2000, faults=70),
        ]
        self.classes += [dci.ObjectClass(class_id=8, name="Process", implementation="ProcessShared",
                                         live=2),
                         dci.ObjectClass(class_id=9, name="Region", implementation="RegionDefault",
                                         live=2)]
        self.objects[0].children.append(0x1050)
        self.objects += [
            dci.Object(coid=0x1050, class_id=3, children=[0x2000, 0x2010]),
            dci.Object(coid=0x2000, class_id=8, children=[0x2020]),
            dci.Object(coid=0x2010, class_id=8, children=[0x2030]),
            dci.Object(coid=0x2020, class_id=9), dci.Object(coid=0x2030, class_id=9)]
        for process in self.processes:
            self.user_classes[process.pid] = [dci.ObjectClass(
                class_id=1, name="Job", implementation="JobShared")]
        self.user_objects = {7: [dci.Object(coid=0x1000, class_id=1, children=[0x1010]),
                                 dci.Object(coid=0x1010, class_id=1)]}
        self.regions[7] = [dci.Region(address=0x10000000, bytes=0x3000, kind=5, protection=5,
                                      resident_pages=2, object=0x2030, memory=0x2040,
                                      name="bin/shell")]

    def wait_for(self, kind, times=1):
        """Waits until so many requests of this kind were answered, and all that their answers push
        was sent."""
        end = time.monotonic() + PATIENCE
        while self.answered.count(kind) < times:
            if time.monotonic() > end:
                raise TimeoutError(f"kov was not answered {kind}, {times} times")
            time.sleep(0.01)


def sampling_stat(machine, cpu, index=0):
    """Returns what the machine counted of an event on a CPU. A test may change it."""
    for stat in machine.sampling_stats:
        if (stat.cpu, stat.index) == (cpu, index):
            return stat
    machine.sampling_stats.append(dci.SamplingStat(cpu=cpu, index=index))
    return machine.sampling_stats[-1]


def add_samples(machine, counts, cpu=0, lost=0, index=0, **fields):
    """Adds samples of one event on one CPU, which are pushed when sampling starts. `counts`:
    {(coid, pc): how many}."""
    fields = {"flags": dci.SAMPLE_KERNEL | dci.SAMPLE_ATTRIBUTED, "thread": 3,
              "event": dci.PMU_EVENT_CYCLES, **fields}
    batch = dci.Samples(cpu=cpu, lost=lost, index=index)
    for (coid, pc), count in counts.items():
        for _ in range(count):
            batch.samples.append(dci.Sample(time=len(batch.samples), coid=coid, pc=pc, **fields))
    machine.samples.append(batch)
    for known in range(cpu + 1):
        sampling_stat(machine, known, index)
    stat = sampling_stat(machine, cpu, index)
    stat.taken += len(batch.samples)
    stat.lost = lost
