# SPDX-License-Identifier: MIT
"""What topics without frames and answers say has the fields of messages.def, of their types, and no
others."""

import dci_pb2 as dci
import pytest

from browser import Browser, Gateway
from machine import TIMEBASE_HZ
from said import SAID, SCHEMA, check_fields

TOPICS = {name: topic for topic, name in enumerate(
    (one.name for one in SCHEMA.watched if one.name in SAID), 1)}

PARAMETERS = {"functions": {"measure": "run-cycles", "of": "m"}, "calls": {"of": "p:7"}}


def test_all_such_topics_are_described():
    assert set(TOPICS) == {one.name for one in SCHEMA.watched if not one.frame}


@pytest.mark.parametrize("recorded", [False, True])
def test_what_is_said_is_what_is_described(machine, tmp_path, recorded):
    machine.add_processes()
    record = ("--record", tmp_path / "tape") if recorded else ()
    with Gateway("-m", f"orrery=127.0.0.1:{machine.port}", *record) as gateway, \
            Browser(gateway) as browser:
        for kind, topic in TOPICS.items():
            browser.say(type="watch", id=topic, machine="orrery", kind=kind,
                        **PARAMETERS.get(kind, {}))
        browser.until(lambda: browser.states.get("orrery", {}).get("state") == "live")
        browser.say(type="act", id=100, machine="orrery", do="workload_start", text="demo work=1")
        browser.until(lambda: browser.topics.get(TOPICS["marks"], {}).get("marks")
                      and browser.topics.get(TOPICS["workloads"], {}).get("runs"))
        browser.until(lambda: set(TOPICS.values()) <= set(browser.topics)
                      and browser.topics[TOPICS["status"]].get("events"))
        for kind, topic in TOPICS.items():
            check_fields(SAID[kind], browser.topics[topic], kind)
        assert browser.topics[TOPICS["processes"]]["processes"]
        assert ("recording" in browser.topics[TOPICS["status"]]) == recorded


def test_answers_are_as_described(machine):
    machine.add_processes()
    with Gateway("-m", f"orrery=127.0.0.1:{machine.port}") as gateway, Browser(gateway) as browser:
        browser.say(type="watch", id=1, machine="orrery", kind="objects")
        keys = browser.until(lambda: [thing[0] for thing in browser.things.values()
                                      if thing[0].startswith("o:")])
        for topic, (what, of) in enumerate([*(("object", key) for key in keys), ("regions", "p:7")],
                                           10):
            browser.say(type="ask", id=topic, machine="orrery", what=what, of=of)
            answer = browser.until(lambda topic=topic: browser.answers.get(topic))
            check_fields(SAID[what], answer["data"], f"{what} {of}")


def marks_of(browser, name):
    return [one for one in browser.topics.get(TOPICS["marks"], {}).get("marks", [])
            if one["name"] == name]


def test_programs_have_marks_whoever_starts_them(machine):
    """What init has started is the system's. A mark begins when the program did, and ends with it.
    Another one that has its number has a mark of its own."""
    machine.add_processes()
    system = list(machine.processes)
    first, second = (dci.Process(pid=9, parent=7, state=1, name="sort", start_time=begin)
                     for begin in (6 * TIMEBASE_HZ, 8 * TIMEBASE_HZ))
    machine.processes = [*system, first]
    with Gateway("-m", f"orrery=127.0.0.1:{machine.port}") as gateway, Browser(gateway) as browser:
        browser.say(type="watch", id=TOPICS["marks"], machine="orrery", kind="marks")
        mark, = browser.until(lambda: marks_of(browser, "sort"))
        assert (mark["kind"], mark["end"]) == ("program", None)
        machine.processes = [*system, second]
        ended, runs = browser.until(lambda: len(marks_of(browser, "sort")) == 2
                                    and marks_of(browser, "sort"))
        assert runs["begin"] - ended["begin"] == 2e9 and ended["begin"] == mark["begin"]
        assert ended["end"] > runs["begin"] and runs["end"] is None
        assert not marks_of(browser, "init") + marks_of(browser, "shell")
