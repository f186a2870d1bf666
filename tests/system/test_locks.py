# SPDX-License-Identifier: MIT
"""Contention for spin locks by object: what `kov locks` finds by samples of larx, against the workload's own account, which it has from
the locks' trace events."""

import math

import pytest

pytestmark = pytest.mark.alone

SECONDS = 15
TRIES = 3  # the host decides who waits for whom: some runs leave two objects as good as equal
POINTS = 5  # percentage points that a share may be off
ENOUGH = 300  # samples from which on that is asked for at any threshold


@pytest.fixture(scope="module", name="machine")
def modelled_machine(tmp_path_factory):
    from machine import Machine

    with Machine(str(tmp_path_factory.mktemp("locks")), "locks", cpus=4, pmu="model") as machine:
        yield machine.wait_ready()


class Measurement:
    """One run of the workload: what kov found of its objects, and what it did itself, in percent of both."""

    def __init__(self, machine, threshold, *options, seconds=SECONDS, hold=100):
        self.threshold = threshold
        self.kov = machine.kov("locks", "-c", str(threshold), *options, "--", "contention", f"seconds={seconds}",
                               f"hold={hold}")
        report = self.kov["workload"]["report"]
        coids = [key[len("spins."):] for key in report if key.startswith("spins.")]
        assert len(coids) == 4, "the workload knows its turns from trace events, which are on by default"
        # Each acquisition is a larx, each turn of waiting another one.
        self.larx = {coid: report[f"acquisitions.{coid}"] + report[f"spins.{coid}"] for coid in coids}
        self.rows = {row["coid"]: row for row in self.kov["objects"] if row.get("coid") in coids and row["coid_pid"] == 0}
        self.samples = sum(row["samples"] for row in self.rows.values())
        self.own = {coid: 100 * larx / sum(self.larx.values()) for coid, larx in self.larx.items()}
        found = sum(row["larx"]["value"] for row in self.rows.values())
        self.found = {coid: 100 * self.rows[coid]["larx"]["value"] / found if coid in self.rows else 0 for coid in coids}
        self.error = {coid: self.rows[coid]["share"]["error"] if coid in self.rows else 100 / max(self.samples, 1) for coid in coids}

    def ranked(self, shares):
        return sorted(shares, key=shares.get, reverse=True)

    def told_apart(self):
        """Whether the true shares of neighbours in rank differ by more than chance may add to samples of them."""
        order = self.ranked(self.own)
        return all(self.own[a] - self.own[b] > math.hypot(self.error[a], self.error[b]) for a, b in zip(order, order[1:]))

    def off(self):
        return max(abs(self.found[coid] - self.own[coid]) for coid in self.own)

    def show(self, title):
        print(f"\n{title}: {self.samples} samples of {sum(self.larx.values())} larx")
        for coid in self.ranked(self.own):
            print(f"  {coid:>8} own {self.own[coid]:6.2f} %  found {self.found[coid]:6.2f} % ± {self.error[coid]:.2f}")


@pytest.fixture(scope="module", name="measured")
def measure_in_both_ways(machine):
    """At 10k, by interrupts and by precise records: a run each in which ranks can be told."""

    def one(*options):
        for _ in range(TRIES):
            found = Measurement(machine, 10000, *options)
            found.show(" ".join(("10k", *options)))
            if found.told_apart():
                return found
        pytest.fail(f"in {TRIES} runs the workload never made contention that differs between objects: {found.own}")

    return {"interrupt": one(), "precise": one("--precise")}


@pytest.mark.parametrize("mode", ["interrupt", "precise"])
def test_ranks_are_the_workloads_own(measured, mode):
    found = measured[mode]
    assert found.ranked(found.found) == found.ranked(found.own), (found.found, found.own)


@pytest.mark.parametrize("mode", ["interrupt", "precise"])
def test_shares_are_the_workloads_own(measured, mode):
    found = measured[mode]
    assert found.off() < POINTS, (found.found, found.own)


def test_both_ways_agree(measured):
    """Each is off from its own run's truth by chance only, so the difference is within both errors."""
    one, other = measured["interrupt"], measured["precise"]
    for a, b in zip(one.ranked(one.own), other.ranked(other.own)):
        difference = (one.found[a] - one.own[a]) - (other.found[b] - other.own[b])
        assert abs(difference) <= math.hypot(one.error[a], other.error[b]) + 0.5, (one.found, other.found)


@pytest.mark.parametrize("mode", ["interrupt", "precise"])
def test_all_larx_are_those_of_the_locks(measured, mode):
    """Turns and acquisitions of the workload are nearly all there is; what is counted beyond them are other locks'."""
    found = measured[mode]
    total, own = found.kov["larx"], sum(found.larx.values())
    assert own - total["error"] <= total["value"] <= 1.2 * own + total["error"], (total, own)
    metric = found.kov["spin_contention"]
    expected = 100 * 4 * total["value"] / found.kov["instructions"]["value"]
    assert metric["value"] == pytest.approx(expected, rel=1e-5) and metric["error"] < metric["value"]  # six digits


def test_thresholds_as_in_figure_4_8(machine):
    """From 10k to 1M: the same picture for as long as there are samples enough."""
    runs = [Measurement(machine, threshold, seconds=10) for threshold in (10000, 100000, 1000000)]
    for run in runs:
        run.show(f"threshold {run.threshold}")
        if run.samples >= ENOUGH:
            assert run.off() < POINTS, (run.threshold, run.found, run.own)
        # A sample stands for so many larx, give or take what each CPU had counted last.
        assert abs(run.samples * run.threshold - sum(run.larx.values())) < 0.2 * sum(run.larx.values()) + 4 * run.threshold
    fine, _, coarse = runs
    assert max(coarse.error.values()) > 2 * max(fine.error.values())


def test_acquisitions_are_counted_beside(machine):
    found = Measurement(machine, 500, "--precise", "-a", seconds=4, hold=1)
    report = found.kov["workload"]["report"]
    assert found.rows, "the hottest object has samples"
    for coid, row in found.rows.items():
        taken, own = row["acquisitions"], report[f"acquisitions.{coid}"]
        print(f"{coid}: {own} acquisitions, found {taken['value']} ± {taken['error']:.0f}")
        assert abs(taken["value"] - own) <= 1.5 * taken["error"] + 5 * found.threshold, (coid, taken, own)


def test_a_process_can_be_picked(machine):
    everything = machine.kov("locks", "-c", "1000", "--pid", "0", "--", "contention", "seconds=3")
    assert any("ContendedObject" in row["object"] for row in everything["objects"])
    nothing = machine.kov("locks", "-c", "1000", "--except-pid", "0", "--", "contention", "seconds=3")
    assert not any("ContendedObject" in row["object"] for row in nothing["objects"])


@pytest.mark.parametrize("options", [("-c", "15"), ("-c", "999"), ("-c", "4294967296"), ("--cpus", "16"), ("--pid", "x")])
def test_absurd_requests_are_refused(machine, options):
    done = machine.kov_run("locks", "-d", "0.1", *options, check=False)
    assert done.returncode in (1, 2) and done.stderr.startswith("kov: "), done


def test_without_the_unit_that_is_said(boot):
    machine = boot("plain").wait_ready()
    done = machine.kov_run("locks", "-d", "0.1", check=False)
    assert done.returncode == 1 and "without the model unit" in done.stderr
