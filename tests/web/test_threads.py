# SPDX-License-Identifier: MIT
"""The Timeline's threads, of a recording on four CPUs: their times are those of `kov trace sched`,
to the nanosecond, also where a view begins in the midst. Groups fold and unfold by keys and by
mouse. The arrows of a slice are those of `kov trace export`, and lead from slice to slice."""

import collections
import itertools
import json
import math
import random
import subprocess
from urllib.parse import urlsplit

import pytest

from arrows import CPUS, USER_THREADS, arrow_of, drawn, of_thread
from browser import tell
from gateway import Gateway
from machine import KOV, Machine
from waiting import wait_for

CANVAS = "canvas.tracks-picture"
STATES = {"runs its own code": "run", "runs in the kernel": "run", "runs": "run",
          "ready": "ready", "blocked": "blocked", "unknown": "unknown"}
KEYS = ["unknown", "run", "run", "run", "ready", "blocked"]
ENOUGH_SWITCHES = 500
VIEWS = 40
BUSY = "workload=contention:work=100-1-1-1,pause=100000,seconds=3600"

# A browser of the gateway's own messages: watches the threads of each view, one after the other,
# and gives [thread, state, nanoseconds] of each row.
WATCH = """async ([token, views]) => {
  const socket = new WebSocket(`ws://${location.host}/ws`, "orrery");
  socket.binaryType = "arraybuffer";
  const said = [];
  const wait = new Map();
  const watch = (id, [from, to]) => new Promise((done, fail) => {
    wait.set(id, { done, fail });
    socket.send(JSON.stringify({ type: "watch", id, machine: "t", kind: "threads", from, to,
                                 width: 4096 }));
  });
  socket.onmessage = ({ data }) => {
    if (typeof data === "string") {
      const message = JSON.parse(data);
      if (message.type === "stopped") wait.get(message.id)?.fail(new Error(message.message));
      return;
    }
    const head = new DataView(data);
    const [rows, id] = [head.getUint32(4, true), head.getUint32(8, true)];
    const wide = (bytes) => Math.ceil(bytes / 8) * 8;
    const time = new Float64Array(data, 32 + 2 * 8 * rows, rows);
    const words = 32 + 3 * 8 * rows;
    const thread = new Uint32Array(data, words + wide(4 * rows), rows);
    const state = new Uint8Array(data, words + 5 * wide(4 * rows) + wide(rows), rows);
    for (let i = 0; i < rows; i++) said.push([thread[i], state[i], time[i]]);
    socket.send(JSON.stringify({ type: "credit", bytes: data.byteLength }));
    socket.send(JSON.stringify({ type: "unwatch", id }));
    wait.get(id).done();
  };
  await new Promise((done) => { socket.onopen = done; });
  socket.send(JSON.stringify({ type: "hello", token, version: 1 }));
  for (const [i, view] of views.entries()) await watch(i + 1, view);
  socket.close();
  return said;
}"""

# Asks for the arrows of slices.
ASK = """async ([token, slices]) => {
  const socket = new WebSocket(`ws://${location.host}/ws`, "orrery");
  const said = [];
  await new Promise((done) => { socket.onopen = done; });
  socket.send(JSON.stringify({ type: "hello", token, version: 1 }));
  for (const [id, [of, from, to]] of slices.entries()) {
    said.push(await new Promise((done) => {
      socket.onmessage = ({ data }) => {
        const message = typeof data === "string" ? JSON.parse(data) : {};
        if (message.id === id) done(message.data ?? { error: message.message });
      };
      socket.send(JSON.stringify({ type: "ask", id, machine: "t", what: "arrows", of, from, to }));
    }));
  }
  socket.close();
  return said;
}"""
SLICES = 60


