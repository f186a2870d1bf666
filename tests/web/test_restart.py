# SPDX-License-Identifier: MIT
"""A machine that is killed and started again: the page tells it, and takes up the new boot."""

import pytest

from conftest import CONTENDED
from gateway import Gateway
from machine import Machine
from waiting import wait_for


@pytest.fixture(name="own")
def _own_machine(tmp_path):
    """A machine that nobody else needs."""
    with Machine(str(tmp_path), "restarted", **CONTENDED) as machine:
        yield machine.wait_ready()


@pytest.fixture(name="page")
def _page(own, browser, tmp_path):
    gateway = Gateway(str(tmp_path), restarted=own)
    page = browser.open(gateway.links["controller"])
    yield page
    page.close()
    gateway.end()


def boot_of(page):
    """As a link to a range that is held names it."""
    page.press("Space")
    boot = page.wait("location.hash.match(/@([0-9a-f]+)/)?.[1]")
    page.press("Space")
    return boot


def test_a_killed_machine_is_told_and_taken_up_again(own, page):
    wait_for(page.longest_bar, "an object is hot")
    before = boot_of(page)
    wait_for(page.longest_bar, "an object is hot in the live range again")

    own.process.kill()
    own.process.wait()
    page.see('.header:has-text("○ lost")')
    page.see('.banner:has-text("No connection to restarted")')
    assert page.longest_bar(), "what was known stays"

    own.start()
    page.see('.header:has-text("● live")')
    page.wait("""!document.querySelector(".banner")""")
    page.wait("""/samples [1-9]/.test(document.querySelector(".status-line").textContent)""")
    wait_for(page.longest_bar, "an object is hot again")
    assert boot_of(page) != before
    assert not page.trouble
