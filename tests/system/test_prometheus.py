# SPDX-License-Identifier: MIT
"""Debian's Prometheus with the configuration of docs/gateway.md: what its queries give, beside
`kov stat` and `kov locks`."""

import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest

from machine import BUILD, ROOT, read_text
from ports import Port
from waiting import wait_for

PROGRAM = os.path.join(os.environ.get("THIRD", os.path.join(BUILD, "third_party")),
                       "prometheus/usr/bin/prometheus")
YAML = re.compile(r"```yaml\n(.*?)```", re.DOTALL)
RATE = ("rate(orrery_events_total{{event='instructions',machine='{0}'}}[{1}s])"
        " / ignoring(event) rate(orrery_counted_seconds_total{{machine='{0}'}}[{1}s])")
LOAD = "workload=contention:work=100-1-1-1,pause={},seconds=36000"
WHOLE = "[1h]"
MINUTES = 10


class Prometheus:
    """It scrapes once a second, with the lines of docs/gateway.md."""

    def __init__(self, folder, port, exposed):
        self.url = f"http://127.0.0.1:{port.number}"
        self.said = folder / "prometheus.said"
        scrape, rules = YAML.findall(read_text(os.path.join(ROOT, "docs/gateway.md")))
        for line, ours in (("TOKEN", exposed.token), ("scrape_interval: 5s", "scrape_interval: 1s"),
                           ("127.0.0.1:8420", exposed.origin.removeprefix("http://"))):
            assert scrape.count(line) == 1, line
            scrape = scrape.replace(line, ours)
        (folder / "rules.yml").write_text(rules)
        (folder / "prometheus.yml").write_text(
            f"global: {{evaluation_interval: 1s}}\nrule_files: [rules.yml]\n{scrape}")
        with open(self.said, "wb") as said:
            self.process = subprocess.Popen(
                [PROGRAM, f"--config.file={folder / 'prometheus.yml'}",
                 f"--storage.tsdb.path={folder / 'series'}",
                 f"--web.listen-address=127.0.0.1:{port.number}"],
                stdout=said, stderr=said, stdin=subprocess.DEVNULL)

    def ask(self, path, **arguments):
        """Returns the data of an answer, or None while it begins."""
        assert self.process.poll() is None, read_text(self.said)
        try:
            with urllib.request.urlopen(f"{self.url}/api/v1/{path}?"
                                        f"{urllib.parse.urlencode(arguments)}") as answer:
                told = json.load(answer)
        except urllib.error.HTTPError as error:
            assert error.code == 503, error.read()
            return None
        except urllib.error.URLError:
            return None
        assert told["status"] == "success", told
        return told["data"]

    def query(self, text):
        """[(labels, value)] of a query; none while there is no answer."""
        found = self.ask("query", query=text)
        return [(row["metric"], float(row["value"][1])) for row in found["result"]] if found else []

    def value(self, text):
        """Returns the one value of a query, or None."""
        (value,) = [value for _, value in self.query(text)] or [None]
        return value

    def end(self):
        self.process.terminate()
        self.process.wait()


@pytest.fixture(name="scrape")
def _scrape(tmp_path):
    started = []
    port = Port()

    def start(exposed):
        started.append(Prometheus(tmp_path, port, exposed))
        return started[-1]

    yield start
    for one in started:
        one.end()
    port.release()


def rates(prometheus, machine, name, seconds):
    """Instructions a second of a machine's last seconds: as kov tells them, and Prometheus."""
    told = machine.kov("stat", "-e", "instructions", "-d", str(seconds))["events"][0]["per_second"]
    return told, prometheus.value(RATE.format(name, seconds)) or 0


def agree(told, found):
    """The seconds of one are up to two of the other's earlier or later, and the host gives a
    machine more time in some."""
    return 0.8 * told < found < 1.25 * told


def wait_for_agreement(prometheus, machine, name, seconds):
    wait_for(lambda: agree(*rates(prometheus, machine, name, seconds)), "both tell the same rate")


def hottest(prometheus, name):
    query = f"topk(1, orrery_object_events_per_second{{event='larx',machine='{name}'}})"
    return [labels["class"].split("(")[0] for labels, _ in prometheus.query(query)]


def watched(boot, name, pause):
    return boot(name, cpus=1, pmu="model", append=LOAD.format(pause)).wait_ready()


def test_its_queries_give_what_kov_tells(boot, expose, scrape):
    machine = boot("one", cpus=2, pmu="model", append=LOAD.format(60000)).wait_ready()
    prometheus = scrape(expose("--metrics", one=machine.port))
    wait_for(lambda: prometheus.value("orrery_up{machine='one'}") == 1, "the machine is up")
    (rules,) = wait_for(lambda: prometheus.ask("rules"), "the rules")["groups"]
    assert {rule["name"] for rule in rules["rules"]} >= {"MachineLost", "SamplesLost"}
    wait_for_agreement(prometheus, machine, "one", 10)
    wait_for(lambda: hottest(prometheus, "one") == ["ContendedObject"], "the object is the hottest")
    wait_for(lambda: [rule["health"] for group in prometheus.ask("rules")["groups"]
                      for rule in group["rules"]] == ["ok"] * len(rules["rules"]),
             "all rules were evaluated")


def restart(machine, prometheus, name):
    lost = f"ALERTS{{alertname='MachineLost',machine='{name}',alertstate='firing'}}"
    machine.process.kill()
    machine.process.wait()
    wait_for(lambda: prometheus.value(lost) == 1, "the alert")
    machine.start()
    machine.wait_ready()
    wait_for(lambda: prometheus.value(f"orrery_up{{machine='{name}'}}") == 1, "it is up again")
    wait_for(lambda: prometheus.value(lost) is None, "the end of the alert")


@pytest.mark.minutes
def test_three_machines_for_ten_minutes_one_restarted(boot, expose, scrape, capsys):
    machines = {name: watched(boot, name, pause)
                for name, pause in (("slow", 400000), ("middle", 100000), ("fast", 25000))}
    prometheus = scrape(expose("--metrics", **{name: one.port for name, one in machines.items()}))
    end = time.monotonic() + MINUTES * 60
    restarted = False
    rounds = []
    while not restarted or time.monotonic() < end:
        for name, machine in machines.items():
            rounds.append((name, *rates(prometheus, machine, name, 30)))
        if not restarted and time.monotonic() > end - MINUTES * 30:
            restart(machines["middle"], prometheus, "middle")
            restarted = True
    for name, machine in machines.items():
        wait_for_agreement(prometheus, machine, name, 30)
    with capsys.disabled():
        print("".join(f"\n{name}: kov stat {told / 1e6:.2f} M/s, Prometheus {found / 1e6:.2f} M/s"
                      for name, told, found in rounds))
    assert sum(agree(told, found) for _, told, found in rounds) > len(rounds) / 2

    def of_each(query):
        return {labels["machine"]: value for labels, value in prometheus.query(query)}

    # A busy host may let others wait for seconds, too: their boots and alerts say that they go on.
    assert of_each(f"min_over_time(orrery_up{WHOLE})")["middle"] == 0
    assert of_each(f"count by (machine) (last_over_time(orrery_boot_info{WHOLE}))") == {
        "slow": 1, "middle": 2, "fast": 1}
    assert set(of_each(f"count_over_time(ALERTS{{alertname='MachineLost',alertstate='firing'}}"
                       f"{WHOLE})")) == {"middle"}
