# SPDX-License-Identifier: MIT
"""What tests of functions have in common: a recording beside the gateway, and what the topic says
of its samples."""

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
        if (message.type === "welcome") say({ type: "watch", id: 1, ...SUBSCRIPTION });
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
    return lambda *of, **more: functions_of(page, gateway, *of, **more)


def functions_of(page, gateway, begin, event, of="m", **more):
    """What a gateway says, whose page this is."""
    token = gateway.links["observer"].split("#t=")[1]
    subscription = {"machine": "contended", "kind": "functions", "measure": event, "of": of,
                    "from": begin * 1e9, "to": 1e18, **more}
    said = page.evaluate(WATCH.replace("TOKEN", json.dumps(token))
                         .replace("SUBSCRIPTION", json.dumps(subscription)))
    assert said["type"] == "state", said
    return said["data"]


def annotated(machine, path, event, *options):
    found = machine.kov("annotate", "-i", path, "-e", event, "-n", "100000", "--asm", *options)
    return found, {f"{one['binary']}:{one['function']}": one["samples"]
                   for one in found["functions"]}


def all_said(machine, recorded, functions, event):
    """What the topic says once the history has all samples of the recording."""
    begin, path = recorded
    found, _ = annotated(machine, path, event)
    return wait_for(lambda: (lambda one: one["samples"] == found["samples"] and one)(
        functions(begin, event)), "all samples in the history")


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
