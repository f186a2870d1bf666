# SPDX-License-Identifier: MIT
"""kov locks --sleep, with logs that the tests make up."""

import dci_pb2 as dci
import pytest

from machine import TIMEBASE_HZ

ENQUEUE, DEQUEUE, WAKEUP = dci.SLEEP_LOCK_ENQUEUE, dci.SLEEP_LOCK_DEQUEUE, dci.SLEEP_LOCK_WAKEUP


def record(milliseconds, operation, thread, length, queue=0x5000, lost=0):
    return dci.SleepLockRecord(time=TIMEBASE_HZ + milliseconds * TIMEBASE_HZ // 1000, queue=queue,
                               thread=thread, length=length, operation=operation, lost=lost)


class Logs:
    """What the machine answers. Each reading takes the next list of replies; after the last there
    is nothing new."""

    def __init__(self, machine):
        self.machine, self.readings = machine, []
        machine.misbehaviour["sleep_locks_enable"] = self.enable
        machine.misbehaviour["sleep_locks_read"] = self.read

    @staticmethod
    def enable(session, request):
        session.respond(request, sleep_locks_enable=dci.SleepLocksEnableReply(time=TIMEBASE_HZ))

    def read(self, session, request):
        replies = self.readings.pop(0) if self.readings else [dci.SleepLocksReadReply(pid=0)]
        for index, reply in enumerate(replies):
            reply.time = 2 * TIMEBASE_HZ
            session.respond(request, more=index + 1 < len(replies), sleep_locks_read=reply)


@pytest.fixture(name="logs")
def made_up(machine):
    return Logs(machine)


def log(*records, lost=0, coid=0x2000, pid=7):
    return dci.SleepLocksReadReply(pid=pid, objects=[dci.SleepLockLog(
        coid=coid, logged=len(records), lost=lost, buffer_bytes=8192, records=records)])


def test_waits_lengths_and_threads(kov, logs):
    logs.readings = [[log(record(100, ENQUEUE, 3, 1), record(150, ENQUEUE, 4, 2))],
                     [log(record(200, WAKEUP, 3, 1), record(500, DEQUEUE, 4, 0))]]
    found = kov("locks", "--sleep", "-d", "0.6", "--json", machine=logs.machine).json
    (queue,) = found["queues"]
    assert found["seconds"] == 1 and queue["pid"] == 7 and queue["queue"] == "0x5000" \
        and queue["name"] is None
    assert [queue[name] for name in ("enqueues", "wake_ups", "time_outs",
                                     "longest")] == [2, 1, 1, 2]
    assert queue["seconds"] == pytest.approx(0.45) and queue["mean_seconds"] == pytest.approx(0.225)
    assert queue["max_seconds"] == pytest.approx(0.35) \
        and queue["average_length"] == pytest.approx(0.45)
    assert [(thread["thread"], thread["waits"]) for thread in queue["threads"]] == [(4, 1), (3, 1)]
    assert [change["members"] for change in queue["timeline"]] == [[3], [3, 4], [4], []]
    assert queue["timeline"][2]["seconds"] == pytest.approx(0.2)


def test_it_is_on_only_meanwhile_and_where_it_is_wanted(kov, logs):
    logs.machine.processes = [dci.Process(pid=pid, name=f"p{pid}") for pid in (7, 9)]
    assert kov("locks", "--sleep", "-d", "0.1", "--pid", "7,9", machine=logs.machine).code == 0
    first, last = logs.machine.asked("sleep_locks_enable")
    assert first.on and list(first.pids) == [7, 9] and first.coid == 0
    assert not last.on
    kov("locks", "--sleep", "-d", "0.1", "--pid", "7", "--object", "0x2000", machine=logs.machine)
    assert logs.machine.asked("sleep_locks_enable")[2].coid == 0x2000


def test_losses_failures_and_nonsense_are_told(kov, logs):
    logs.machine.processes = [dci.Process(pid=8, name="slow")]
    logs.readings = [[log(record(1, ENQUEUE, 3, 1), record(2, 7, 3, 0),
                          record(3, WAKEUP, 3, 0, lost=40), lost=41),
                      dci.SleepLocksReadReply(pid=8,
                                              failure=dci.ProcessFailure(
                                                  error=-9, message="stuck\x1b[2J"))]] * 2
    text = kov("locks", "--sleep", "-d", "0.3", machine=logs.machine).out
    assert "41 records lost" in text and "of 2 waits a part was lost" in text
    assert r"slow:8: stuck\u001b[2J" in text and text.count("stuck") == 1
    assert "2 records cannot be" in text


def test_the_time_line(kov, logs):
    logs.readings = [[log(record(1, ENQUEUE, 3, 1), record(5, ENQUEUE, 4, 7, lost=9))]]
    lines = kov("locks", "--sleep", "-d", "0.1", "--timeline",
                machine=logs.machine).out.splitlines()
    place = next(index for index, line in enumerate(lines) if "wait:" in line)
    assert lines[place].split() == ["1.000", "ms", "enqueue", "thread", "3", "1", "wait:", "3"]
    assert lines[place + 1].split() == ["9", "records", "lost"]
    assert lines[place + 2].split() == ["5.000", "ms", "enqueue", "thread", "4", "7", "wait:", "4",
                                        "…"]


@pytest.mark.parametrize("arguments",
                         [["--pid", "x"], ["--pid", "0"], ["--pid", "7,"], ["--object", "5"],
                          ["--object", "5", "--pid", "7,8"]])
def test_wrong_arguments_ask_nothing(kov, logs, arguments):
    assert kov("locks", "--sleep", *arguments, machine=logs.machine).code == 2
    assert not logs.machine.requests


def test_a_refusal_is_told(kov, machine):
    machine.errors["sleep_locks_enable"] = (-5, "another viewer logs sleep locks")
    result = kov("locks", "--sleep", "-d", "0.1", machine=machine)
    assert result.code == 1 and "another viewer logs sleep locks" in result.err
