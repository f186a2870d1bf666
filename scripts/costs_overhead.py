# SPDX-License-Identifier: MIT
"""What measuring costs the guest: the tables 4.1 to 4.5 of S000 (scripts/costs)."""

import os
import statistics
import sys
import time

from costs_machine import Impossible, Poller, Progress, Recorder, bench, run_all

THREE = ("objects", "calls", "files")
STEADY = "objects"  # repeats to within a millionth
# columns of table 4.2, the last all at once
METRICS = ("acquisition", "contention", "misprediction", "tlb", "ipc", "metrics")
SCAN_SECONDS = 5      # S000: an object scan every five seconds
DREFS_IN_LOOP = 1000000 # of the load dref-loop
GOALS = {"PMU": 0.5, "total": 2}  # in per cent of instructions
# The state that files are in settles with time, and still changes from run to run: several,
# the first left out.
REPEATED = (STEADY, "calls") + ("files",) * 4

# Published, in per cent: S000, tables 4.1 to 4.5.
WORKLOADS = ("ApacheBench", "SURGE", "SPECjbb2000", "Average")
PUBLISHED = {
    "4.1": ((1.25, 1.03, 2.97, 1.75), (2.28, 2.11, 2.17, 2.19), (2.05, 2.06, 2.31, 2.14),
            (5.58, 5.20, 7.45, 6.08)),
    "4.2": ((0.35, 0.37, 0.68, 0.47), (0.45, 0.34, 0.86, 0.55), (0.29, 0.24, 0.28, 0.27),
            (0.35, 0.28, 1.20, 0.61), (0.19, 0.20, 0.24, 0.21), (1.20, 1.01, 2.97, 1.73)),
    "4.3": ((2.28, 2.11, 2.17, 2.19), ("<0.01",) * 4),
    "4.5": ((0.84, 0.87, 0.92, 0.88), (1.29, 1.35, 1.39, 1.34), (1.20, 1.01, 2.97, 1.73),
            (0.38, 0.33, 0.55, 0.42)),
}
PUBLISHED_44 = {"DREF": (51.4, 250.5), "BlockedThreadQueues": (2.3, 10.5)}


def more(with_it, without):
    return (with_it / without - 1) * 100


