# SPDX-License-Identifier: MIT
"""The Timeline of a trace that was recorded of the machine: its sums are those of `kov trace show
--activity`, to the nanosecond, and each slice can be reached by pointer and by keys."""

import collections
import math

import pytest

from browser import tell
from gateway import Gateway
from waiting import wait_for

NAMES = {"unknown": "unknown", "idle": "idle", "run": "run", "syscall": "system call",
         "ipc": "IPC", "fault": "fault", "interrupt": "interrupt"}
CANVAS = "canvas.tracks-picture"
ENOUGH_INTERVALS = 1000  # of a second; a quiet host has some 4,000


@pytest.fixture(scope="module", name="folder")
def _folder(machine, tmp_path_factory):
    def record():
        """Returns a recording in which much has happened: a busy host may have kept a second from
        the machine."""
        folder = str(tmp_path_factory.mktemp("timeline") / "trace")
        machine.kov("trace", "record", "-d", "1", "-o", folder)
        known = [one for one in machine.kov("trace", "show", "--activity", folder)["intervals"]
                 if one["activity"] != "unknown"]
        return folder if len(known) > ENOUGH_INTERVALS else None

    return wait_for(record, "a recording of much")


@pytest.fixture(scope="module", name="activity")
def _activity(machine, folder):
    return machine.kov("trace", "show", "--activity", folder)


@pytest.fixture(name="page")
def _page(machine, folder, browser, tmp_path):
    gateway = Gateway(str(tmp_path), t=folder, contended=machine)
    page = browser.open(gateway.links["controller"])
    page.see(CANVAS)
    yield page
    assert page.trouble == []
    page.close()
    gateway.end()


def in_ns(ticks, hz):
    return ticks * 1e9 / hz


def sums_shown(page):
    """Returns {(CPU, activity): nanoseconds} of the table."""
    return {(row["cpu"], row["activity"]): row["time"] for row in page.evaluate(
        """[...document.querySelectorAll('[data-cpu] [data-activity]')].map((one) => ({
            cpu: Number(one.parentElement.dataset.cpu), activity: one.dataset.activity,
            time: Number(one.dataset.time) }))""")}


def window(page):
    """Returns from and to of what is shown."""
    return [float(part) for part in page.evaluate(
        "document.querySelector('[data-shown]').dataset.shown").split()]


def piece(page):
    """Returns CPU, from, to and activity of the slice at the cursor."""
    said = page.evaluate("""(({ piece, activity }) => piece && [...piece.split(" "), activity])(
        document.querySelector(".readout").dataset)""")
    return said or []


def test_the_times_of_each_cpu_are_those_of_activity(page, activity, capsys):
    expected = collections.Counter()
    for one in activity["intervals"]:
        expected[one["cpu"], NAMES[one["activity"]]] += one["to_ticks"] - one["from_ticks"]
    page.press("t")
    shown = wait_for(lambda: sums_shown(page), "the table")
    for key, time in shown.items():
        assert abs(time - in_ns(expected[key], activity["hz"])) < 1, key
    assert shown.keys() >= expected.keys()
    known = sum(time for (_, name), time in shown.items() if name != "unknown")
    tell(capsys, f"{len(activity['intervals']):,} intervals, {known / 1e9:.3f} s known of "
                 f"{sum(shown.values()) / 1e9:.3f} s: each sum within 1 ns of "
                 "`kov trace show --activity`")


def test_zoom_keeps_the_time_below_the_pointer(page):
    box = page.evaluate(f"(({{ x, y, width }}) => [x, y, width])("
                        f"document.querySelector('{CANVAS}').getBoundingClientRect())")
    whole = window(page)
    at = round(box[0] + box[2] * 0.3)  # a wheel is at a whole pixel
    part = (at - box[0]) / box[2]
    below = whole[0] + part * (whole[1] - whole[0])
    page("mouse.move", at, box[1] + 30)
    for _ in range(30):
        before = window(page)
        page("mouse.wheel", 0, -100)
        wait_for(lambda before=before: window(page) != before, "a step of the zoom")
    begin, end = window(page)
    assert (end - begin) * 1.25 ** 29 < whole[1] - whole[0]
    assert abs(begin + part * (end - begin) - below) < 0.01 * (end - begin)
    page.press("0")
    wait_for(lambda: window(page) == whole, "all of the trace")


