# SPDX-License-Identifier: MIT
"""`kov serve` records a machine and plays the recording. A browser then sees what it saw before."""

import struct
import zlib

import pytest

from browser import Browser, Gateway
from machine import add_samples

ALL = {"from": 0, "to": 1e15}  # of heat
TOPICS = {1: {"kind": "objects"}, 2: {"kind": "console"}, 3: {"kind": "processes"},
          4: {"kind": "heat", "measure": "run-cycles", **ALL}, 5: {"kind": "marks"},
          6: {"kind": "metric", "metric": "IPC", "of": "m"}, 7: {"kind": "status"},
          8: {"kind": "workloads"}, 9: {"kind": "server"}}


@pytest.fixture
def lively(running):
    """Returns a machine with samples of two objects, and counts that grow."""
    running.add_processes()
    add_samples(running, {(0x1010, 0x100): 30, (0x1020, 0x200): 10})
    for number, sample in enumerate(running.samples[0].samples):
        sample.time = running.sampling_begin + number
    return running


def watch(browser, name):
    for number, topic in TOPICS.items():
        browser.say(type="watch", id=number, machine=name, **topic)


def ended_run(browser):
    return [mark for mark in browser.topics.get(5, {}).get("marks", [])
            if mark["kind"] == "workload" and mark["end"] is not None]


def has_all(browser):
    topics = browser.topics
    return topics.get(4) and topics.get(2) and len(topics.get(6, {})) >= 2 and ended_run(browser) \
        and len(topics.get(8, {}).get("kinds") or []) == 2 and 1 in topics and 3 in topics \
        and 9 in topics and topics.get(7, {}).get("samples")


def record(machine, tape):
    """Records until all topics have said something. Returns what the browser saw then."""
    with Gateway("-m", f"left=127.0.0.1:{machine.port}", "--record", tape) as gateway, \
            Browser(gateway) as browser:
        watch(browser, "left")
        browser.until(lambda: 1 in browser.topics)
        started = browser.do(type="act", id=20, machine="left", do="workload_start",
                             text="demo work=1")
        assert started["data"]["id"] == 7
        browser.until(lambda: has_all(browser))
    return browser


def play_to_end(browser, name="old"):
    watch(browser, name)
    browser.until(lambda: "ends here" in browser.states.get(name, {}).get("message", ""))


def test_what_was_recorded_is_played(lively, tmp_path):
    tape = tmp_path / "tape"
    then = record(lively, tape)
    with Gateway("-m", f"old={tape}") as gateway, Browser(gateway) as browser:
        play_to_end(browser)
        browser.until(lambda: has_all(browser))
        assert browser.states["old"]["state"] == "played"
        assert browser.states["old"]["boot"] == then.states["left"]["boot"]
        assert browser.states["old"]["address"] == str(tape)
        for topic in (1, 2):  # objects and the console
            assert browser.topics[topic] == then.topics[topic]
        assert browser.topics[4]["o:0:1010"] == 30 == then.topics[4]["o:0:1010"]
        assert browser.topics[4]["o:0:1020"] == 10
        assert [one["pid"] for one in browser.topics[3]["processes"]] == [1, 7]
        assert browser.topics[7]["samples"] == 40 and browser.topics[7]["mine"]
        assert {point: value for point, value in browser.topics[6].items()
                if point in then.topics[6]} == then.topics[6]
        assert browser.topics[8]["runs"][0]["report"] == "calls 70\nmode fast\n"
        mark, before = ended_run(browser)[0], ended_run(then)[0]
        assert mark["name"] == before["name"]
        assert mark["end"] - mark["begin"] == pytest.approx(before["end"] - before["begin"],
                                                            abs=5e8)


def test_who_comes_after_the_end_sees_it_too(lively, tmp_path):
    tape = tmp_path / "tape"
    record(lively, tape)
    with Gateway("-m", f"old={tape}") as gateway:
        with Browser(gateway) as first:
            play_to_end(first)
        with Browser(gateway) as late:
            watch(late, "old")
            late.until(lambda: has_all(late))
            assert late.states["old"]["state"] == "played"
            assert late.topics[4]["o:0:1010"] == 30


def slowed(data, factor):
    """Returns a tape on which all comes so many times later (viewer/gateway/tape.h)."""
    out, at = data[:12], 12
    while at < len(data):
        size, _, kind, high, low = struct.unpack_from(">5I", data, at)
        payload = data[at + 20:at + 20 + size]
        words = struct.pack(">IQ", kind, factor * (high << 32 | low))
        checksum = zlib.crc32(payload, zlib.crc32(words, zlib.crc32(data[at:at + 4])))
        out += data[at:at + 4] + struct.pack(">I", checksum) + words + payload
        at += 20 + size
    return out


def test_a_recording_opens_at_its_end_however_long_it_is(lively, tmp_path):
    tape = tmp_path / "tape"
    then = record(lively, tape)
    tape.write_bytes(slowed(tape.read_bytes(), 10000))  # hours
    with Gateway("-m", f"old={tape}") as gateway, Browser(gateway) as browser:
        play_to_end(browser)
        browser.until(lambda: browser.topics.get(4) and 1 in browser.topics)
        assert browser.topics[4]["o:0:1010"] == 30
        assert browser.topics[1] == then.topics[1]