@pytest.fixture(scope="module", name="recorded")
def _recorded(tmp_path_factory):
    """Returns a recording on four CPUs, and what kov says of its threads. The slower the host, the
    longer it takes until there is much."""
    with Machine(str(tmp_path_factory.mktemp("four")), "four", cpus=4, append=BUSY) as machine:
        machine.wait_ready()

        seconds = itertools.chain([1, 2, 4, 8], itertools.repeat(16))

        def record():
            folder = str(tmp_path_factory.mktemp("threads") / "trace")
            machine.kov("trace", "record", "-d", str(next(seconds)), "-o", folder)
            sched = machine.kov("trace", "sched", folder)
            runs = sum(row["runs"] for row in sched["threads"])
            return (folder, sched) if runs > ENOUGH_SWITCHES else None

        yield wait_for(record, "a recording of much")


@pytest.fixture(name="page")
def _page(recorded, browser, tmp_path):
    gateway = Gateway(str(tmp_path), t=recorded[0])
    page = browser.open(gateway.links["controller"])
    page.token = urlsplit(gateway.links["controller"]).fragment.removeprefix("t=")
    page.see(CANVAS)
    yield page
    assert page.trouble == []
    page.close()
    gateway.end()


def expected_of(sched):
    """Returns {(thread, state): ns}."""
    return {(row["thread"], key): row[f"{key}_ticks"] * 1e9 / sched["hz"]
            for row in sched["threads"] for key in ("run", "ready", "blocked", "unknown")}


def expect_same(found, expected, rows):
    """Each row's time is rounded once, by less than a thousandth of a nanosecond."""
    assert all(abs(found[key] - time) < 1 for key, time in expected.items()), \
        {key: (found[key], time) for key, time in expected.items() if abs(found[key] - time) >= 1}
    assert found.keys() <= expected.keys() and rows > 0


def groups(page):
    """Returns {key: whether it is open} of the groups, in order."""
    return dict(page.evaluate("""[...document.querySelectorAll("[data-group]")].map((one) =>
        [one.dataset.group, one.getAttribute("aria-expanded") === "true"])"""))


def names(page):
    return page.evaluate("""[...document.querySelector(".track-names").children].map((one) =>
        one.textContent)""")


def line(page):
    return page.evaluate("document.querySelector('.readout').dataset.line ?? ''")


def test_the_table_has_each_threads_times_of_sched(page, recorded, capsys):
    sched = recorded[1]
    page.press("t")
    rows = wait_for(lambda: page.evaluate(
        """[...document.querySelectorAll("[data-thread] [data-state]")].map((one) => [
            Number(one.parentElement.dataset.thread), one.dataset.state,
            Number(one.dataset.time)])"""), "the table")
    found = collections.Counter()
    for thread, state, time in rows:
        found[thread, STATES[state]] += time
    expect_same(found, expected_of(sched), len(rows))
    cpus = {row["cpu"] for row in sched["threads"] if row["run_ticks"] > 0}
    tell(capsys, f"{len(sched['threads'])} threads on CPUs {sorted(cpus)}: each time within 1 ns "
                 "of `kov trace sched`")


def test_views_that_begin_in_the_midst_add_up_to_sched(page, recorded, capsys):
    sched = recorded[1]
    begin, end = [float(part) for part in page.evaluate(
        "document.querySelector('[data-shown]').dataset.shown").split()]
    tick = 1e9 / sched["hz"]
    edges = [begin + round((end - begin) * i / VIEWS / tick) * tick for i in range(VIEWS)]
    views = [[low, high] for low, high in zip(edges, [*edges[1:], end + 1000])]
    views[0][0] = 0
    rows = page("evaluate", f"({WATCH})({[page.token, views]})")
    found = collections.Counter()
    for thread, state, time in rows:
        found[thread, KEYS[state]] += time
    expect_same(found, expected_of(sched), len(rows))
    tell(capsys, f"{VIEWS} views side by side, {len(rows):,} slices and groups: each thread's "
                 "times within 1 ns of `kov trace sched`")


