# SPDX-License-Identifier: MIT
"""Sampling and trace that several clients share: what each gets and misses adds up to what the
owner gets; kov beside a client that yields."""

import collections
import threading

import pytest

import dci_client as dci
from dci_client import pb
from machine import CONTROLLER, OBSERVER
from waiting import wait_for

E_NOENT, E_BUSY, E_EXIST = -3, -5, -11
TRACE_TEST = 1 << 1  # major TEST: events that only workloads log
OFTEN, RARELY = 20000, 400000  # cycles between two samples


def sampling(period=OFTEN, **options):
    events = [pb.SampledEvent(event=pb.PMU_EVENT_CYCLES, period=period)]
    return {"sampling_start": pb.SamplingStartRequest(events=events, callers=16, **options)}


def tracing(**options):
    return {"trace_subscribe": pb.TraceSubscribeRequest(
        mode=pb.TRACE_MODE_DISCARD, set_mask=True, mask=TRACE_TEST, **options)}


def sites_of(batch, sample):
    """The sites where a sample counts, as dci.proto says of SampleSumKind."""
    stream = (batch.index, batch.cpu)
    if sample.flags & pb.SAMPLE_IDLE:
        return [(*stream, pb.SUM_ALL, 0, 0), (*stream, pb.SUM_IDLE, 0, 0)]
    kind, coid = pb.SUM_NONE, 0
    if sample.flags & pb.SAMPLE_STALE:
        kind = pb.SUM_STALE
    elif sample.flags & pb.SAMPLE_ATTRIBUTED:
        kind, coid = pb.SUM_OBJECT, sample.coid
    space = 0 if sample.flags & pb.SAMPLE_KERNEL else sample.pid
    return [(*stream, pb.SUM_ALL, 0, 0), (*stream, pb.SUM_PROCESS, sample.pid, 0),
            (*stream, kind, space, coid)]


def stack_of(batch, sample):
    """The stack where a sample counts; none of the idle loop."""
    if sample.flags & pb.SAMPLE_IDLE:
        return []
    *_, (index, cpu, kind, _, coid) = sites_of(batch, sample)
    return [(index, cpu, sample.pid, bool(sample.flags & pb.SAMPLE_KERNEL), kind, coid, sample.pc,
             tuple(sample.callers))]


class Watcher:
    """A client that counts, session by session, what it is pushed; `sessions` has the ended
    ones."""

    def __init__(self, port, token=OBSERVER, **options):
        self.client = dci.connect(port, token, **options)
        self.sessions = []
        self.failed = 0
        self.ended_sites = self.ended_stacks = None
        self._begin(None)

    def _begin(self, began):
        self.began, self.got, self.sites = began, collections.Counter(), collections.Counter()
        self.stacks, self.frames = collections.Counter(), {}
        self.missed = pb.Share()
        self.stats = []

    def _end(self, ended):
        if ended.reason == pb.SHARING_END_FAILED:
            self.failed += 1
            return
        self.stats.append(ended.stat)
        if getattr(ended, "more", False):
            return
        self.sessions.append((self.began, self.got, self.stats, ended))
        self.ended_sites, self.ended_stacks = self.sites, self.stacks
        self._begin(None)

    def take(self, event):
        kind = event.WhichOneof("body")
        if kind in ("sampling_began", "trace_began"):
            assert self.began is None
            self._begin(getattr(event, kind))
        elif kind == "samples":
            self.got["all"] += len(event.samples.samples)
            for sample in event.samples.samples:
                self.sites.update(sites_of(event.samples, sample))
                self.stacks.update(stack_of(event.samples, sample))
        elif kind == "sample_sums":
            for one in event.sample_sums.sums:
                self.got["all"] += one.samples if one.kind == pb.SUM_ALL else 0
                self.sites[one.index, one.cpu, one.kind, one.pid, one.coid] += one.samples
        elif kind == "sample_stacks":
            table = event.sample_stacks.table
            for one in event.sample_stacks.stacks:
                self.frames[table, one.number] = (
                    one.pid, one.kernel, one.kind, one.coid, one.pc, tuple(one.callers))
            for one in event.sample_stacks.sums:
                assert one.kind == pb.SUM_STACK
                self.stacks[one.index, one.cpu, *self.frames[table, one.stack]] += one.samples
        elif kind == "packet":
            self.got["all"] += 1
            self.got[event.packet.pid, event.packet.cpu] += 1
        elif kind in ("sampling_missed", "trace_missed"):
            self.missed = getattr(event, kind)
            assert self.missed.given == self.got["all"]
        elif kind in ("sampling_ended", "trace_ended"):
            self._end(getattr(event, kind))

    def take_kept(self):
        for event in self.client.events:
            self.take(event)
        self.client.events.clear()

    def ask(self, **body):
        """The responses to a request; what came before them is taken."""
        responses = list(self.client.responses(self.client.send(**body)))
        self.take_kept()
        return responses

    def take_until_ended(self, sessions=1):
        self.take_kept()
        while len(self.sessions) < sessions:
            self.take(self.client.next_event())
        return self.sessions[sessions - 1]

    def join(self, *kinds):
        if "trace" not in kinds:
            self.ask(sampling_join=pb.SamplingJoinRequest())
        if "sampling" not in kinds:
            self.ask(trace_join=pb.TraceJoinRequest())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.close()


