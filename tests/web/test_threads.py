# SPDX-License-Identifier: MIT
"""The Timeline's threads, of a recording on four CPUs: their times are those of `kov trace sched`,
to the nanosecond, also where a view begins in the midst. Groups fold and unfold by keys and by
mouse."""

import collections
import itertools
from urllib.parse import urlsplit

import pytest

from browser import tell
from gateway import Gateway
from machine import Machine
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
