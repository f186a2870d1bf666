# SPDX-License-Identifier: MIT
"""kov sched."""

import pytest

import dci_pb2 as dci

CPUS = 2
TICKS = 512000000  # in a second


def lengths(*queues):
    """As the machine tells them: five readings of eight CPUs; each of ours has one length."""
    return bytes((list(queues) + [0] * 8)[:8] * 5)


@pytest.fixture(name="decided")
def _decided(machine):
    machine.decisions = [
        dci.SchedDecision(time=2 * TICKS, number=1, pid=9, name="matmul", policy="balance",
                          to=1, cpus=CPUS, lengths=lengths(4, 1),
                          candidates=[dci.SchedCandidate(pid=9, permille=300),
                                      dci.SchedCandidate(pid=7, permille=255)]),
        # two readings would not have led to this one
        dci.SchedDecision(time=3 * TICKS, number=2, pid=7, name="\x1b[2J", policy="balance",
                          to=1, result=-15, cpus=CPUS, lengths=lengths(3, 2),
                          candidates=[dci.SchedCandidate(pid=7, permille=255)])]
    return machine


def test_decisions_with_their_numbers(kov, decided):
    first, second = kov("sched", "--json", machine=decided).json["decisions"]
    assert (first["pid"], first["from"], first["to"], first["result"]) == (9, 0, 1, "done")
    assert first["queues"] == [[4, 1]] * 5
    assert first["candidates"] == [{"pid": 9, "percent": 30.0}, {"pid": 7, "percent": 25.5}]
    assert second["name"] == "?[2J" and second["result"] != "done"
    lines = kov("sched", machine=decided).out.splitlines()
    assert lines[0] == "policy balance; 2 decisions, 3 held back; 120 readings"
    [line] = [line for line in lines if "4 4 4 4 4 | 1 1 1 1 1" in line]
    assert "9: 30.0 %, 7: 25.5 %" in line


def test_a_decision_is_decided_again(kov, decided):
    result = kov("sched", "why", "9", machine=decided)
    assert result.code == 0 and "the same again" in result.out
    result = kov("sched", "why", "7", machine=decided)
    assert result.code == 1 and "something else" in result.out
    result = kov("sched", "why", "8", machine=decided)
    assert result.code == 1 and "none of the scheduler's last decisions" in result.err


def test_numbers_that_are_cut_off_do_no_harm(kov, decided):
    decided.decisions[0].lengths = b"\x04"
    decided.decisions[0].cpus = 4000
    assert kov("sched", "why", "9", machine=decided).code == 1


def test_policy_and_pin(kov, decided):
    assert kov("sched", "policy", "balance", machine=decided).code == 0
    result = kov("sched", "policy", "other", machine=decided)
    assert result.code == 1 and "there is no such policy" in result.err
    assert kov("sched", "pin", "9", "1", machine=decided).code == 0
    assert kov("sched", "pin", "9", "none", machine=decided).code == 0
    one, other = decided.asked("sched_pin")
    assert (one.pid, one.pinned, one.cpu) == (9, True, 1)
    assert (other.pid, other.pinned) == (9, False)


def test_wrong_usage(kov, decided):
    for words in (("policy",), ("why",), ("why", "x"), ("pin", "9"), ("pin", "9", "x"), ("more",),
                  ("policy", "x" * 16)):
        assert kov("sched", *words, machine=decided).code == 2, words
    assert not decided.asked("sched_policy")


def test_no_scheduler(kov, machine):
    result = kov("sched", machine=machine)
    assert result.code == 1 and "does not run" in result.err