class Reader(Watcher):
    """One that reads all the time, until so many sessions have ended."""

    def __init__(self, port, sessions, **options):
        super().__init__(port, **options)
        self.wanted = sessions
        self.thread = threading.Thread(target=self.take_until_ended, args=(sessions,))

    def read(self):
        self.thread.start()

    def finish(self):
        self.thread.join()
        assert len(self.sessions) >= self.wanted
        return self.sessions[self.wanted - 1]


def check_share(session, pushed):
    """What a member was given and missed since it joined is what the owner was pushed since
    then."""
    began, got, _, ended = session
    assert ended.pushed == pushed
    assert ended.share.given == got["all"]
    assert began.pushed + ended.share.given + ended.share.missed == pushed


def test_members_of_sampling_get_what_the_owner_gets(machine2):
    port = machine2.port
    with Watcher(port, CONTROLLER) as owner, Reader(port, 1) as early, Reader(port, 1) as late, \
            Watcher(port, receive_buffer=4096) as lazy:
        early.join()
        lazy.join()
        early.read()
        owner.ask(**sampling())
        with lazy.client.reading_slowly(lazy.take):
            owner.client.run_workload("demo:seconds=1")
            late.join()
            late.read()
            owner.client.run_workload("demo:seconds=1")
        (end,) = owner.ask(sampling_stop=pb.SamplingStopRequest())
        pushed = sum(cpu.taken - cpu.filtered for cpu in end.sampling_stop.cpus)
        assert pushed == owner.got["all"] > 0
        for session in (early.finish(), late.finish(), lazy.take_until_ended()):
            check_share(session, pushed)
            assert list(session[2][0].cpus) == list(end.sampling_stop.cpus)
        assert early.sessions[0][0].pushed == 0 < late.sessions[0][0].pushed
        assert not owner.sessions  # it knows by its answer


def test_sums_are_those_of_the_samples(machine2):
    """The same load, seen by one that gets sums and by one that gets every sample: the same at
    every site and stack, to the sample, whether the owner is the one or the other. Samples are
    so few that the server can keep them all for who reads late, as on a busy host."""
    port = machine2.port
    for sums in (True, False):
        with Watcher(port, CONTROLLER) as owner, Reader(port, 1) as samples, \
                Reader(port, 1) as summed:
            samples.join("sampling")
            summed.ask(sampling_join=pb.SamplingJoinRequest(sums=True, stacks=True))
            samples.read()
            summed.read()
            owner.ask(**sampling(RARELY, sums=sums, stacks=sums))
            owner.client.run_workload("demo:seconds=2")
            (end,) = owner.ask(sampling_stop=pb.SamplingStopRequest())
            pushed = sum(cpu.taken - cpu.filtered for cpu in end.sampling_stop.cpus)
            for session in (samples.finish(), summed.finish()):
                check_share(session, pushed)
                assert session[3].share.missed == 0
            assert owner.got["all"] == pushed > 0
            assert summed.ended_sites == samples.ended_sites == owner.sites
            assert summed.ended_stacks == samples.ended_stacks == owner.stacks
            assert any(kind == pb.SUM_OBJECT for _, _, kind, *_ in owner.sites)