class Measured:
    """What machines found, in one unit: instructions or wall time; how much more a load took, in
    per cent."""

    def __init__(self, unit):
        self.unit, self.runs, self.skipped = unit, {}, {}

    def add(self, name, function):
        try:
            for load, values in function().items():
                self.runs.setdefault(name, {}).setdefault(load, []).extend(values)
        except Impossible as why:
            self.skipped[name] = str(why)

    def pairs(self, name, base, load):
        """Runs beside those that they are compared with: in turns if as many, all with the median
        one otherwise."""
        runs, bases = (self.runs.get(which, {}).get(load, []) for which in (name, base))
        if bases and len(runs) != len(bases):
            bases = [sorted(bases)[len(bases) // 2]] * len(runs)
        return list(zip(runs, bases))

    def shares(self, name, base, load):
        return [more(with_it[0], without[0]) for with_it, without in self.pairs(name, base, load)]

    def share(self, name, base, load):
        """Of all that the load took; None: not measured."""
        return median_or_none(self.shares(name, base, load))

    def one(self, name, load):
        """What the load took; None: not measured."""
        return median_or_none([nanoseconds
                               for nanoseconds, _ in self.runs.get(name, {}).get(load, [])])

    def every(self, name, base, load):
        """Of the machine's time, if what is measured came every SCAN_SECONDS."""
        found = [(with_it[0] - without[0]) / with_it[1] / (SCAN_SECONDS * 1e9) * 100
                 for with_it, without in self.pairs(name, base, load) if with_it[1] > 0]
        return median_or_none(found)


def median_or_none(values):
    return statistics.median(values) if values else None


def collect_instructions(options, progress):
    found = Measured("instructions")

    def boot(name, measuring, loads, plugin, client=None, program="costs"):
        progress.step(f"instructions: {name}")
        found.add(name, lambda: run_all(options.build, measuring, loads, plugin, True, client,
                                        program))

    collect_loops(boot)
    boot("plugin, at once", "at-once", REPEATED[:-1], True)
    boot("recorded", "recorded", REPEATED[:-1], True, Recorder)
    boot("nothing", "nothing", THREE, False)
    boot("plugin", "nothing", REPEATED, True)
    boot("metrics", "metrics", REPEATED, True)
    for metric in METRICS[:-1]:
        boot(metric, metric, REPEATED[:-2], True)
    boot("drefs", "drefs", THREE, False)
    boot("all drefs", "all-drefs", THREE, False)
    boot("at once", "at-once", THREE, False)
    boot("scans", "scans", THREE, False)
    boot("traffic", "at-once", THREE, False, Poller)
    boot("sleep-locks", "sleep-locks", THREE, False)
    return found


def collect_loops(boot):
    """Code with hooks in a loop: without, off and on."""
    loops = ("dref-loop", "empty-loop", "sleep-locks")
    boot("without hooks", "nothing", loops, False, program="costs-plain")
    boot("hooks off", "nothing", loops, False)
    boot("DREF hook on", "drefs", loops[:2], False)
    boot("sleep locks' hook on", "sleep-locks", loops[2:], False)


def collect_wall(options, progress):
    found = Measured("wall time")
    variants = (("nothing", "nothing", False), ("plugin", "nothing", True),
                ("metrics", "metrics", True), ("drefs", "drefs", False),
                ("all drefs", "all-drefs", False))
    for _ in range(options.repetitions):
        if time.monotonic() - progress.start > options.minutes * 60 * 0.8:
            print("costs: no time for all repetitions in wall time", file=sys.stderr)
            break
        for name, measuring, plugin in variants:
            progress.step(f"wall time: {name}")
            found.add(name, lambda measuring=measuring,
                      plugin=plugin: run_all(options.build, measuring, THREE, plugin, False))
    return found


def total(*values):
    return None if None in values else sum(values)


def table(title, columns, rows, published, goals=()):
    """rows: {load: values}; published: a tuple of columns for WORKLOADS."""
    def text(value):
        return f"{'-':>16}" if value is None else f"{value:>16}" if isinstance(value, str) \
            else f"{value:>16.3f}"
    print(f"\n{title}\n{'':<16}" + "".join(f"{column:>16}" for column in columns))
    for load, values in rows.items():
        print(f"{load:<16}" + "".join(text(value) for value in values))
    averages = [None if None in column else statistics.mean(column)
                for column in zip(*rows.values())]
    print(f"{'average':<16}" + "".join(text(value) for value in averages))
    if goals:
        print(f"{'goal, at most':<16}" + "".join(text(goals[column]) if column in goals
                                                 else text(None) for column in columns))
    for number, workload in enumerate(WORKLOADS if published else ()):
        print(f"{'S000 ' + workload:<16}" + "".join(text(column[number]) for column in published))
    return averages


def difference(found, name, base, load):
    """In instructions, of what loads took; None: one of the two is not measured."""
    with_it, without = found.one(name, load), found.one(base, load)
    return None if with_it is None or without is None else with_it - without


def dref_hook(found):
    """Instructions of a DREF's hook that is off."""
    all_of_them = difference(found, "hooks off", "without hooks", "dref-loop")
    return None if all_of_them is None else all_of_them / DREFS_IN_LOOP


def sleep_lock_changes(found):
    """How often a queue changes in the load that contends for a sleep lock."""
    runs = found.runs.get("sleep locks' hook on", {}).get("sleep-locks", [])
    return statistics.median(events for _, events in runs) if runs else 0


def sleep_lock_hook(found):
    """Instructions of the hook that is off, at each change of a queue."""
    all_of_them, changes = difference(found, "hooks off", "without hooks",
                                      "sleep-locks"), sleep_lock_changes(found)
    return None if all_of_them is None or changes == 0 else all_of_them / changes


def disabled(found, counted, hook, load):
    """Of hooks that are off, each as long as in the loop, as many as were counted when they were
    on."""
    return median_or_none([] if hook is None else [with_it[1] * hook / without[0] * 100
                                                   for with_it, without in found.pairs(
                                                       counted, "nothing", load)])


def traffic_of_scan(found, load):
    both, scan = found.every("traffic", "at once", load), found.every("scans", "at once", load)
    return None if both is None or scan is None else both - scan


def traffic_of_pmu(found, load):
    both, pmu = found.share("recorded", "plugin, at once",
                            load), found.share("metrics", "plugin", load)
    return None if both is None or pmu is None else both - pmu


class Report:
    """Tables of one unit, and the metrics that go to the results."""

    def __init__(self, found):
        self.found, self.metrics = found, []

    def put(self, number, title, rows, published, goals=()):
        """rows: {load: {column: value}}."""
        columns = tuple(next(iter(rows.values())))
        values = {load: tuple(row.values()) for load, row in rows.items()}
        unit = self.found.unit
        averages = table(f"Table {number}: {title}, % more {unit}", columns, values, published,
                         goals)
        for name, row in list(values.items()) + [("average", averages)]:
            start = f"overhead.{number}.{name}"
            self.metrics.extend({"name": f"{start}.{column}.{unit}".replace(" ", "_"),
                                 "value": round(value, 4)}
                                for column, value in zip(columns, row) if value is not None)


def report_wall(found):
    """Table 4.1, as far as wall time can tell it."""
    report = Report(found)
    rows = {load: {"PMU": found.share("metrics", "plugin", load),
                   "DREFs counted": found.share("drefs", "nothing", load),
                   "and processes'": found.share("all drefs", "nothing", load)} for load in THREE}
    report.put("4.1", "monitoring", rows, ())
    return report.metrics


def parts_of_monitoring(found, load):
    """In per cent of instructions, by the columns of tables 4.3 and 4.5."""
    return {"DREF": disabled(found, "drefs", dref_hook(found), load),
            "sleep locks": disabled(found, "sleep-locks", sleep_lock_hook(found), load),
            "scan": found.every("scans", "at once", load),
            "scan's traffic": traffic_of_scan(found, load),
            "PMU": found.share("metrics", "plugin", load),
            "PMU's traffic": traffic_of_pmu(found, load)}


def report_instructions(found):
    """Tables 4.1, 4.2, 4.3 and 4.5."""
    report = Report(found)
    parts = {load: parts_of_monitoring(found, load) for load in THREE}

    def columns(*names):
        return {load: {name: part[name] for name in names} for load, part in parts.items()}

    rows = {load: {"PMU": part["PMU"], "disabled instr.": total(part["DREF"], part["sleep locks"]),
                   "traffic, scan": total(part["scan"], part["scan's traffic"],
                                          part["PMU's traffic"]),
                   "total": total(*part.values())} for load, part in parts.items()}
    report.put("4.1", "monitoring", rows, PUBLISHED["4.1"], GOALS)
    report.put("4.2", "PMU, by metric",
               {load: {metric if metric != "metrics"
                       else "at once": found.share(metric, "plugin", load)
                       for metric in METRICS} for load in THREE}, PUBLISHED["4.2"])
    report_samples(found)
    report.put("4.3", "instrumentation that is off", columns("DREF", "sleep locks"),
               PUBLISHED["4.3"])
    report.put("4.3, on", "instrumentation that is on",
               {load: {"DREF, kernel": found.share("drefs", "nothing", load),
                       "and processes": found.share("all drefs", "nothing", load),
                       "sleep locks": found.share("sleep-locks", "nothing", load)}
                for load in THREE}, ())
    report.put("4.5", "actions and traffic",
               columns("scan", "scan's traffic", "PMU", "PMU's traffic"), PUBLISHED["4.5"])
    return report.metrics


def samples_of(found, load):
    return statistics.mean(events for _, events in found.runs["metrics"][load])


def report_samples(found):
    """How sure the PMU's share is: its range, and beside it the samples times what one takes in the
    load that repeats exactly."""
    if not found.shares("metrics", "plugin", THREE[0]):
        return
    samples = {load: samples_of(found, load) for load in THREE}
    each = {load: difference(found, "metrics", "plugin", load) / samples[load] if samples[load]
            else 0 for load in THREE}
    columns = ("runs", "least, %", "median, %", "most, %", "samples", "instr. each",
               "by samples, %")
    print("\nPMU, all at once: the runs\n" + f"{'':<16}"
          + "".join(f"{column:>14}" for column in columns))
    for load in THREE:
        shares = found.shares("metrics", "plugin", load)
        percent = samples[load] * each[STEADY] / found.one("plugin", load) * 100
        print(f"{load:<16}{len(shares):>14}{min(shares):>14.3f}{statistics.median(shares):>14.3f}"
              f"{max(shares):>14.3f}{samples[load]:>14.1f}{each[load]:>14.0f}{percent:>14.3f}")


def report_hooks(found, paths):
    """Table 4.4: what code takes by itself, in a loop."""
    metrics = []
    print("\nTable 4.4: code in a loop, instructions\n"
          f"{'':<24}{'without':>10}{'off':>10}{'on':>10}{'off, %':>10}{'on, %':>10}"
          f"{'S000 off, %':>14}{'on, %':>10}")

    def put(name, values, published):
        shares = more(values[1], values[0]), more(values[2], values[0])
        print(f"{name:<24}" + "".join(f"{value:>10.1f}" for value in values
                                      + shares) + f"{published[0]:>14}{published[1]:>10}")
        metrics.extend({"name": f"overhead.4.4.{name}.{state}", "value": round(share, 2)}
                       for state, share in zip(("off", "on"), shares))

    states = ("without hooks", "hooks off", "DREF hook on")
    loops = [(found.one(state, "dref-loop"), found.one(state, "empty-loop")) for state in states]
    if not any(None in loop for loop in loops):
        drefs = tuple((with_it - without) / DREFS_IN_LOOP for with_it, without in loops)
        put("DREF", drefs, PUBLISHED_44["DREF"])
        if "object_call" in paths:
            put("DREF and empty method", tuple(paths["object_call"] - drefs[1] + dref
                                               for dref in drefs), PUBLISHED_44["DREF"])
    changes = sleep_lock_changes(found)
    locks = [found.one(state, "sleep-locks") for state in (*states[:2], "sleep locks' hook on")]
    if changes and None not in locks:
        put("BlockedThreadQueues", tuple(lock / changes for lock in locks),
            PUBLISHED_44["BlockedThreadQueues"])
    return metrics


def overhead(options):
    progress = Progress(21 + 5 * options.repetitions)
    progress.step("paths in a loop")
    kernel = os.path.join(options.build, "orrery-bench.elf")
    paths = {metric["name"]: metric["value"]
             for metric in bench.measure_guest(kernel, "bench=budget oneshot")}
    found = collect_instructions(options, progress)
    wall = collect_wall(options, progress)
    metrics = report_instructions(found) + report_hooks(found, paths) + report_wall(wall)
    for unit in (found, wall):
        for name, why in unit.skipped.items():
            print(f"costs: not measured, in {unit.unit}: {name}: {why}")
    bench.append_result(options.results, metrics)
