# SPDX-License-Identifier: MIT
"""Arrows of threads, from the JSON of `kov trace export` and from the gateway's answers, as (name,
(ns, track), (ns, track)). A track is (process, thread), as the export numbers them."""

import json
import math

CPUS, NO_PROCESS, USER_THREADS = 4000000000, 4000000001, 1000000000


def drawn(text):
    """Returns the arrows of an export."""
    events = json.loads(text, parse_float=lambda text: round(float(text) * 1000))["traceEvents"]
    begins = {one["id"]: one for one in events if one["ph"] == "s"}
    ends = [one for one in events if one["ph"] == "f"]
    assert len(ends) == len(begins)
    return [(one["name"], *((end["ts"], (end["pid"], end["tid"])) for end in
                            (begins[one["id"]], one))) for one in ends]


def place_of(end):
    """Returns an end of the gateway's as the export writes it: whole nanoseconds, rounded down."""
    time = math.floor(end["time"] + 1e-3)  # a float may be a little less than the whole number
    if "user_thread" in end:
        return time, (end["pid"], USER_THREADS + end["user_thread"])
    if "thread" not in end:
        return time, (CPUS, end["cpu"])
    return time, (end.get("pid", NO_PROCESS), end["thread"])


def arrow_of(said):
    return said["kind"], place_of(said["begin"]), place_of(said["end"])


def of_thread(every, track, low, high):
    """Returns the arrows of a thread's slice, as the gateway's answer is described."""
    def is_its(name, begin, end):
        inside = any(place == track and low <= time < high for time, place in (begin, end))
        wakes_it = name == "wake" and end[1] == track and low <= begin[0] <= high
        answered = name == "call" and begin[1] == track and low <= end[0] <= high
        return inside or wakes_it or answered

    return sorted(one for one in every if is_its(*one))


def of_cpu(every, cpu, low, high, cpu_of):
    return sorted(one for one in every
                  if any(cpu_of(place) == cpu and low <= time < high for time, place in one[1:]))
