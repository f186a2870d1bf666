# SPDX-License-Identifier: MIT
"""Every kov command of the README works while two browsers watch. They say who measures."""

import pytest
import readme_commands

from gateway import Gateway
from machine import Machine
from test_beside_kov import KNOWN_METRIC

NOTE_OWNERS = """(window.owners = new Set(), setInterval(() => {
    const said = document.querySelector(".trouble")?.textContent.match(/client \\d+/)?.[0];
    if (said !== undefined) window.owners.add(said);
}, 50))"""


@pytest.fixture(name="machine")
def _machine(tmp_path):
    """Starts a machine on which nothing runs."""
    with Machine(str(tmp_path), "watched", cpus=2, pmu="model") as machine:
        yield machine.wait_ready()


@pytest.fixture(name="gateway")
def _gateway(machine, tmp_path):
    gateway = Gateway(str(tmp_path), watched=machine)
    yield gateway
    gateway.end()


@pytest.mark.minutes  # tests/system/test_readme.py has them without browsers
def test_every_command_works(machine, open_page, tmp_path):
    pages = [open_page(), open_page()]
    for page in pages:
        page.wait(KNOWN_METRIC)
        page.evaluate(NOTE_OWNERS)
    readme_commands.check_all(machine, tmp_path, sampled=True)
    for page in pages:
        assert len(page.evaluate("[...window.owners]")) == 4, "record, top, record, locks"
        page.wait(KNOWN_METRIC)
        assert not page.trouble