def test_processes_fold_and_unfold_by_mouse(page):
    before = groups(page)
    assert before.pop("cpus") and len(before) > 3 and not any(before.values())
    assert names(page)[1:5] == [f"CPU {cpu}" for cpu in range(4)]
    process = list(before)[-1]
    page("click", f'[data-group="{process}"]')
    wait_for(lambda: groups(page)[process], "the process open")
    assert any(name.startswith("thread ") for name in names(page))
    page("click", '[data-group="cpus"]')
    wait_for(lambda: not groups(page)["cpus"], "the CPUs folded")
    assert "CPU 0" not in names(page)
    page("click", f'[data-group="{process}"]')
    wait_for(lambda: not groups(page)[process], "the process folded")
    assert not any(name.startswith("thread ") for name in names(page))


def test_processes_fold_and_unfold_by_keys_and_slices_say_what_they_are(page):
    page("focus", CANVAS)
    page.press(*["ArrowDown"] * 4)
    first = wait_for(lambda: line(page).startswith("p:") and line(page), "a process's line")
    assert "threads" in page.evaluate("document.querySelector('.readout').textContent")
    page.press("ArrowRight")
    wait_for(lambda: groups(page)[first], "the process open")
    page.press("ArrowLeft")
    wait_for(lambda: not groups(page)[first], "the process folded")
    page.press("Enter")
    wait_for(lambda: groups(page)[first], "the process open again")
    page.press("ArrowDown")
    thread = wait_for(lambda: line(page).startswith("t:") and line(page), "a thread's line")
    known = {str(state) for state in range(8, 14)} | {"group"}
    wait_for(lambda: page.evaluate("document.querySelector('.readout').dataset.activity") in known,
             "what the thread does")
    page.press(*["w"] * 6, "ArrowRight")
    said = wait_for(lambda: page.evaluate("document.querySelector('.readout').dataset.piece"),
                    "a slice")
    assert said.split()[0] == thread.removeprefix("t:")
    page.press("ArrowUp")
    wait_for(lambda: line(page) == first, "the process's line again")
    page.press("Enter")
    wait_for(lambda: not groups(page)[first], "the process folded again")


@pytest.fixture(scope="module", name="exported")
def _exported(recorded):
    """Returns what `kov trace export` writes of the recording."""
    return subprocess.run([KOV, "trace", "export", "-f", "chrome", recorded[0]], check=True,
                          timeout=600, stdout=subprocess.PIPE).stdout


def test_arrows_of_random_slices_are_those_of_the_export(page, recorded, exported, capsys):
    every, chance = drawn(exported), random.Random(4)
    tick = 1e9 / recorded[1]["hz"]
    known, slices = set(every), []
    while len(slices) < SLICES:
        time, track = chance.choice(chance.choice(every)[1:])
        if track[0] != CPUS and track[1] < USER_THREADS:
            at = math.ceil(time / tick)  # the export rounds down
            slices.append((track, (at - chance.choice([0, 500, 50000])) * tick,
                           (at + chance.choice([1, 500, 50000, 5000000])) * tick))
    asked = [(f"t:{track[1]}", low, high) for track, low, high in slices]
    answers = page("evaluate", f"({ASK})({json.dumps([page.token, asked])})")
    found = 0
    for (track, *edges), answer in zip(slices, answers):
        low, high = map(math.floor, edges)
        assert "error" not in answer, answer
        said = [arrow_of(one) for one in answer["arrows"]]
        assert known.issuperset(said) and not answer["more"]
        assert of_thread(said, track, low, high) == of_thread(every, track, low, high)
        found += len(said)
    assert found >= SLICES  # each has the end that was chosen
    tell(capsys, f"{found:,} arrows of {SLICES} slices of threads, of {len(every):,} in all: each "
                 "of them as `kov trace export` has it, to the nanosecond")


def chosen_slice(page):
    """Returns line, from and to of the selected slice, once its arrows are known."""
    said = page.evaluate("""(({ dataset }) => [...dataset.slice.split(" "), dataset.arrows])(
        document.querySelector(".slice-details") ?? { dataset: { slice: "", arrows: "" } })""")
    return (said[0], float(said[1]), float(said[2])) if said[-1] else None


