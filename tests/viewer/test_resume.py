# SPDX-License-Identifier: MIT
"""A lost connection is taken up again. kov tells what is missing."""

import signal
import subprocess
import threading
import time

import dci_pb2 as dci
import pytest

from conftest import KOV
from machine import METADATA, PATIENCE, add_samples, packet


BEFORE_THE_TRACE = ["trace_events", "pmu_events", "trace_metadata", "trace_stat"]


def answer_half(machine, kind):
    """Ends the first connection that asks for this, when the first part of the answer has been
    sent."""
    def answer(session, request):
        del machine.misbehaviour[kind]
        whole = session.respond

        def half(request, more=False, **fields):
            whole(request, more=True, **fields)
            raise EOFError

        session.respond = half
        session.answer(request)

    machine.misbehaviour[kind] = answer


class Dropper:
    """Ends the connections when kov has been answered so many times."""

    def __init__(self, machine, kind, times=1):
        self.thread = threading.Thread(target=self.run, args=(machine, kind, times))
        self.thread.start()

    def run(self, machine, kind, times):
        for time in range(1, times + 1):
            machine.wait_for(kind, times=time)
            machine.drop_all()


@pytest.fixture
def sampled(machine):
    add_samples(machine, {(0x1010, 0x100): 10}, lost=2)
    return machine


def test_record_goes_on_with_a_new_session(kov, sampled):
    dropper = Dropper(sampled, "sampling_start")
    result = kov("record", "-d", "2", "--json", machine=sampled)
    dropper.thread.join()
    assert result.code == 0, result.err
    assert result.json["reconnected"] == 1 and result.json["disconnected_seconds"] > 0
    assert result.json["samples"] == 20 and result.json["lost"] == 4
    assert "connected again" in result.err
    report = kov("report", "--json").json
    assert report["samples"] == 20 and report["lost"] == 4


def test_no_reconnect(kov, sampled):
    dropper = Dropper(sampled, "sampling_start")
    result = kov("record", "-d", "2", "--no-reconnect", machine=sampled)
    dropper.thread.join()
    assert result.code == 3 and len(sampled.asked("sampling_start")) == 1


def test_a_machine_that_stays_away(kov, sampled):
    def drop(session, request):
        sampled.listener.close()
        session.machine.drop_all()

    sampled.misbehaviour["sampling_start"] = lambda session, request: (
        session.do_sampling_start(request), drop(session, request))
    result = kov("record", "-d", "5", "--reconnect", "1", machine=sampled)
    assert result.code == 3
    assert result.err.count("cannot connect") == 1


def test_counts_by_object_go_on(kov, sampled):
    dropper = Dropper(sampled, "sampling_start")
    result = kov("stat", "-e", "larx@5000", "--per-object", "-d", "2", "--json", machine=sampled)
    dropper.thread.join()
    assert result.code == 0 and result.json["reconnected"] == 1
    assert result.json["objects"][0]["events"][0]["count"] == 20 * 5000 and result.json["lost"] == 4


def test_top_goes_on(kov, sampled):
    dropper = Dropper(sampled, "sampling_start", times=2)
    result = kov("top", "-n", "3", "-d", "0.7", "--json", machine=sampled)
    dropper.thread.join()
    assert result.code == 0 and len(result.json["refreshes"]) == 3
    assert len(sampled.asked("sampling_start")) == 3


def test_a_silent_machine_is_spoken_to(kov, sampled):
    """A restarted network server says that it knows no connection. It says so only to who
    speaks."""
    def system(session, request):
        if len(sampled.asked("system")) == 2:
            session.connection.close()
        else:
            session.do_system(request)

    sampled.misbehaviour["system"] = system
    result = kov("record", "-d", "3", "--json", machine=sampled)
    assert result.code == 0 and result.json["reconnected"] == 1


def stop_inside_a_frame(machine):
    """Sends a part of a frame, and then nothing, from the beginning of sampling on."""
    def begin(session, request):
        del machine.misbehaviour["sampling_start"]
        session.do_sampling_start(request)
        session.send_bytes(bytes([0, 0, 1, 0, 42]))
        machine.misbehaviour["system"] = lambda asker, \
            question: asker is session or asker.do_system(question)

    machine.misbehaviour["sampling_start"] = begin


@pytest.mark.long
def test_a_frame_that_does_not_end_is_silence(kov, sampled):
    """A machine that is reset may leave such a frame."""
    stop_inside_a_frame(sampled)
    result = kov("record", "-d", "10", "--json", machine=sampled)
    assert result.code == 0, result.err
    assert result.json["reconnected"] == 1 and len(sampled.asked("sampling_start")) == 2


