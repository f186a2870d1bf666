# SPDX-License-Identifier: MIT
"""The topic of functions: self counts, lines and callers of a kov record that ran beside it are
those that kov's own tools find in its single samples, to the sample."""

import collections
import json

import pytest

from sessions import measure
from waiting import wait_for

# None of them is in the gateway's own set, so all their samples are the command's.
EVENTS = {"instructions:k": "instructions:k@100003", "instructions:u": "instructions:u@20011"}

# Watches a topic by a connection of its own, until nothing of it is looked up any more.
WATCH = """new Promise((done, failed) => {
    const socket = new WebSocket(`ws://${location.host}/ws`, "orrery");
    const say = (message) => socket.send(JSON.stringify(message));
    socket.binaryType = "arraybuffer";
    socket.onopen = () => say({ type: "hello", token: TOKEN, version: 1 });
    socket.onclose = () => failed(new Error("the gateway ended the connection"));
    socket.onmessage = ({ data }) => {
        if (typeof data !== "string") {
            say({ type: "credit", bytes: data.byteLength });
            return;
        }
        const message = JSON.parse(data);
        if (message.type === "welcome") say({ type: "watch", id: 1, ...WISH });
        const ends = message.id === 1 && (message.type !== "state" || message.data.pending === 0);
        if (!ends) return;
        socket.onclose = null;
        socket.close();
        done(message);
    };
})"""


@pytest.fixture(name="functions")
def _functions(open_page, gateway):
    """functions(begin, event, of="m", **more): what the topic says of all since then."""
    page = open_page()
    page.see('.header:has-text("● live")')
    token = gateway.links["observer"].split("#t=")[1]

    def watch(begin, event, of="m", **more):
        wish = {"machine": "contended", "kind": "functions", "measure": event, "of": of,
                "from": begin * 1e9, "to": 1e18, **more}
        said = page.evaluate(WATCH.replace("TOKEN", json.dumps(token))
                             .replace("WISH", json.dumps(wish)))
        assert said["type"] == "state", said
        return said["data"]

    return watch


def annotated(machine, path, event, *options):
    found = machine.kov("annotate", "-i", path, "-e", event, "-n", "100000", "--asm", *options)
    return found, {f"{one['binary']}:{one['function']}": one["samples"]
                   for one in found["functions"]}


def own_counts(said):
    return {row["function"]: row["samples"] for row in said["rows"] if row["samples"] != 0}


@pytest.fixture(scope="module", name="recorded")
def _recorded(machine, gateway, tmp_path_factory):  # pylint: disable=unused-argument
    """(begin, path) of a recording of which the gateway missed nothing."""
    path = str(tmp_path_factory.mktemp("functions") / "samples.kov")
    begin, _ = wait_for(lambda: measure(machine, "record", "-d", "4", "-g", "8", "-o", path, "-e",
                                        ",".join(EVENTS.values())),
                        "a session of which nothing was missed")
    return begin, path


@pytest.mark.parametrize("event", EVENTS)
def test_functions_have_the_samples_of_the_recording(machine, recorded, functions, event):
    begin, path = recorded
    found, expected = annotated(machine, path, event)
    assert found["samples"] > 100 and len(expected) > 5
    said = wait_for(lambda: (lambda one: one["samples"] == found["samples"] and one)(
        functions(begin, event)), "all samples in the history")
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
        assert all(not name.startswith("kernel:") for name in told)
    for row in said["rows"]:
        assert row["total_samples"] >= row["samples"] and row["error"] > 0


@pytest.mark.parametrize("event", EVENTS)
def test_the_lines_of_a_function_are_those_of_annotate(machine, recorded, functions, event):
    begin, path = recorded
    said = functions(begin, event)
    hottest = said["rows"][0]
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
    said = functions(begin, event, of=hot)
    assert [said["samples"]] == expected and said["callers"]
    assert 0 < said["samples"] < functions(begin, event)["samples"]


def test_another_thing_is_refused(open_page, gateway, functions):  # pylint: disable=unused-argument
    with pytest.raises(AssertionError, match="stopped"):
        functions(0, "instructions:k", of="nonsense")