def slice_at(page, key, time):
    """Waits until the slice of a line at a time is selected. Returns it."""
    return wait_for(lambda: (now := chosen_slice(page)) and now[0] == key
                    and now[1] < time + 1 and time < now[2] and now, f"the slice of {key}")


def ways_shown(page):
    return page.evaluate("""[...document.querySelectorAll("[data-way]")].map((one) =>
        [one.dataset.way, ...one.dataset.ends.split(" ").map(Math.floor)])""")


def chosen_name(page):
    """Returns the name of the line with the cursor."""
    return page.evaluate("document.querySelector('.track-names .chosen')?.textContent ?? ''")


def go_to(page, time, key):
    """Shows a few microseconds around a time, and selects the slice of a line there by keys."""
    begin, end = (f"{(time + by) / 1e9:.9f}" for by in (-5000, 5003))
    page("evaluate", f"location.hash = '#/timeline?m=t&w={begin}..{end}&v=1'")
    wait_for(lambda: abs(float(page.evaluate(
        "document.querySelector('[data-shown]').dataset.shown").split()[0]) - time) < 6000,
             "the picture of that time")
    page("focus", CANVAS)
    page.press("ArrowUp")

    name = {"c": "CPU ", "t": "thread "}[key[0]] + key[2:]
    at = wait_for(lambda: chosen_name(page), "the cursor in a line")
    while at != name:
        page.press("ArrowDown")
        at = wait_for(lambda before=at: chosen_name(page) != before and chosen_name(page),
                      f"the cursor on the way to {name}")
    page.press("Enter")
    return slice_at(page, key, time)


def cpu_where(events, end):
    """Returns on which CPU the run began that an arrow leads to, as the export names it."""
    time, track = end
    return next((int(one["name"].removeprefix("CPU ")) for one in events
                 if one["ph"] == "B" and one["ts"] == time and (one["pid"], one["tid"]) == track
                 and one["name"].startswith("CPU ")), None)


def test_arrows_lead_to_who_woke_by_keys_and_back_by_mouse(page, exported):
    events = json.loads(exported, parse_float=lambda text: round(float(text) * 1000))["traceEvents"]
    wakes = [one for one in drawn(exported)
             if one[0] == "wake" and cpu_where(events, one[2]) is not None]
    name, begin, end = wakes[len(wakes) // 2]
    key = f"c:{cpu_where(events, end)}"
    chosen = go_to(page, end[0], key)
    assert math.floor(chosen[1]) == end[0], "the run begins where the arrow ends"
    wait_for(lambda: [f"{name} back", begin[0], end[0]] in ways_shown(page), "the arrow")
    page.wait("document.querySelector('.track-arrows line') !== null")
    page.press(",")
    wait_for(lambda: (now := chosen_slice(page)) and now[0].startswith("c:")
             and now[1] < begin[0] + 1 and begin[0] < now[2], "the slice that woke it")
    wait_for(lambda: [f"{name} on", begin[0], end[0]] in ways_shown(page), "the arrow")
    place = ways_shown(page).index([f"{name} on", begin[0], end[0]]) + 1
    page("click", f".slice-details li:nth-child({place}) button")
    slice_at(page, key, end[0])
    page("focus", CANVAS)
    page.press("Escape")
    wait_for(lambda: page.evaluate("document.querySelector('.slice-details') === null"),
             "no slice selected")


def test_arrows_of_threads_unfold_the_process_they_lead_to(page, exported):
    woken = next(one for one in drawn(exported) if one[0] == "wake" and CPUS not in
                 (one[1][1][0], one[2][1][0]) and one[1][1][1] < USER_THREADS)
    name, begin, (time, (pid, thread)) = woken
    process = f"p:{pid}" if f"p:{pid}" in groups(page) else "p:?"
    page("click", f'[data-group="{process}"]')
    wait_for(lambda: groups(page)[process], "the process open")
    go_to(page, time, f"t:{thread}")
    wait_for(lambda: [f"{name} back", begin[0], time] in ways_shown(page), "the arrow")
    page.press(",")
    slice_at(page, f"t:{begin[1][1]}", begin[0])
