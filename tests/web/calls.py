# SPDX-License-Identifier: MIT
"""What tests of calls have in common: a machine that runs the slow program of docs/why-slow.md, and
what the topic of calls says."""

import json
import os

import pytest

import servers
from gateway import Gateway
from machine import BUILD, Machine, pid_of
from waiting import wait_for

DIARY = os.path.join(BUILD, "user/bin/diary.elf")
PAGE_BYTES = 40 * 33  # of diary.c, each of them a write
HERTZ = 512_000_000   # of the time base

# Watches a topic by a connection of its own. Gives the first message of it for which CONDITION
# holds of the message `said`, with the boot of the machine.
WATCH = """new Promise((done, failed) => {
    const socket = new WebSocket(`ws://${location.host}/ws`, "orrery");
    const say = (message) => socket.send(JSON.stringify(message));
    let boot = "";
    socket.binaryType = "arraybuffer";
    socket.onopen = () => say({ type: "hello", token: TOKEN, version: 1 });
    socket.onclose = () => failed(new Error("the gateway ended the connection"));
    socket.onmessage = ({ data }) => {
        if (typeof data !== "string") return;
        const said = JSON.parse(data);
        if (said.type === "welcome") say({ type: "watch", id: 1, ...SUBSCRIPTION });
        if (said.type === "machine" && said.machine === SUBSCRIPTION.machine) boot = said.boot;
        if (said.id !== 1 || (said.type === "state" && !(CONDITION))) return;
        socket.onclose = null;
        socket.close();
        done({ ...said, boot });
    };
})"""


def watch(page, gateway, subscription, condition="true"):
    token = gateway.links["observer"].split("#t=")[1]
    return page.evaluate(WATCH.replace("TOKEN", json.dumps(token))
                         .replace("SUBSCRIPTION", json.dumps(subscription))
                         .replace("CONDITION", condition))


@pytest.fixture(scope="module", name="slow")
def _slow(tmp_path_factory):
    """A machine on which the slow program runs."""
    with Machine(str(tmp_path_factory.mktemp("slow")), "slow", cpus=2, pmu="model") as machine:
        machine.wait_ready()
        program = servers.started(machine, "run", DIARY)
        machine.wait_for(lambda: any(one["name"] == "diary" and one["calls"] > PAGE_BYTES
                                     for one in machine.kov("ps")["processes"]),
                         "the program writes")
        yield machine
        program.kill()
        program.wait()


@pytest.fixture(scope="module", name="slow_gateway")
def _slow_gateway(slow, tmp_path_factory):
    gateway = Gateway(str(tmp_path_factory.mktemp("slow-gateway")), slow=slow)
    yield gateway
    gateway.end()


@pytest.fixture(name="slow_page")
def _slow_page(browser, slow_gateway):
    page = browser.open(slow_gateway.links["controller"],
                        viewport={"width": 1280, "height": 2000})
    page.see('.header:has-text("● live")')
    yield page
    assert page.trouble == []
    page.close()


@pytest.fixture(scope="module", name="diary")
def _diary(slow):
    return pid_of(slow, "diary")


def traces(machine):
    """The clients that record the trace."""
    return servers.owners(machine, "tracing")


def wait_untraced(machine):
    wait_for(lambda: traces(machine) == [], "nobody traces")
