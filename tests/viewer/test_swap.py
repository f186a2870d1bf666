# SPDX-License-Identifier: MIT
"""kov swap."""

import dci_pb2 as dci


def swappable(machine):
    machine.classes[2].swaps.append(4)
    machine.classes.append(dci.ObjectClass(class_id=4, name="Thread",
                                           implementation="ThreadDistributed", swaps=[3, 9]))
    machine.objects[2].swaps = 5


def test_a_swap_is_asked_for(kov, machine):
    result = kov("swap", "0x1020", "ThreadDistributed", "--within", "20", machine=machine)
    assert result.code == 0
    assert result.out == "0x1020 is a ThreadDistributed now\n"
    (swap,) = machine.asked("object_swap")
    assert (swap.coid, swap.implementation, swap.microseconds, swap.pid) == (
        0x1020, "ThreadDistributed", 20000, 0)


def test_a_refusal_says_why(kov, machine):
    result = kov("swap", "0x1020", "Other", machine=machine)
    assert result.code == 1
    assert "cannot swap 0x1020" in result.err
    assert "called off after 100 ms: 1 calls are inside: thread 7 in method 3" in result.err


def test_the_list_has_what_can_be_swapped(kov, machine):
    swappable(machine)
    objects = kov("swap", "--list", "--json", machine=machine).json["objects"]
    assert [(one["coid"], one["becomes"], one["swaps"]) for one in objects] == [
        ("0x1020", "ThreadDistributed", 5), ("0x1030", "ThreadDistributed", 0),
        ("0x1040", "ThreadDistributed", 0)]


def test_the_list_of_one_object(kov, machine):
    swappable(machine)
    lines = kov("swap", "--list", "0x1020", machine=machine).out.splitlines()
    assert lines[1].split() == ["0x1020", "Thread", "ThreadShared", "5", "ThreadDistributed"]
    row = kov("swap", "--list", "0x1000", "--json", machine=machine).json["objects"][0]
    assert row["becomes"] is None
    result = kov("swap", "--list", "0x2000", machine=machine)
    assert result.code == 1 and "there is no object 0x2000" in result.err


def test_wrong_usage(kov, machine):
    for arguments in (("0x1020",), (), ("here", "Other"), ("--list", "0x1020", "Other"),
                      ("0x1020", "x" * 40)):
        assert kov("swap", *arguments, machine=machine).code == 2
    assert not machine.asked("object_swap")


def test_an_object_of_a_process_is_not_listed(kov, machine):
    result = kov("swap", "--list", "--pid", "7", machine=machine)
    assert result.code == 1 and "only objects of the kernel" in result.err
