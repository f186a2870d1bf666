# SPDX-License-Identifier: MIT
"""Run cycles are sampled often while a browser looks or the machine is recorded, and the machine
does something, else rarely."""

import dci_pb2 as dci
import pytest

from browser import Browser, Gateway

OFTEN, RARELY = (10 ** 9 // hertz for hertz in (997, 97))


def pace(machine):
    """Returns the periods of run cycles, in order: the first, then each change."""
    (begun,) = machine.asked("sampling_start")
    changes = machine.asked("sampling_change")
    assert all(change.index == 0 for change in changes)
    return [begun.events[0].period] + [change.period for change in changes]


def test_who_looks_gets_more_samples(machine):
    with Gateway("-m", f"orrery=127.0.0.1:{machine.port}") as gateway:
        with Browser(gateway) as browser:
            browser.until(lambda: browser.states.get("orrery", {}).get("state") == "live")
            assert pace(machine) == [RARELY]  # a browser that watches nothing
            browser.say(type="watch", id=1, machine="orrery", kind="heat", measure="run-cycles")
            machine.wait_for("sampling_change")
            assert pace(machine) == [RARELY, OFTEN]
        machine.wait_for("sampling_change", 2)
        assert pace(machine) == [RARELY, OFTEN, RARELY]


def push_cycles(machine, samples, kind, period):
    """Pushes sums of run cycles on CPU 0, all of one kind."""
    sums = [dci.SampleSum(index=0, cpu=0, kind=kind, weight=period, samples=samples)
            for kind in (dci.SUM_ALL, kind)]
    machine.sampler.push(sample_sums=dci.SampleSums(
        **{"from": machine.clock() - 1}, to=machine.clock(), sums=sums))


def test_a_machine_that_does_nothing_is_sampled_rarely(machine):
    """Also while somebody looks. When it does something again, it is sampled often again."""
    with Gateway("-m", f"orrery=127.0.0.1:{machine.port}") as gateway, \
            Browser(gateway) as browser:
        browser.say(type="watch", id=1, machine="orrery", kind="heat", measure="run-cycles")
        machine.wait_for("sampling_change")
        push_cycles(machine, 900, dci.SUM_IDLE, OFTEN)
        machine.wait_for("sampling_change", 2)
        assert pace(machine) == [RARELY, OFTEN, RARELY]
        # More CPU time than passes before the gateway looks, however slow the host is.
        push_cycles(machine, 1_000_000, dci.SUM_NONE, RARELY)
        machine.wait_for("sampling_change", 3)
        assert pace(machine) == [RARELY, OFTEN, RARELY, OFTEN]


def test_samples_from_before_a_change_count_as_they_were(machine):
    """They come behind it. Each stands for as much as when it was taken: the load is the same."""
    with Gateway("-m", f"orrery=127.0.0.1:{machine.port}") as gateway, \
            Browser(gateway) as browser:
        browser.say(type="watch", id=1, machine="orrery", kind="heat", measure="run-cycles")
        machine.wait_for("sampling_change")
        # 100 s of a CPU, by few samples: more than half of one, however slow the host is
        push_cycles(machine, 100 * 97, dci.SUM_NONE, RARELY)
        looks = len(machine.asked("sampling_stat"))
        machine.wait_for("sampling_stat", looks + 3)  # one a second
        assert pace(machine) == [RARELY, OFTEN]
        push_cycles(machine, 997, dci.SUM_IDLE, OFTEN)
        machine.wait_for("sampling_change", 2)
        push_cycles(machine, 100, dci.SUM_NONE, OFTEN)  # 0.1 s of a CPU: quiet as before
        looks = len(machine.asked("sampling_stat"))
        machine.wait_for("sampling_stat", looks + 3)
        assert pace(machine) == [RARELY, OFTEN, RARELY]


def test_a_recording_has_many_samples(machine, tmp_path):
    with Gateway("-m", f"orrery=127.0.0.1:{machine.port}", "--record", tmp_path / "tape"):
        machine.wait_for("sampling_change")
        assert pace(machine) == [RARELY, OFTEN]


def test_another_set_is_left_as_it_is(machine):
    with Gateway("-m", f"orrery=127.0.0.1:{machine.port}") as gateway, \
            Browser(gateway) as browser:
        browser.until(lambda: browser.states.get("orrery", {}).get("state") == "live")
        browser.do(type="act", id=1, machine="orrery", do="sample", text="cycles@5000000")
        browser.say(type="watch", id=2, machine="orrery", kind="status")
        browser.until(lambda: 2 in browser.topics)
        browser.until(lambda: len(browser.topics[2]["events"]) == 1 and
                      machine.asked("sampling_stat")[2:])  # once a second
        assert not machine.asked("sampling_change")


@pytest.mark.long
def test_objects_are_scanned_rarely_while_nobody_looks(machine):
    """Programs are looked for all the same: each of the requests for objects follows one for
    processes. Who looks gets a fresh scan at once."""
    with Gateway("-m", f"orrery=127.0.0.1:{machine.port}") as gateway, \
            Browser(gateway) as browser:
        browser.until(lambda: browser.states.get("orrery", {}).get("state") == "live")
        machine.wait_for("processes", 5)
        scans = len(machine.asked("objects"))
        assert scans <= 3
        browser.say(type="watch", id=1, machine="orrery", kind="objects")
        machine.wait_for("objects", scans + 2)
