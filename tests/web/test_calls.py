# SPDX-License-Identifier: MIT
"""Who calls whom: the counts of the page are those of `kov trace breakdown`, and of what the
program is known to do. They cost nothing when nobody looks, and give way to others who trace."""

import collections

import pytest

import servers
from browser import tell
from calls import (HERTZ, PAGE_BYTES, _diary, _slow, _slow_gateway,  # noqa: F401
                   _slow_page, traces, wait_untraced, watch)
from gateway import Gateway
from waiting import wait_for

ROWS = """[...document.querySelectorAll('.inspector [aria-label="%s"] tbody tr')].map((row) =>
    [row.dataset.method, row.dataset.who,
     Number(row.querySelector('[title="calls"]').textContent.replaceAll(",", ""))])"""
MAJORS = "SCHED,IPC"
SECOND = 1e9


def counts_of(rows):
    """Calls by client, server, endpoint and method. A client that is not known is None."""
    counts = collections.Counter()
    for row in rows:
        counts[row.get("client"), row["server"], int(row["endpoint"], 16), row["method"]] += \
            row["count"]
    return counts


def broken_down(machine, folder, *options):
    found = machine.kov("trace", "breakdown", folder, *options)
    counts = collections.Counter()
    for row in found["servers"]:
        counts[row.get("pid"), row["server"], int(row["endpoint"], 16),
               row["method_name"] or f"0x{row['method']:x}"] += row["count"]
    return counts, found


def show(page, pid, range_="live:10"):
    page.evaluate(f"location.hash = '#/objects?r={range_}&s=p:{pid}&v=1'")
    page.see(f'.inspector:has-text("{pid}") [aria-label="Calls"]')


def open_calls(page):
    page.see(".calls-of")
    if page.evaluate("""document.querySelector('.calls-of [aria-expanded="false"]') !== null"""):
        page.press("c")
    page.see('.calls-of [aria-expanded="true"]')


def count_shown(page, title, method):
    return {(name, who): count for name, who, count in page.evaluate(ROWS % title)
            if name == method}


@pytest.fixture(scope="module", name="recorded")
def _recorded(slow, diary, slow_gateway, browser, tmp_path_factory):
    """What the topic, breakdown, and the events themselves say of the same seconds of the same
    recording: (said, counts of breakdown without the clients, since it looks no further back than
    these seconds, calls by client as `kov trace show` lists them)."""
    folder = str(tmp_path_factory.mktemp("calls") / "trace")
    page = browser.open(slow_gateway.links["controller"])
    page.see('.header:has-text("● live")')
    show(page, diary)
    open_calls(page)
    page.see('[aria-label="It calls"] [data-method="fs.write"]')  # so it is a member when it begins
    slow.kov_run("trace", "record", "-d", "6", "-e", MAJORS, "-o", folder)
    every = {"machine": "slow", "kind": "calls", "of": "m"}
    boot = int(watch(page, slow_gateway, every)["boot"][8:], 16)
    info = broken_down(slow, folder)[1]
    begin, end = info["from_ticks"], info["to_ticks"]
    assert 0 < begin < 2 ** 32 * 8 and boot < begin  # so the boot's low 32 bits are all of it
    first = (begin - boot) // HERTZ + 2  # whole seconds of it
    last = (end - boot) // HERTZ - 1
    assert last > first
    said = watch(page, slow_gateway, {**every, "from": first * SECOND, "to": last * SECOND},
                 f"said.data.to >= {last * SECOND}")["data"]
    ticks = [boot + round(said[key] / SECOND) * HERTZ for key in ("from", "to")]
    range_ = ["--from", f"{ticks[0] / HERTZ:.9f}", "--to", f"{ticks[1] / HERTZ - 4e-9:.9f}"]
    found = without_clients(broken_down(slow, folder, *range_)[0])
    events = slow.kov("trace", "show", folder, "-e", "ipc_call")["events"]
    page.close()
    return said, found, collections.Counter(row["pid"] for row in events
                                            if ticks[0] <= row["ticks"] < ticks[1])


def without_clients(counts):
    summed = collections.Counter()
    for (_, *rest), count in counts.items():
        summed[tuple(rest)] += count
    return summed


def test_counts_are_those_of_breakdown(recorded, diary, capsys):
    said, found, events = recorded
    counts = counts_of(said["rows"])
    assert not said["cut"] and said["lost_packets"] == said["discarded"] == said["others"] == 0
    assert said["rest"] == 0
    assert abs(said["seconds"] - (said["to"] - said["from"]) / SECOND) < 1e-6
    assert without_clients(counts) == found
    by_client = collections.Counter()
    for (client, *_), count in counts.items():
        by_client[client] += count
    assert by_client == events
    writes = sum(count for (client, _, _, method), count in counts.items()
                 if (client, method) == (diary, "fs.write"))
    assert writes > PAGE_BYTES
    tell(capsys, f"{sum(counts.values()):,} calls of {len(counts)} kinds in {said['seconds']:.3f} "
                 f"s, {writes:,} fs.write of diary: as kov trace breakdown")


def test_the_program_writes_byte_by_byte(recorded, diary):
    """Each page is truncated once, and written in so many bytes. The edges cut two pages."""
    said, _, _ = recorded
    by_method = collections.Counter()
    for (client, _, _, method), count in counts_of(said["rows"]).items():
        if client == diary:
            by_method[method] += count
    assert abs(by_method["fs.write"] - PAGE_BYTES * by_method["fs.truncate"]) <= PAGE_BYTES