def test_an_interrupt_ends_the_wait_for_the_rest_of_a_frame(sampled, tmp_path):
    stop_inside_a_frame(sampled)
    command = [KOV, "--port", str(sampled.port), "--timeout", "3", "record", "-d", "80000",
               "--no-reconnect"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as client:
        sampled.wait_for("sampling_start")
        time.sleep(0.2)
        client.send_signal(signal.SIGINT)
        _, errors = client.communicate(timeout=PATIENCE)
    assert client.returncode == 3 and "not done within the 3 s" in errors


def test_trace_counts_what_went_with_the_connection(kov, machine):
    first = [(0, packet(0, 0, [10, 20, 30]))]
    machine.packets = first
    machine.last_packets = [(0, packet(0, 3, [40]))]
    machine.trace_stats = [dci.TraceStat(cpu=0, events=9, mode=dci.TRACE_MODE_DISCARD)]
    machine.mask = 5

    def subscribe(session, request):
        session.do_trace_subscribe(request)
        machine.packets = []

    machine.misbehaviour["trace_subscribe"] = subscribe
    dropper = Dropper(machine, "trace_subscribe")
    result = kov("trace", "record", "-d", "2", "--json", machine=machine)
    dropper.thread.join()
    assert result.code == 0, result.err
    assert "CPU 0: 5 events went with the lost connection" in result.err
    assert result.json["cpus"][0]["missing_packets"] == 2
    subscriptions = machine.asked("trace_subscribe")
    assert subscriptions[1].mode == dci.TRACE_MODE_KEEP
    end = machine.asked("trace_unsubscribe")[0]
    assert end.set_mask and end.mask == 5, "the mask of before the recording"


@pytest.fixture
def traced(machine):
    machine.packets = [(0, packet(0, 0, [10, 20, 30]))]
    machine.trace_stats = [dci.TraceStat(cpu=0, events=3, mode=dci.TRACE_MODE_DISCARD)]
    machine.mask = 5
    machine.events.append(dci.TraceEvent(major=9, minor=0, group="pmu", name="counters"))
    return machine


def record_with_counters(kov, machine):
    return kov("trace", "record", "-d", "0.1", "--counters", "cycles,instructions", "--json",
               machine=machine)


@pytest.mark.parametrize("kind", BEFORE_THE_TRACE)
def test_trace_asks_again_before_it_has_begun(kov, traced, tmp_path, kind):
    answer_half(traced, kind)
    result = record_with_counters(kov, traced)
    assert result.code == 0, result.err
    assert result.json["reconnected"] == 1 and result.json["cpus"][0]["received"] == 3
    assert (tmp_path / "trace.ctf/metadata").read_text() == METADATA
    assert traced.asked("trace_subscribe")[0].mode == dci.TRACE_MODE_DISCARD
    assert not traced.asked("trace_unsubscribe")[0].set_mask, "the server knows what the mask was"


def test_a_connection_lost_before_the_trace_excuses_no_loss(kov, traced):
    traced.trace_stats[0].events = 4
    answer_half(traced, "trace_stat")
    result = record_with_counters(kov, traced)
    assert result.code == 1 and "4 events logged, but 3 received" in result.err


@pytest.mark.parametrize("kind", ["count_start", "count_trace"])
def test_trace_goes_on_when_the_counters_begin(kov, traced, kind):
    """The trace is on already. The new connection takes it, and starts the counters that are
    left."""
    def drop(session, _request):
        del traced.misbehaviour[kind]
        traced.packets = []
        session.connection.close()
        raise EOFError

    traced.misbehaviour[kind] = drop
    result = record_with_counters(kov, traced)
    assert result.code == 0, result.err
    assert result.json["cpus"][0]["received"] == 3
    assert [one.mode for one in traced.asked("trace_subscribe")] == [dci.TRACE_MODE_DISCARD,
                                                                     dci.TRACE_MODE_KEEP]
    assert len(traced.asked("count_start")) == 2
    assert traced.asked("trace_unsubscribe")[0].set_mask


def test_the_console_goes_on_where_it_was(kov, machine):
    dropper = Dropper(machine, "console_attach")
    result = kov("console", "-d", "2", machine=machine)
    dropper.thread.join()
    assert result.code == 0
    assert result.out == "Orrery\n# "
    assert getattr(machine.asked("console_attach")[1], "from") == len("Orrery\n# ")