def test_a_member_of_the_trace_that_does_not_read_misses_alone(machine2):
    port = machine2.port
    with Reader(port, 1, token=CONTROLLER) as owner, Reader(port, 1) as early, \
            Reader(port, 1) as late, Watcher(port, receive_buffer=4096) as lazy, \
            dci.connect(port, CONTROLLER) as worker:
        early.join()
        lazy.join()
        early.read()
        owner.ask(**tracing())
        with lazy.client.reading_slowly(lazy.take):
            for storm in range(40):
                worker.run_workload("trace-storm:events=40000,nest=0")
                owner.client.system()  # takes what has come
                owner.take_kept()
                if storm == 20:
                    late.join()
                    late.read()
        missing = [one.packets_missed for one in worker.server_stat().clients if one.tracing_member]
        ends = owner.ask(trace_unsubscribe=pb.TraceUnsubscribeRequest())
        stats = [stat for end in ends for stat in end.trace_unsubscribe.cpus]
        pushed = sum(stat.pushed_packets for stat in stats if stat.pid == 0)
        assert pushed == owner.got["all"] > 0
        for session in (early.finish(), late.finish(), lazy.take_until_ended()):
            check_share(session, pushed)
            assert [stat for one in session[2] for stat in one.cpus] == stats
        assert lazy.sessions[0][3].share.missed > 0 and max(missing) > 0
        # The owner's own account is exact whatever members do.
        for stat in stats:
            assert stat.packets == stat.pushed_packets and stat.unread == 0


def test_kov_displaces_a_sampling_session_that_yields(machine2, tmp_path):
    with Reader(machine2.port, 2, token=CONTROLLER) as gateway:
        gateway.join()
        gateway.ask(**sampling(yielding=True))
        gateway.read()
        recorded = machine2.kov("record", "-o", str(tmp_path / "samples.kov"), "--", "demo",
                                "seconds=1")
        session = gateway.finish()
        # Its own session: all that was taken, it was pushed or is told that it was not.
        _, got, stats, ended = gateway.sessions[0]
        assert ended.reason == pb.SHARING_END_DISPLACED and ended.successor.address
        assert got["all"] == ended.share.given
        assert ended.share.given + ended.share.missed == ended.pushed == sum(
            cpu.taken - cpu.filtered for cpu in stats[0].cpus)
        # Then that of kov.
        assert session[0].owner.number == ended.successor.number
        check_share(session, recorded["samples"])
        gateway.ask(**sampling(yielding=True))  # nothing is in its way any more
        gateway.ask(sampling_stop=pb.SamplingStopRequest())


def test_kov_displaces_a_subscription_that_yields(machine2, tmp_path):
    with Reader(machine2.port, 2, token=CONTROLLER) as gateway, \
            dci.connect(machine2.port, CONTROLLER) as worker:
        mask = worker.trace_stat().mask
        gateway.join()
        gateway.ask(**tracing(yielding=True, scope=pb.SCOPE_ALL, flush_ms=100))
        worker.run_workload("trace-storm:events=100000,nest=0")
        stat = {one.tracing: one for one in worker.server_stat().clients}
        assert stat[True].tracing_yields and stat[True].tracing_member
        gateway.read()
        recorded = machine2.kov("trace", "record", "-o", str(tmp_path / "trace"), "-e", "test0",
                                "--pid", "0", "--", "trace-storm", "events=100000", "nest=0")
        session = gateway.finish()
        _, got, stats, ended = gateway.sessions[0]
        assert ended.reason == pb.SHARING_END_DISPLACED
        assert got["all"] == ended.share.given and ended.share.missed == 0
        for stat in (one for stat in stats for one in stat.cpus if one.pid == 0):
            assert got[0, stat.cpu] == stat.pushed_packets == stat.packets
        check_share(session, session[3].pushed)
        assert session[0].owner.number == ended.successor.number
        events = sum(stat.events for one in session[2] for stat in one.cpus)
        assert events == sum(cpu["logged"] for cpu in recorded["cpus"])
        assert worker.trace_stat().mask == mask


@pytest.mark.parametrize("start, stop", [
    (sampling, {"sampling_stop": pb.SamplingStopRequest()}),
    (tracing, {"trace_unsubscribe": pb.TraceUnsubscribeRequest()}),
], ids=["sampling", "trace"])
def test_one_that_yields_displaces_nobody(machine2, start, stop):
    with Watcher(machine2.port, CONTROLLER) as first, Watcher(machine2.port, CONTROLLER) as second:
        first.ask(**start(yielding=True))
        second.join()
        with pytest.raises(dci.DciError) as refusal:
            second.ask(**start(yielding=True))
        assert refusal.value.error == E_BUSY
        (answer,) = second.ask(**start())
        assert answer.displaced.number != 0
        with pytest.raises(dci.DciError) as refusal:
            first.ask(**start(yielding=True))
        assert refusal.value.error == E_BUSY
        second.ask(**stop)


