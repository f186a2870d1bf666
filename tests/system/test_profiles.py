# SPDX-License-Identifier: MIT
"""Programs that are told of the overflows that hit them: what fhour says of itself, beside what
kov says of it."""

import re
import subprocess

import pytest

import dci_client as dci
from chance import may_be_alike
from dci_client import pb
from machine import CONTROLLER
from servers import interrupt, wait_owner
from waiting import wait_for

PERIOD = 500000
LONG_GAME = "444444"  # 23 million positions
ENOUGH = 2000  # samples
TOLD = re.compile(r"fhour: (\S+): told of (\d+) overflows, (\d+) lost, (\d+) missed; "
                  r"(\d+) hit others")
FUNCTION = re.compile(r"^ +[\d.]+ % +(\d+)  (\S+)$", re.MULTILINE)


class Profile:
    """What `fhour --profile` has printed."""

    def __init__(self, said):
        self.event, *counts = TOLD.search(said).groups()
        self.told, self.lost, self.missed, self.others = map(int, counts)
        self.functions = {name: int(count) for count, name in FUNCTION.findall(said)}
        self.positions = int(re.search(r"(\d+) positions", said)[1])
        assert re.search(r"\d+ kpos/s$", said, re.MULTILINE), said


def run(machine, period, *moves):
    return Profile(machine.kov_run("run", "fhour", "--", "--profile", str(period), *moves).stdout)


@pytest.mark.long
@pytest.mark.parametrize("options", [pytest.param({"cpus": 4, "pmu": "model"},
                                                  marks=pytest.mark.minutes),
                                     pytest.param({"cpus": 2, "pmu": "model"},
                                                  marks=pytest.mark.minutes),
                                     {"cpus": 1, "pmu": "model", "icount": True}, {"cpus": 2},
                                     {"cpus": 1, "icount": True}],
                         ids=["4", "2", "exact", "cycles", "exact-cycles"])
def test_overflows_are_told_or_counted_as_lost(boot, options):
    """test-overflow: exact counts, rights, handlers that misbehave, ends at any moment."""
    machine = boot("told", append="init=bin/test-overflow", network=False, **options)
    status = machine.wait_end()
    if status != 0 or re.search(r"test-overflow: \d+ passed, 0 failed", machine.console) is None:
        machine.fail(f"exit status {status}")


@pytest.fixture(name="recorded")
def record_fhour(modelled, tmp_path):
    """Functions of a fhour that does not profile itself, by kov."""
    path = str(tmp_path / "samples.kov")
    with dci.connect(modelled.port, CONTROLLER) as client:
        _, pid = client.start_program("fhour", LONG_GAME)
        command = modelled.kov_command("record", "-o", path, "-e", "instructions:u", "-c",
                                       str(PERIOD), "-d", "86400", "--pid", str(pid))
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as recording:
            wait_owner(modelled, "sampling")
            wait_for(lambda: client.overflows() > ENOUGH)
            interrupt(recording)
        client.request(kill=pb.KillRequest(pid=pid))
    rows = modelled.kov("report", "-i", path, "--sort", "function", "--pid",
                        str(pid))["tables"][0]["rows"]
    return {row["function"].split(" ")[0]: row["samples"] for row in rows}


def hottest(functions):
    return sorted(functions, key=functions.get, reverse=True)


def test_what_a_program_is_told_is_what_kov_records(modelled, recorded):
    own = run(modelled, PERIOD)
    assert own.event == "instructions:u"
    # What comes while it is still busy with the one before is lost: how much is up to the host.
    assert own.told + own.lost + own.missed >= ENOUGH and own.told >= ENOUGH / 4
    assert sum(own.functions.values()) == own.told
    assert {"search_below", "moves_order", "table_find"} <= set(own.functions)
    total = sum(recorded.values())
    for name in set(hottest(own.functions)[:3] + hottest(recorded)[:3]):
        assert may_be_alike((own.functions[name], own.told), (recorded[name], total)), \
            (name, own.functions, recorded)


def test_nothing_is_lost_where_the_program_has_time_for_it(exact):
    own = run(exact, PERIOD, "45461667")
    assert own.told > 0 and own.lost == 0
    assert own.positions == 73103


def test_without_the_unit_it_samples_cycles(machine2):
    own = run(machine2, PERIOD)
    assert own.event == "cycles" and own.told > 0


def test_what_is_no_game_or_no_period_is_refused(modelled):
    for words in (["--profile", "0"], ["--profile", "many"], ["8"], ["1111111"], ["-x"]):
        result = modelled.kov_run("run", "fhour", "--", *words, check=False)
        assert result.returncode == 2 and "fhour" in result.stderr + result.stdout, result
    result = modelled.kov_run("run", "fhour", "--", "--profile", "999", check=False)
    assert result.returncode == 1 and "no profile" in result.stderr + result.stdout, result


def test_a_measured_program_has_its_names_when_it_has_ended(modelled, tmp_path):
    """It is in neither the list of processes before nor that after."""
    path = str(tmp_path / "samples.kov")
    modelled.kov("record", "-o", path, "-e", "instructions:u", "-c", str(PERIOD), "--", "run",
                 "fhour")
    rows = modelled.kov("report", "-i", path, "--sort", "process,function")["tables"][0]["rows"]
    first = [row for row in rows if row["process"].startswith("fhour:")][:3]
    assert "search_below" in {row["function"].split(" ")[0] for row in first}, rows
