# SPDX-License-Identifier: MIT
"""--csv gives the tables of --json, as any reader of CSV sees them."""
import csv
import io

import pytest


def tables(text):
    """Returns the tables of an output, which empty lines separate."""
    return [list(csv.DictReader(io.StringIO(part))) for part in text.split("\n\n")]


def as_csv(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def check(rows, expected):
    assert len(rows) == len(expected) > 0
    for row, one in zip(rows, expected):
        for key, value in row.items():
            if key in one and not isinstance(one[key], (float, list, dict)):
                assert value == as_csv(one[key]), (key, row, one)
            elif isinstance(one.get(key), float):
                assert float(value) == pytest.approx(one[key])


@pytest.mark.parametrize("command, keys", [
    (("classes",), ("classes",)),
    (("ps",), ("processes",)),
    (("objects",), ("objects", "classes")),
    (("workload", "list"), ("workloads", "runs")),
    (("trace", "list"), ("events",)),
    (("trace", "stat"), ("cpus", "processes")),
    (("events",), ("events",)),
    (("server",), ("clients",)),
    (("config", "list"), ("configurations",)),
], ids=lambda value: "-".join(value))
def test_csv_has_the_rows_of_json(kov, machine, command, keys):
    document = kov(*command, "--json", machine=machine).json
    parts = tables(kov(*command, "--csv", machine=machine).out)
    assert len(parts) == len(keys)
    for part, key in zip(parts, keys):
        if document[key]:
            check(part, document[key])


def test_counts_as_csv(kov, machine):
    arguments = ("stat", "-e", "larx,instructions", "-d", "0.1", "--per-cpu")
    document = kov(*arguments, "--json", machine=machine).json
    counts, metrics = tables(kov(*arguments, "--csv", machine=machine).out)
    assert [(row["event"], row["cpu"]) for row in counts] == \
        [(event["event"], str(cpu["cpu"])) for event in document["events"] for cpu in event["cpus"]]
    assert [row["metric"] for row in metrics] == \
        [metric["metric"] for metric in document["metrics"] for _ in range(2)]


@pytest.mark.parametrize("arguments, reason", [
    (("hello", "--csv"), "prints no table"),
    (("top", "--csv"), "prints no table"),
    (("ps", "--csv", "--json"), "either --json or --csv"),
    (("stat", "-e", "larx", "-I", "100", "--csv", "--per-process"), "--interval-print"),
], ids=lambda value: "-".join(value) if isinstance(value, tuple) else "")
def test_what_has_no_csv_is_refused(kov, machine, arguments, reason):
    result = kov(*arguments, machine=machine)
    assert result.code == 2 and reason in result.err and result.out == ""


@pytest.mark.parametrize("options", [(), ("--per-cpu",)], ids=" ".join)
def test_intervals_sum_to_the_total(kov, running, options):
    """The last part, which is shorter, is a row too."""
    arguments = ("stat", "-e", "larx,instructions", "-I", "150", "-d", "0.4", *options)
    parts = tables(kov(*arguments, "--csv", machine=running).out)
    keys = ("event", "cpu") if options else ("event",)
    sums = {}
    for row in parts[0]:
        key = tuple(row[key] for key in keys)
        sums[key] = sums.get(key, 0) + int(row["count"])
    assert len({row["time"] for row in parts[0]}) >= 2
    assert sums == {tuple(row[key] for key in keys): int(row["count"]) for row in parts[1]}
    document = kov(*arguments, "--json", machine=running).json
    for at, event in enumerate(document["events"]):
        assert event["count"] == sum(part["events"][at]["count"]
                                     for part in document["intervals"])