def test_who_joins_twice_or_leaves_unjoined_is_refused(machine2):
    with Watcher(machine2.port) as liar:
        for kind in ("sampling", "trace"):
            join = {f"{kind}_join": getattr(pb, f"{kind.capitalize()}JoinRequest")()}
            leave = {f"{kind}_leave": getattr(pb, f"{kind.capitalize()}LeaveRequest")()}
            for body, error in ((leave, E_NOENT), (join, None), (join, E_EXIST), (leave, None),
                                (leave, E_NOENT)):
                if error is None:
                    liar.ask(**body)
                    continue
                with pytest.raises(dci.DciError) as refusal:
                    liar.ask(**body)
                assert refusal.value.error == error


def mode_of(machine):
    with dci.connect(machine.port, OBSERVER) as client:
        replies = [response.trace_stat for response in client.responses(client.send(
            trace_stat=pb.TraceStatRequest(scope=pb.SCOPE_ALL)))]
        stat = replies[0]
        return not stat.subscribed and (stat.mask, stat.process_mask, {
            cpu.mode for reply in replies for cpu in reply.cpus})


@pytest.mark.parametrize("before", ["overwrite", "discard"])
def test_the_flight_recorder_survives_a_recording_however_it_ends(machine2, tmp_path, before):
    machine2.kov_run("trace", "set", "--mode", before)
    was = mode_of(machine2)
    other = pb.TRACE_MODE_DISCARD if before == "overwrite" else pb.TRACE_MODE_OVERWRITE

    def begin(**options):
        owner = Watcher(machine2.port, CONTROLLER)
        owner.ask(trace_subscribe=pb.TraceSubscribeRequest(
            mode=other, set_mask=True, mask=TRACE_TEST, **options))
        assert {cpu.mode for cpu in owner.client.trace_stat().cpus} == {other}
        return owner

    begin(scope=pb.SCOPE_ALL).client.close()  # killed
    wait_for(lambda: mode_of(machine2) == was)
    owner = begin()
    owner.client.send(trace_unsubscribe=pb.TraceUnsubscribeRequest())
    owner.client.close()  # killed during its own end
    wait_for(lambda: mode_of(machine2) == was)
    with begin(yielding=True):
        for number, mode in enumerate(["overwrite", "discard"]):  # the first displaces it
            machine2.kov_run("trace", "record", "-o", tmp_path / str(number), "--mode", mode, "-d",
                             "0.1")
            assert mode_of(machine2) == was
    typo = machine2.kov_run("trace", "record", "-o", tmp_path / "typo", "--", "demoo", check=False)
    assert typo.returncode == 1
    wait_for(lambda: mode_of(machine2) == was)
    machine2.kov_run("trace", "set", "--mode", "overwrite")


def test_what_another_has_taken_is_not_lost_for_the_next(machine2, tmp_path):
    machine2.kov_run("trace", "set", "--mode", "overwrite")
    for number in range(2):
        machine2.kov_run("trace", "snapshot", "-o", tmp_path / str(number))
    shown = machine2.kov_run("trace", "show", "-n", "100")
    assert "lost" not in shown.stdout and not shown.stderr, shown.stdout


def test_owners_and_members_that_die_leave_nothing(machine2):
    with Watcher(machine2.port) as sampler, Watcher(machine2.port) as tracer:
        sampler.join("sampling")
        tracer.join("trace")
        for round_ in range(3):
            owner = Watcher(machine2.port, CONTROLLER)
            owner.ask(**sampling(yielding=True))
            owner.ask(**tracing(yielding=True))
            Watcher(machine2.port).join()  # and is gone at once
            successor = Watcher(machine2.port, CONTROLLER)
            successor.client.send(**tracing())
            if round_ == 1:
                owner.client.close()
            successor.client.close()
            owner.client.close()
        wait_for(lambda: len(tracer.client.server_stat().clients) == 2)
        assert not tracer.client.trace_stat().subscribed
        tracer.take_kept()
        sampler.client.system()
        sampler.take_kept()
        assert tracer.began is None and sampler.began is None
        assert [ended.reason for *_, ended in sampler.sessions] == [pb.SHARING_END_OWNER_GONE] * 3
        assert len(tracer.sessions) >= 3