def test_the_page_shows_what_the_topic_says(slow_page, slow_gateway, diary):
    show(slow_page, diary)
    open_calls(slow_page)
    slow_page.see('[aria-label="It calls"] [data-method="fs.write"]')
    now = watch(slow_page, slow_gateway, {"machine": "slow", "kind": "calls", "of": f"p:{diary}",
                                          "seconds": 8}, "said.data.seconds > 6")["data"]["to"]
    begin, end = now / SECOND - 4, now / SECOND - 2
    said = watch(slow_page, slow_gateway, {"machine": "slow", "kind": "calls", "of": f"p:{diary}",
                                           "from": begin * SECOND, "to": end * SECOND})["data"]
    expected = {("fs.write", f"p:{row['server']}"): row["count"] for row in said["rows"]
                if (row["client"], row["method"]) == (diary, "fs.write")}
    assert sum(expected.values()) > 0
    show(slow_page, diary, f"{begin:.3f}..{end:.3f}")
    wait_for(lambda: count_shown(slow_page, "It calls", "fs.write") == expected, str(expected))
    (_, server), = expected
    slow_page("click", f'.calls-of [data-who="{server}"] button')
    wait_for(lambda: count_shown(slow_page, "Called by", "fs.write") ==
             {("fs.write", f"p:{diary}"): sum(expected.values())}, "the server says who calls it")


def test_the_trace_ends_when_nobody_looks(slow, slow_page, diary):
    wait_untraced(slow)  # the pages before have gone
    show(slow_page, diary)
    assert traces(slow) == []  # it is closed until somebody opens it
    open_calls(slow_page)
    wait_for(lambda: [one["tracing_yields"] for one in traces(slow)] == [True],
             "the gateway traces, and gives way")
    slow_page.press("c")
    slow_page.see('.calls-of [aria-expanded="false"]')
    wait_untraced(slow)
    assert [one for one in slow.kov("server")["clients"] if one["tracing_member"]] == []


def test_another_trace_without_calls_is_told(slow, slow_page, diary, tmp_path):
    show(slow_page, diary, "live:5")
    open_calls(slow_page)
    slow_page.see('[aria-label="It calls"] [data-method="fs.write"]')
    other = servers.started(slow, "trace", "record", "-e", "FAULT", "-o", str(tmp_path / "trace"))
    slow_page.see('.calls-of:has-text("Not all is known: client")')
    slow_page.see('.calls-of:has-text("– no calls were counted in this range")')
    servers.interrupt(other)
    slow_page.see('.calls-of:not(:has-text("Not all is known"))')
    slow_page.see('[aria-label="It calls"] [data-method="fs.write"]')


def test_a_trace_folder_has_its_calls(slow, slow_page, diary, tmp_path):
    folder = str(tmp_path / "trace")
    slow.kov_run("trace", "record", "-d", "2", "-e", MAJORS, "-o", folder)
    expected, _ = broken_down(slow, folder)
    without = str(tmp_path / "without")
    slow.kov_run("trace", "record", "-d", "1", "-e", "FAULT", "-o", without)
    gateway = Gateway(str(tmp_path), t=folder, without=without)
    try:
        page = slow_page.browser.open(gateway.links["controller"])
        said = watch(page, gateway, {"machine": "t", "kind": "calls", "of": "m"})["data"]
        assert counts_of(said["rows"]) == expected and "why" not in said
        of = watch(page, gateway, {"machine": "t", "kind": "calls", "of": f"p:{diary}"})["data"]
        assert {diary} <= {row["client"] for row in of["rows"]}
        assert all(diary in (row["client"], row["server"]) for row in of["rows"])
        page.see("canvas.tracks-picture")
        page.evaluate(f"location.hash = location.hash.replace('&v=1', '&s=p:{diary}&v=1')")
        page.press("c")
        writes = {("fs.write", f"p:{row['server']}"): row["count"] for row in of["rows"]
                  if (row["client"], row["method"]) == (diary, "fs.write")}
        wait_for(lambda: count_shown(page, "It calls", "fs.write") == writes, str(writes))
        assert page.trouble == []
        none = watch(page, gateway, {"machine": "without", "kind": "calls", "of": "m"})["data"]
        assert none["seconds"] == 0 and none["rows"] == []
        assert "does not have switches and calls" in none["why"]
        page.close()
    finally:
        gateway.end()


def test_recordings_say_why_they_have_none(slow, slow_page, tmp_path):
    tape, samples = str(tmp_path / "tape"), str(tmp_path / "samples.kov")
    slow.kov_run("record", "-d", "1", "-o", samples)
    recording = Gateway(str(tmp_path), "--record", tape, slow=slow)
    page = slow_page.browser.open(recording.links["controller"])
    page.see('.header:has-text("● live")')
    live = {"machine": "slow", "kind": "calls", "of": "m"}
    watch(page, recording, live, "said.data.packets > 0")
    page.close()
    recording.end()
    played = Gateway(str(tmp_path), tape=tape, samples=samples)
    try:
        page = slow_page.browser.open(played.links["controller"])
        page.see(".header")
        for name, why in (("tape", "a recording of kov serve has no calls"),
                          ("samples", "kov record samples; calls are counted from a trace")):
            said = watch(page, played, {"machine": name, "kind": "calls", "of": "m"})
            assert said["type"] == "stopped" and why in said["message"], said
        page.close()
    finally:
        played.end()


def test_only_processes_have_calls(slow_page, slow_gateway):
    for of in ("c:0", "o:1:ff", "k:Lock", "n:3", "i", "p:-1", "p:", ""):
        said = watch(slow_page, slow_gateway, {"machine": "slow", "kind": "calls", "of": of})
        assert said["type"] == "stopped" and "p:PID" in said["message"], (of, said)