def test_arrows_go_from_slice_to_slice_of_activity(page, activity):
    """Zooms in by keys until slices are apart, then goes through some and compares each."""
    known = {(one["cpu"], one["from_ticks"], one["to_ticks"]): list(NAMES).index(one["activity"])
             for one in activity["intervals"]}
    page("focus", CANVAS)
    page.press("ArrowRight", *["w"] * 4)
    compared = 0
    for _ in range(60):
        before = piece(page)
        page.press("ArrowRight")
        cpu, begin, end, what = wait_for(lambda before=before: piece(page) != before
                                         and piece(page), "the next slice")
        ticks = [round(float(time) * activity["hz"] / 1e9) for time in (begin, end)]
        if what != "group" and (int(cpu), *ticks) in known:
            assert known[int(cpu), *ticks] == int(what)
            compared += 1
    assert compared > 20


def listed(page):
    """Returns the interval that was asked for, and time, event and text of each event listed."""
    return page.evaluate("""(({ dataset }, rows) => [...dataset.asked.split(" ").map(Number),
        rows.map((one) => [Math.round(one.dataset.time), one.dataset.event,
                           one.querySelector(".text-cell").textContent])])(
        document.querySelector(".event-list"),
        [...document.querySelectorAll(".event-list tbody tr")])""")


def test_the_events_at_the_cursor_are_those_of_show(page, machine, folder):
    def as_shown(*options):
        """Returns what is listed once that is what kov shows."""
        begin, end, rows = listed(page)
        known = machine.kov("trace", "show", folder, "-n", str(len(rows) + 1),
                            "--from", f"{begin / 1e9:.9f}", "--to", f"{end / 1e9:.9f}", *options)
        # as Math.round: half a nanosecond goes up
        expected = [[math.floor(in_ns(row["ticks"], known["hz"]) + 0.5), row["event"],
                     row["text"][:256]]
                    for row in known["events"] if row["event"] != "lost"]
        rows = [row for row in rows if row[1] != "lost"]
        return (rows == expected[:len(rows)] and len(rows) >= min(len(expected), 200)
                and [begin, rows])

    def at_next_slice(*options):
        """Returns what is listed from the next slice on."""
        last = piece(page)
        page("focus", CANVAS)
        page.press("ArrowRight")
        at = float(wait_for(lambda: piece(page) != last and piece(page), "a slice")[1])
        return wait_for(lambda: listed(page)[0] >= at - 1 and as_shown(*options),
                        "the events from the cursor on")

    page("focus", CANVAS)
    page.press(*["w"] * 4)
    at_next_slice()
    page("fill", '.event-list [name="only"]', "SCHED")
    page.press("Enter")
    before = wait_for(lambda: all("SCHED" in event for _, event, _ in listed(page)[2]) and
                      as_shown("-e", "SCHED"), "events of SCHED alone")
    while len(before[1]) <= 2:  # a busy host makes stretches without a switch
        before = at_next_slice("-e", "SCHED")
    page("click", ".event-list tbody tr:nth-child(2)")
    page.see(".event-list tr.chosen")
    assert as_shown("-e", "SCHED") == before, "the list stays while the cursor is in it"
    page("fill", '.event-list [name="only"]', "nothing_such")
    page.press("Enter")
    page.see('.event-list .error:has-text("nothing_such")')
    page("fill", '.event-list [name="only"]', "")
    page.press("Enter")
    wait_for(as_shown, "all events again")


def test_a_trace_offers_no_acts(page):
    page.press("7")
    page.see("text=nothing can be done")
    assert page.evaluate("document.querySelectorAll('.acts button').length") == 0


def test_a_machine_beside_it_says_how_to_record(page):
    page("selectOption", "header select", "contended")
    page.press("4")
    page.see("text=kov trace record")


# Keeps the page's socket, and the topics that it has asked for.
KEEP_SOCKET = """{
    const send = WebSocket.prototype.send;
    window.watched = {};
    WebSocket.prototype.send = function (message) {
        window.socket = this;
        const said = typeof message === "string" ? JSON.parse(message) : {};
        if (said.type === "watch") window.watched[said.kind] = said.id;
        return send.call(this, message);
    };
}"""


def test_a_stopped_topic_says_why_beside_what_was_known(page):
    page("addInitScript", {"content": KEEP_SOCKET})
    page("reload")
    page.see(CANVAS)
    for kind in ("threads", "slices"):
        page.evaluate(f"""window.socket.dispatchEvent(new MessageEvent("message", {{
            data: JSON.stringify({{ type: "stopped", id: window.watched.{kind},
                                    message: "the {kind} cannot be read" }}) }}))""")
        page.see(f'.trouble:has-text("the {kind} cannot be read")')
        page.see(CANVAS)
    page.press("w")  # another window is another topic
    page.wait("document.querySelector('.trouble') === null")
