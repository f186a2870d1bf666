# SPDX-License-Identifier: MIT
"""Machines for the tests: shared ones, and ones of a test's own; which tests begin first; what a
failure shows."""

import pytest

import sanitizers
from exposed import Exposed
from machine import Machine
from pool import Pool

MODULE_SCOPES = ("module", "class", "package")


def pytest_configure(config):
    config.addinivalue_line("markers",
                            "long: takes more than some seconds; "
                            "begins first, so that none of these is the last")
    config.addinivalue_line("markers", "minutes: takes minutes by its nature: "
                            "`make test` leaves it to `make test-long`")
    config.addinivalue_line("markers", "part: what `make test-sanitized` runs")
    config.addinivalue_line("markers", "reports: the test is about a sanitizer's reports")


def has_own_group(item):
    """Whether a test shares what its file has made once, so that xdist must run the file's tests
    that do so one by one."""
    definitions = item._fixtureinfo.name2fixturedefs.values()  # pylint: disable=protected-access
    return any(definition[-1].scope in MODULE_SCOPES for definition in definitions)


@pytest.hookimpl(tryfirst=True)  # before xdist looks at the groups
def pytest_collection_modifyitems(items):
    for item in items:
        if has_own_group(item):
            item.add_marker(pytest.mark.xdist_group(f"group-{item.path.stem}"))
        name = sanitizers.name_of(item)
        if sanitizers.is_part(name):
            item.add_marker("part")
        if name in sanitizers.EXACT and sanitizers.active():
            item.add_marker(pytest.mark.skip(reason=f"with a sanitizer: {sanitizers.EXACT[name]}"))
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def fail_for_sanitizers(item, report, machines):
    """A report of a sanitizer on any console is a failure, if the test is not about them."""
    told = [line for machine in machines
            for line in sanitizers.reports(machine.console[machine.shown_from:])]
    if told and report.passed and not item.get_closest_marker("reports"):
        report.outcome = "failed"
        report.longrepr = "\n".join(told)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Shows a failing test's own machines: how each is started, and the end of its console."""
    report = (yield).get_result()
    machines = [one for one in Machine.running if not one.idle]
    if call.when == "call" and sanitizers.active():
        fail_for_sanitizers(item, report, machines)
    if report.failed:
        item.has_failed = True
        for machine in machines:
            report.sections.append((f"machine {machine.name}", machine.describe()))


@pytest.fixture(scope="session", name="pool")
def _pool(tmp_path_factory):
    machines = Pool(tmp_path_factory.mktemp("pool"))
    yield machines
    machines.end()


@pytest.fixture(autouse=True)
def _settle(request, pool):
    yield
    pool.settle(getattr(request.node, "has_failed", False))


# Of the pool's machines.
MODELLED = {"cpus": 2, "pmu": "model"}
# a cycle is an instruction, however busy the host is
EXACT = {"cpus": 1, "pmu": "model", "icount": True}


def shared(name, **configuration):
    """A machine of the pool; docs/testing.md says how a test must leave it."""

    @pytest.fixture(name=name)
    def fixture(pool):
        return pool.lend(**configuration)

    return fixture


machine2 = shared("machine2", cpus=2)
machine4 = shared("machine4", cpus=4)
modelled = shared("modelled", **MODELLED)
exact = shared("exact", **EXACT)


@pytest.fixture
def boot(tmp_path):
    """Boots machines of the test's own: boot(name, cpus=…, append=…). All are ended with the
    test."""
    machines = []

    def start(name="machine", **options):
        machines.append(Machine(str(tmp_path), name, **options))
        return machines[-1]

    yield start
    for machine in machines:
        machine.end()


@pytest.fixture
def expose(tmp_path):
    """Starts `kov serve` of machines by name: expose("--metrics", one=PORT). All are ended with the
    test."""
    started = []

    def start(*options, **machines):
        started.append(Exposed(tmp_path, *options, **machines))
        return started[-1]

    yield start
    for one in started:
        one.end()