def test_nothing_can_be_done_to_a_recording(lively, tmp_path):
    tape = tmp_path / "tape"
    record(lively, tape)
    sessions = len(lively.sessions)
    with Gateway("-m", f"old={tape}") as gateway, Browser(gateway) as browser:
        acts = {"sample": {"text": "larx"}, "workload_start": {"text": "demo"},
                "kill": {"number": 1}, "power_off": {}, "console": {"text": "demo"}}
        for what, fields in acts.items():
            answer = browser.do(type="act", id=30, machine="old", do=what, **fields)
            assert answer["type"] == "error" and "recording" in answer["message"]
        play_to_end(browser)
        browser.say(type="watch", id=33, machine="old", kind="heat", measure="drefs")
        assert "no counts by object" in browser.until(lambda: browser.stopped.get(33))
        answer = browser.do(type="ask", id=31, machine="old", what="regions", of="p:7")
        assert "the recording has no answer to this" in answer["message"]
        found = browser.do(type="ask", id=32, machine="old", what="object", of="o:0:1010")
        assert found["data"]["class"] == "PageAllocator"
    assert len(lively.sessions) == sessions


def test_a_killed_kov_leaves_a_recording(lively, tmp_path):
    tape = tmp_path / "tape"
    with Gateway("-m", f"left=127.0.0.1:{lively.port}", "--record", tape) as gateway:
        with Browser(gateway) as browser:
            watch(browser, "left")
            browser.until(lambda: browser.topics.get(4))
            sizes = set()  # so that the samples are not in what is cut off

            def goes_on():
                sizes.add(tape.stat().st_size)
                return len(sizes) > 3

            browser.until(goes_on)
        gateway.process.kill()
        gateway.process.wait()
        gateway.process.returncode = 0
    data = tape.read_bytes()
    tape.write_bytes(data[:-1])
    with Gateway("-m", f"old={tape}") as gateway, Browser(gateway) as browser:
        play_to_end(browser)
        assert "cut off" in browser.states["old"]["message"]
        assert browser.until(lambda: browser.topics.get(4))["o:0:1010"] == 30


def test_a_lost_connection_is_a_gap(lively, tmp_path):
    tape = tmp_path / "tape"

    def gaps(browser):
        return [mark for mark in browser.topics.get(5, {}).get("marks", [])
                if mark["kind"] == "gap"]

    with Gateway("-m", f"left=127.0.0.1:{lively.port}", "--record", tape) as gateway, \
            Browser(gateway) as browser:
        watch(browser, "left")
        browser.until(lambda: browser.topics.get(4))
        lively.drop_all()
        browser.until(lambda: gaps(browser))
    with Gateway("-m", f"old={tape}") as gateway, Browser(gateway) as browser:
        play_to_end(browser)
        browser.until(lambda: gaps(browser))


def test_damaged_files_do_not_disturb_others(lively, tmp_path):
    good, other, damaged = tmp_path / "good", tmp_path / "other", tmp_path / "damaged"
    record(lively, good)
    data = bytearray(good.read_bytes())
    data[11] += 1
    other.write_bytes(data)
    data[11] -= 1
    data[len(data) // 2] ^= 1
    damaged.write_bytes(data)
    none = tmp_path / "none"
    none.write_bytes(b"no recording at all")
    with Gateway("-m", f"other={other}", "-m", f"none={none}", "-m", f"damaged={damaged}",
                 "-m", f"old={good}") as gateway, Browser(gateway) as browser:
        play_to_end(browser)
        browser.until(lambda: browser.topics.get(4))
        for name, message in (("other", "another version"), ("none", "no recording of kov serve"),
                              ("damaged", "ends here")):
            browser.until(lambda: message in browser.states[name]["message"])
            assert browser.states[name]["state"] == "played"


def test_a_full_disk_is_told_and_all_goes_on(lively, tmp_path):
    tape = tmp_path / "tape"
    with Gateway("-m", f"left=127.0.0.1:{lively.port}", "--record", tape, limit=3000) as gateway, \
            Browser(gateway) as browser:
        watch(browser, "left")
        browser.until(lambda: browser.topics.get(4)
                      and browser.topics.get(7, {}).get("recording", {}).get("lost"))
        assert any("recording ends" in notice for notice in browser.notices)
    assert tape.stat().st_size <= 3000
    with Gateway("-m", f"old={tape}") as gateway, Browser(gateway) as browser:
        play_to_end(browser)


@pytest.mark.parametrize("arguments,message", [
    (["-m", "old=nowhere"], "cannot play 'nowhere': No such file or directory; a machine is "
                            "NAME=HOST:PORT"),
    (["-m", "old=."], "it is no trace: ./metadata: No such file or directory"),
    (["-m", "old=localhost:99999"], "NAME=HOST:PORT"),
    (["-m", "old"], "NAME=FILE"), (["-m", "=file"], "NAME=FILE"), (["-m", "old="], "NAME=FILE"),
    (["-m", "a=h:1", "-m", "b=h:2", "--record", "f"], "one machine alone"),
    (["-m", "a=there", "--record", "f"], "is a recording already"),
    (["--record", "there"], "nothing is recorded over it"),
    (["--record", "no/where"], "No such file or directory")])
def test_what_cannot_be_is_refused(kov, tmp_path, arguments, message):
    (tmp_path / "there").write_bytes(b"something")
    result = kov("serve", "-l", "0", *arguments)
    assert result.code in (1, 2) and message in result.err
    assert not (tmp_path / "f").exists()
