# SPDX-License-Identifier: MIT
"""Fixtures for all tests of the page: a machine under contention, a gateway that watches it, and a
browser. There is one of each."""

import os
import sys

import pytest

sys.path.insert(1, os.path.join(os.path.dirname(__file__), "../system"))

from browser import Browser  # noqa: E402
from failing import pytest_runtest_makereport  # noqa: E402,F401  pylint: disable=unused-import
from gateway import Gateway  # noqa: E402
from machine import Machine  # noqa: E402
from waiting import wait_for  # noqa: E402

# Which object is hot is no matter of chance. With pauses, it leaves the host's CPUs to what is
# tested.
CONTENDED = {"cpus": 2, "pmu": "model",
             "append": "workload=contention:work=100-1-1-1,pause=100000,seconds=3600"}

ENOUGH = 20  # samples


def pytest_configure(config):
    config.addinivalue_line("markers", "minutes: `make test` leaves it to `make test-long`")


@pytest.fixture(scope="session", name="machine")
def _machine(tmp_path_factory):
    with Machine(str(tmp_path_factory.mktemp("machine")), "contended", **CONTENDED) as machine:
        yield machine.wait_ready()


def hottest_of(machine):
    """Returns the object that has most samples of 3 s, or None: a busy host let too few come."""
    rows = [row for row in machine.kov("locks", "--period", "10000", "--duration", "3")["objects"]
            if "coid" in row]
    hottest = max(rows, key=lambda row: row["samples"], default={"samples": 0})
    return hottest if hottest["samples"] >= ENOUGH else None


@pytest.fixture(scope="session", name="hot")
def _hot(machine):
    """Returns the key of the object whose lock is waited for most, as `kov locks` finds it
    alone."""
    hottest = wait_for(lambda: hottest_of(machine), "enough samples of contention")
    assert "ContendedObject" in hottest["object"], hottest
    return f"o:{hottest['coid_pid']}:{hottest['coid'].removeprefix('0x')}"


@pytest.fixture(scope="session", name="gateway")
def _gateway(machine, hot, tmp_path_factory):  # pylint: disable=unused-argument
    gateway = Gateway(str(tmp_path_factory.mktemp("gateway")), contended=machine)
    yield gateway
    gateway.end()


@pytest.fixture(scope="session", name="browser")
def _browser():
    browser = Browser()
    yield browser
    browser.end()


@pytest.fixture
def open_page(browser, gateway):
    """Opens pages of the test's own: open_page(link=…, viewport=…). They are the controller's
    unless another link is given."""
    pages = []

    def start(link=None, **options):
        pages.append(browser.open(link or gateway.links["controller"], **options))
        return pages[-1]

    yield start
    for page in pages:
        page.close()
