# SPDX-License-Identifier: MIT
"""A trace of the machine is exported and opened in speedscope, which reads the file in its own
way."""

import collections
import json
import os
import re

from machine import ROOT

SPEEDSCOPE = os.path.join(ROOT, "viewer/web/node_modules/speedscope/dist/release/index.html")
ROW = re.compile(r"^\d+\s+(.*) \(pid (\d+)\), (.*) \(tid (\d+)\)\s+(\S+?)(ns|µs|ms|s)$", re.M)
SCALE = {"ns": 1, "µs": 10**3, "ms": 10**6, "s": 10**9}


def tracks_of(path):
    """Returns, for each (process, thread), the nanoseconds of its outermost slices. It reads the
    file itself."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    names, sums, depth = {}, collections.Counter(), collections.Counter()
    for one in events:
        track = one["pid"], one["tid"]
        if one["ph"] == "M" and one["name"] != "process_sort_index":
            names[track if one["name"] == "thread_name" else one["pid"]] = one["args"]["name"]
    for one in sorted((one for one in events if one["ph"] in "BE"), key=lambda one: one["ts"]):
        track, sign = (one["pid"], one["tid"]), 1 if one["ph"] == "B" else -1
        depth[track] += sign
        if depth[track] == (sign + 1) // 2:
            sums[track] -= sign * 1000 * one["ts"]
    return {(names[pid], str(pid), names[pid, tid], str(tid)): spent
            for (pid, tid), spent in sums.items()}


def test_speedscope_shows_every_thread_and_its_time(machine, browser, tmp_path):
    folder, path = str(tmp_path / "trace"), str(tmp_path / "trace.json")
    machine.kov("trace", "record", "-d", "1", "-e", "SCHED,EXC,IRQ,IPC,USER", "-o", folder)
    told = machine.kov("trace", "export", "-f", "chrome", folder, "-o", path)
    assert told["slices"] > 0
    page = browser.open(f"file://{SPEEDSCOPE}")
    page("setInputFiles", "input[type=file]", path)
    page.wait("document.title.startsWith('trace.json')")
    page.press("t")
    page.wait("document.body.innerText.includes('Total Weight')")
    rows = ROW.findall(page.evaluate("document.body.innerText"))
    shown = {row[:4]: float(row[4]) * SCALE[row[5]] for row in rows}
    expected = tracks_of(path)
    assert shown.keys() == expected.keys() and len(shown) > 4, (shown, expected)
    for track, spent in expected.items():
        assert abs(shown[track] - spent) <= 0.01 * spent + 10, (track, shown[track], spent)
    assert page.trouble == []
    page.close()
