# SPDX-License-Identifier: MIT
"""Machines for the tests: shared ones, booted once, and ones of a test's own."""

import pytest

from machine import Machine


def pytest_configure(config):
    config.addinivalue_line("markers", "alone: not beside others (scripts/run-tests): it works on more CPUs than the host has, "
                                       "or looks at what an idle machine does")


@pytest.fixture
def boot(tmp_path):
    """Boots machines of the test's own: boot(name, cpus=…, append=…). All are ended with the test."""
    machines = []

    def start(name="machine", **options):
        machines.append(Machine(str(tmp_path), name, **options))
        return machines[-1]

    yield start
    for machine in machines:
        machine.end()


def shared(cpus):
    """A machine with so many CPUs, booted once for the tests of a module that use it."""

    @pytest.fixture(scope="module", name=f"machine{cpus}")
    def fixture(tmp_path_factory):
        with Machine(str(tmp_path_factory.mktemp(f"machine{cpus}")), f"shared{cpus}", cpus=cpus) as machine:
            yield machine.wait_ready()

    return fixture


def pid_of(machine, name):
    """The number of the one process of that name."""
    (pid,) = [one["pid"] for one in machine.kov("ps")["processes"] if one["name"] == name]
    return pid


machine2 = shared(2)
machine4 = shared(4)
