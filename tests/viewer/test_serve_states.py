# SPDX-License-Identifier: MIT
"""One of three machines goes and comes back. Browsers are told, and the other two never stop."""

import time
from contextlib import ExitStack

import pytest

from browser import Browser, Gateway
from machine import TIMEBASE_HZ, Machine, dci

ALL = {"measure": "run-cycles", "from": 0, "to": 1e15}
HEAT = {"left": 1, "middle": 2, "right": 3}  # topics
MARKS = 4


@pytest.fixture
def three():
    with ExitStack() as stack:
        machines = {name: stack.enter_context(Machine()) for name in HEAT}
        for machine in machines.values():
            machine.let_run()
        yield machines


@pytest.fixture
def browser(three):
    machines = [word for name, machine in three.items()
                for word in ("-m", f"{name}=127.0.0.1:{machine.port}")]
    with Gateway(*machines) as gateway, Browser(gateway) as browser:
        for name, topic in HEAT.items():
            browser.say(type="watch", id=topic, machine=name, kind="heat", **ALL)
        browser.say(type="watch", id=MARKS, machine="middle", kind="marks")
        yield browser


def push_to(three, browser, pushed, names):
    """Pushes a new number of samples to each machine. Waits until the browser has them all."""
    for number, name in enumerate(names, 3):
        three[name].push_samples(0x1010, number)
        pushed[name] += number
    for name in names:
        browser.until(lambda name=name: browser.topics.get(HEAT[name], {}).get("o:0:1010", 0)
                      >= pushed[name])
        assert browser.topics[HEAT[name]]["o:0:1010"] == pushed[name]


def state(browser, name):
    return browser.states.get(name, {}).get("state")


def kinds_of_marks(browser):
    return [one["kind"] for one in browser.topics.get(MARKS, {}).get("marks", [])]


def test_two_go_on_while_one_is_gone(three, browser, capsys):
    others, pushed = ["left", "right"], dict.fromkeys(HEAT, 0)
    push_to(three, browser, pushed, HEAT)
    browser.until(lambda: all(state(browser, name) == "live" for name in HEAT))
    begin = time.monotonic()
    three["middle"].kill()
    browser.until(lambda: state(browser, "middle") == "lost")
    with capsys.disabled():
        print(f"\n  a machine was killed: told after {1000 * (time.monotonic() - begin):.1f} ms")
    tries = browser.states["middle"]["tries"]
    while browser.states["middle"]["tries"] < tries + 3:
        push_to(three, browser, pushed, others)
        browser.hear()
    assert state(browser, "middle") == "lost"

    with three["middle"]:
        browser.until(lambda: state(browser, "middle") == "live")
        browser.until(lambda: kinds_of_marks(browser) == ["gap"])
        push_to(three, browser, pushed, HEAT)
    for name in others:
        browser.until(lambda: state(browser, name) == "live")  # pylint: disable=W0640
        assert len(three[name].sessions) == 1, "it was never connected again"


def test_a_gap_is_told_before_the_machine_answers(three, browser):
    """A machine under load may take long for its first answers."""
    push_to(three, browser, dict.fromkeys(HEAT, 0), HEAT)
    three["middle"].kill()
    browser.until(lambda: state(browser, "middle") == "lost")
    three["middle"].misbehaviour["pmu_events"] = lambda session, request: None
    with three["middle"]:
        browser.until(lambda: kinds_of_marks(browser) == ["gap"])
        assert state(browser, "middle") == "lost"


def test_workloads_that_others_start_are_marks(three, browser):
    middle = three["middle"]
    middle.workload_duration = 10**9
    middle.workload_runs = [
        dci.WorkloadRun(id=3, command="demo:work=1-2,seconds=5", running=True,
                        began=2 * TIMEBASE_HZ)]
    browser.until(lambda: kinds_of_marks(browser) == ["workload"])
    mark = browser.topics[MARKS]["marks"][0]
    assert (mark["name"], mark["end"]) == ("demo work=1-2 seconds=5", None)
    begin = mark["begin"]

    def lasts():
        [mark] = browser.topics[MARKS]["marks"]
        assert mark["begin"] == begin
        return None if mark["end"] is None else mark["end"] - begin

    # Its account may come before the list that says when it ended: first the end is guessed.
    middle.workload_duration = 0
    browser.until(lambda: lasts() is not None)
    middle.workload_runs = [
        dci.WorkloadRun(id=3, command="demo:work=1-2,seconds=5", began=2 * TIMEBASE_HZ,
                        ended=7 * TIMEBASE_HZ)]
    browser.until(lambda: lasts() == pytest.approx(5e9))


def test_a_panic_is_told_with_its_reason(tmp_path):
    """It is read where the emulator's output goes. A panic from before the connection is not this
    one."""
    console = tmp_path / "console"
    console.write_text("PANIC on CPU 0: an earlier boot\nstack:\n")
    with Machine() as machine:
        machine.let_run()
        with Gateway("-m", f"m=127.0.0.1:{machine.port}", "--console", console) as gateway, \
                Browser(gateway) as browser:
            browser.until(lambda: state(browser, "m") == "live")
            machine.kill()
            browser.until(lambda: state(browser, "m") == "lost")
            assert "panic" not in browser.states["m"]
            with open(console, "a", encoding="utf-8") as file:
                file.write("one\r\n\nPANIC on CPU 1: lock \x1b[2J order\r\nthread 4 (a)\n")
            browser.until(lambda: "panic" in browser.states["m"])
            said = browser.states["m"]
            assert said["panic"].startswith("PANIC on CPU 1: lock ") and said["state"] == "lost"
            assert "\x1b" not in said["panic"] and "thread" not in said["panic"]
