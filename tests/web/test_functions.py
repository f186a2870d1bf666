# SPDX-License-Identifier: MIT
"""The topic of functions: self counts, lines and callers of a kov record that ran beside it are
those that kov's own tools find in its single samples, to the sample."""

import collections
import re

import pytest

from chance import may_be_alike
from functions import EVENTS, _functions, _recorded  # noqa: F401  pylint: disable=unused-import
from functions import all_said, annotated, functions_of, own_counts
from gateway import Gateway
from machine import KERNEL
from sessions import measure
from waiting import wait_for

PROFILE_PERIOD = 500000
RECORD_PERIOD = 500009
PROFILED = re.compile(r"^ +[\d.]+ % +(\d+)  (\S+)$", re.MULTILINE)

@pytest.mark.parametrize("event", EVENTS)
def test_functions_have_the_samples_of_the_recording(machine, recorded, functions, event):
    found, expected = annotated(machine, recorded[1], event)
    assert found["samples"] > 100 and len(expected) > 5
    said = all_said(machine, recorded, functions, event)
    told = own_counts(said)
    assert said["others"] == 0 and said["unknown"] == found["unknown"]
    assert sum(told.values()) + said["unknown"] == said["samples"] or len(said["rows"]) == 200
    for name, samples in told.items():
        assert expected[name] == samples, name
    if len(said["rows"]) < 200:
        assert told == expected
    # shares are of all that is not idle, and all of it is here
    if event == "instructions:k":
        assert any(name.startswith("kernel:") for name in told)
        assert sum(row["share"] for row in said["rows"]) <= 100.1
    else:
        # a few are in the kernel: that of a user's last instruction before it comes when it works
        assert any(not name.startswith("kernel:") for name in told)
    for row in said["rows"]:
        assert row["total_samples"] >= row["samples"] and row["error"] > 0


@pytest.mark.parametrize("event", EVENTS)
def test_the_lines_of_a_function_are_those_of_annotate(machine, recorded, functions, event):
    begin, path = recorded
    hottest = all_said(machine, recorded, functions, event)["rows"][0]
    said = functions(begin, event, function=hottest["function"])
    found = machine.kov("annotate", hottest["function"], "-i", path, "-e", event, "--source")
    function, = found["functions"]
    expected = {line["line"]: line["samples"] for line in function["lines"] if line["samples"]}
    told = collections.Counter()
    for line in said["lines"]:
        told[line["line"] if line["file"] else None] += line["samples"]
    by_line = collections.Counter()
    for line in function["lines"]:
        by_line[line["line"] if line["file"] else None] += line["samples"]
    assert +told == +by_line and sum(expected.values()) > 0
    assert sum(line["samples"] for line in said["lines"]) == hottest["samples"]
    assert abs(sum(line["share"] for line in said["lines"]) - 100) < 0.1
    assert said["callers"] and sum(one["share"] for one in said["callers"]) <= 100.1


def test_an_object_has_its_own_functions(machine, hot, recorded, functions):
    begin, path = recorded
    event = "instructions:k"
    rows = machine.kov("report", "-i", path, "-e", event, "--sort", "object")["tables"][0]["rows"]
    _, pid, coid = hot.split(":")
    expected = [row["samples"] for row in rows
                if row.get("coid") == f"0x{coid}" and row.get("coid_pid", 0) == int(pid)]
    whole = all_said(machine, recorded, functions, event)
    said = functions(begin, event, of=hot)
    assert [said["samples"]] == expected and said["callers"]
    assert 0 < said["samples"] < whole["samples"]


def another_build(path):
    """Writes the kernel's file with another build id: its names would fit, and nobody may know."""
    with open(KERNEL, "rb") as image:
        data = bytearray(image.read())
    note = data.index(b"\0\0\0\x04\0\0\0\x14\0\0\0\x03GNU\0")
    data[note + 16] ^= 1
    path.write_bytes(data)
    return str(path)


def test_the_file_of_another_build_gives_no_names(machine, hot, open_page, tmp_path):
    gateway = Gateway(str(tmp_path), "--kernel", another_build(tmp_path / "orrery.elf"),
                      contended=machine)
    try:
        page = open_page(link=gateway.links["observer"])
        page.see('.header:has-text("● live")')
        said = wait_for(lambda: (lambda one: one["rows"] and one)(
            functions_of(page, gateway, 0, "larx", of=hot)), "samples of the hot object")
        assert "build ids differ" in said["why"]
        for row in said["rows"]:
            assert re.fullmatch("kernel:0x[0-9a-f]{16}", row["function"]), row
        page.evaluate("location.hash = '#/ranking?e=larx&by=function&v=1'")
        page.see('.trouble:has-text("build ids differ")')
        assert not page.trouble
    finally:
        gateway.end()


def test_another_thing_is_refused(open_page, gateway, functions):  # pylint: disable=unused-argument
    with pytest.raises(AssertionError, match="stopped"):
        functions(0, "instructions:k", of="nonsense")


@pytest.fixture(name="profile")
def _profile(machine, gateway):
    """{function: overflows} that fhour has counted of itself: only where nobody else samples, so
    the gateway begins anew."""
    def run():
        done = machine.kov_run("run", "fhour", "--", "--profile", str(PROFILE_PERIOD), check=False)
        assert done.returncode == 0 or "in use" in done.stdout + done.stderr, done
        return done.returncode == 0 and done.stdout

    port = gateway.port
    gateway.end()
    try:
        said = wait_for(run, "a profile")
    finally:
        gateway.start(port)
    return {name: int(count) for count, name in PROFILED.findall(said)}


def test_a_program_has_the_functions_that_it_tells_itself(machine, profile, functions, tmp_path):
    """fhour counts its own overflows by function, in the machine. The gateway finds the same
    functions first, with parts that may be alike."""
    assert "search_below" in profile
    path = str(tmp_path / "fhour.kov")
    begin, _ = wait_for(lambda: measure(machine, "record", "-g", "8", "-o", path, "-e",
                                        f"instructions:u@{RECORD_PERIOD}", "--", "run", "fhour"),
                        "a session of which nothing was missed")
    found, expected = annotated(machine, path, "instructions:u")
    topic = wait_for(lambda: (lambda one: one["samples"] == found["samples"] and one)(
        functions(begin, "instructions:u")), "all samples in the history")
    told = {name.removeprefix("fhour:"): count for name, count in own_counts(topic).items()
            if name.startswith("fhour:")}
    assert told == {name.removeprefix("fhour:"): count for name, count in expected.items()
                    if name.startswith("fhour:")}, (topic["unknown"], found["unknown"],
                                                    own_counts(topic), expected)
    first = [sorted(one, key=one.get, reverse=True)[:3] for one in (profile, told)]
    for name in {*first[0], *first[1]}:
        assert may_be_alike((profile[name], sum(profile.values())),
                            (told[name], sum(told.values()))), (name, profile, told)
    callers = functions(begin, "instructions:u", function="fhour:table_find")["callers"]
    assert callers and callers[0]["function"] == "fhour:known", callers
