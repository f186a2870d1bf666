# SPDX-License-Identifier: MIT
"""How much slower the emulator gets by the plugin of the model unit (scripts/costs slowdown)."""

import os
import random
import statistics
import threading
import time

from costs_machine import Progress, bench, run

# what programs here do; docs/benchmarks.md says why these
LOADS = ("objects", "calls", "processes", "files", "memory")

# How fast a processor of the host is changes by the second, and so do the sizes that QEMU gives its
# TLB. So each machine runs beside one without the plugin, each on a processor of its
# own, in turns on either.
VARIANTS = {  # what is measured, with the plugin?, in every n-th repetition, the goal
    # what is found between equals is what can be told apart
    "no plugin": ("at-once", False, 1, None),
    "nothing enabled": ("at-once", True, 1, 1.03),
    "five metrics": ("counts", True, 3, 4),
}
RESAMPLES = 1000  # for the intervals


class Beside(threading.Thread):
    """Machines without the plugin, one after the other, until another machine has ended."""

    def __init__(self, build, processor):
        super().__init__(daemon=True)
        self.build, self.processor, self.ending = build, processor, threading.Event()
        self.times = {load: [] for load in LOADS}

    def run(self):
        while not self.ending.is_set():
            found = run(self.build, "at-once", LOADS, False, self.processor)
            if self.ending.is_set() and self.times[LOADS[0]]:  # it was alone for a while
                return
            for load in LOADS:
                self.times[load].append(found[load])


def side_by_side(options, variant, processors):
    """One machine of the variant: {load: (its time, that of a machine beside it without the
    plugin)}."""
    measuring, plugin = VARIANTS[variant][:2]
    beside = Beside(options.build, processors[1])
    beside.start()
    try:
        times = run(options.build, measuring, LOADS, plugin, processors[0])
    finally:
        beside.ending.set()
        beside.join()
    if not beside.times[LOADS[0]]:
        bench.fail("the machine beside has failed")
    return {load: (times[load], statistics.median(beside.times[load])) for load in LOADS}


def slowdown(options):
    processors = sorted(os.sched_getaffinity(0))[:2]
    if len(processors) < 2:
        bench.fail("slowdown needs two processors of the host")
    found = {name: {load: [] for load in LOADS} for name in VARIANTS}
    progress, longest = Progress(None), 0.0
    for repetition in range(options.repetitions):
        begin = time.monotonic()
        if begin - progress.start + longest > options.minutes * 60:
            break
        for name, variant in VARIANTS.items():
            if repetition % variant[2] == 0:
                progress.step(name)
                for load, times in side_by_side(options, name, processors).items():
                    found[name][load].append(times)
        processors.reverse()
        longest = max(longest, time.monotonic() - begin)
    report_slowdown(options, found)


def spread(ratios):
    """A median and the range, as text."""
    return f"{statistics.median(ratios):6.2f} ({min(ratios):.2f} … {max(ratios):.2f})"


def median_of_loads(ratios):
    return statistics.median(statistics.median(of_load) for of_load in ratios.values())


def interval(ratios):
    """In which 95 of 100 medians lie, if the same repetitions are drawn again at random."""
    random_draw, medians = random.Random(1), []
    repetitions = range(len(ratios[LOADS[0]]))
    for _ in range(RESAMPLES):
        drawn = random_draw.choices(repetitions, k=len(repetitions))
        medians.append(median_of_loads({load: [of_load[i] for i in drawn]
                                        for load, of_load in ratios.items()}))
    medians.sort()
    return medians[RESAMPLES * 25 // 1000], medians[RESAMPLES * 975 // 1000]


def report_slowdown(options, found):
    ratios = {name: {load: [with_it / without for with_it, without in pairs]
                     for load, pairs in loads.items()}
              for name, loads in found.items()}
    metrics = []

    def put(name, value):
        metrics.append({"name": f"slowdown.{name}".replace(" ", "_"), "value": round(value, 3)})

    print("Slowdown by the plugin, against a machine without it on the processor beside: "
          "median (least … most)\n")
    print(f"{'load':<12}{'no plugin':>12}   "
          + "".join(f"{f'{name}, {len(ratios[name][LOADS[0]])} times':<28}" for name in VARIANTS))
    for load in LOADS:
        seconds = statistics.median(without for name in VARIANTS
                                    for _, without in found[name][load]) / 1e9
        print(f"{load:<12}{seconds:>10.2f} s   "
              + "".join(f"{spread(ratios[name][load]):<28}" for name in VARIANTS))
        put(f"{load}.seconds", seconds)
        for name in VARIANTS:
            put(f"{load}.{name}", statistics.median(ratios[name][load]))
    line = f"{'median':<12}{'':>12}   "
    for name, (_, _, _, goal) in VARIANTS.items():
        low, high = interval(ratios[name])
        line += f"{f'{median_of_loads(ratios[name]):6.3f} ({low:.3f} … {high:.3f})':<28}"
        put(f"median.{name}", median_of_loads(ratios[name]))
    print(line + f"\n{'goal':<12}{'':>12}   " + "".join(f"{f'{goal:6g}' if goal else '':<28}"
                                                        for *_, goal in VARIANTS.values()).rstrip())
    print("\nIn brackets behind the loads' median: the interval of 95 %.")
    bench.append_result(options.results, metrics)
