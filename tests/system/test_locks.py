# SPDX-License-Identifier: MIT
"""Contention for spin locks by object: what `kov locks` finds by samples of larx, against the
workload's own account, which it has from the locks' trace events."""

import pytest

from chance import AT_ONCE, SIGMAS, certainly, may_be
from waiting import wait_for

CONTENDED = {"cpus": 4, "pmu": "model"}
SECONDS = 10
THRESHOLD = 1000  # the finest: chance moves a precise share by hardly more than four percent


@pytest.fixture(name="machine")
def contended_machine(pool):
    return pool.lend(**CONTENDED)


class Measurement:
    """One run of the workload: what kov found of its objects, and what it did itself, in percent of
    both."""

    def __init__(self, machine, threshold, *options, seconds=SECONDS, hold=100):
        self.threshold = threshold
        self.at_once = 1 if "--precise" in options else AT_ONCE
        self.kov = machine.kov("locks", "-c", str(threshold), *options, "--", "contention",
                               f"seconds={seconds}", f"hold={hold}")
        report = self.kov["workload"]["report"]
        coids = [key[len("spins."):] for key in report if key.startswith("spins.")]
        assert len(coids) == 4, "the workload knows its turns from trace events, which are on"
        # Each acquisition is a larx, each turn of waiting another one.
        self.larx = {coid: report[f"acquisitions.{coid}"] + report[f"spins.{coid}"]
                     for coid in coids}
        self.rows = {row["coid"]: row for row in self.kov["objects"] if row.get("coid") in coids
                     and row["coid_pid"] == 0}
        self.samples = sum(row["samples"] for row in self.rows.values())
        # Overflows that a busy host let pass without a sample of their own: they
        # may have been anybody's.
        self.overlooked = self.kov["lost"] + self.kov["missed"]
        # percentage points
        self.unknown = 100 * self.overlooked / max(self.samples + self.overlooked, 1)
        self.own = {coid: 100 * larx / sum(self.larx.values()) for coid, larx in self.larx.items()}
        found = sum(row["larx"]["value"] for row in self.rows.values())
        self.found = {coid: 100 * self.rows[coid]["larx"]["value"] / found if coid in self.rows
                      else 0 for coid in coids}
        self.error = {coid: self.rows[coid]["share"]["chance"] if coid in self.rows
                      else 100 / max(self.samples, 1) for coid in coids}

    def ranked(self, shares):
        return sorted(shares, key=shares.get, reverse=True)

    def chance(self, one, other):
        """Percentage points that the difference of two found shares may be off; they are not
        independent."""
        return certainly(self.error[one] + self.error[other]) * self.at_once ** 0.5 + self.unknown

    def told_apart(self):
        """Pairs whose true shares differ by more than chance may add to samples of them: first the
        one with more."""
        return [(one, other) for one in self.own for other in self.own
                if self.own[one] - self.own[other] > self.chance(one, other)]

    def check_shares(self):
        overflows = self.samples + self.overlooked
        assert overflows > 0
        for coid in self.own:
            samples = self.rows[coid]["samples"] if coid in self.rows else 0
            likely = min(max(overflows * self.own[coid] / 100, samples), samples + self.overlooked)
            assert may_be(likely, overflows, self.own[coid] / 100,
                          self.at_once), (coid, self.found, self.own, self.overlooked)
        self.check_errors()

    def check_errors(self):
        """The error that kov tells has chance in it, and all that had no sample. Its shares are of
        the larx of all, of which others may have a few."""
        others = 100 * (1 - sum(row["share"]["value"] for row in self.rows.values()) / 100)
        for coid, row in self.rows.items():
            share = row["share"]
            chance = certainly(share["chance"]) * self.at_once ** 0.5
            assert abs(share["value"] - self.own[coid]) <= chance + share["error"] \
                - share["chance"] + others, (coid, share, self.own)

    def show(self, title):
        print(f"\n{title}: {self.samples} samples of {sum(self.larx.values())} larx")
        for coid in self.ranked(self.own):
            print(f"  {coid:>8} own {self.own[coid]:6.2f} %  "
                  f"found {self.found[coid]:6.2f} % ± {self.error[coid]:.2f}")


@pytest.fixture(scope="module", name="measured")
def measure_in_both_ways(pool):
    """By interrupts and by precise records: a run each in which some ranks can be told, for the
    host decides who waits for whom."""

    def one(*options):
        found = Measurement(pool.lend(**CONTENDED), THRESHOLD, *options)
        found.show(" ".join((str(THRESHOLD), *options)))
        return found if found.told_apart() else None

    return {mode: wait_for(lambda mode=mode: one(*options),
                           "contention that differs between objects")
            for mode, options in (("interrupt", ()), ("precise", ("--precise",)))}


@pytest.mark.parametrize("mode", ["interrupt", "precise"])
def test_ranks_are_the_workloads_own(measured, mode):
    found = measured[mode]
    for one, other in found.told_apart():
        assert found.found[one] > found.found[other], (found.found, found.own)


@pytest.mark.parametrize("mode", ["interrupt", "precise"])
def test_shares_are_the_workloads_own(measured, mode):
    measured[mode].check_shares()


def test_both_ways_agree(measured):
    """Each is off from its own run's truth by chance only, so the difference is within both
    errors."""
    one, other = measured["interrupt"], measured["precise"]
    for a, b in zip(one.ranked(one.own), other.ranked(other.own)):
        difference = (one.found[a] - one.own[a]) - (other.found[b] - other.own[b])
        error = (one.at_once * one.error[a] ** 2 + other.at_once * other.error[b] ** 2) ** 0.5
        assert abs(difference) <= certainly(error) + one.unknown + other.unknown, \
            (one.found, one.own, other.found, other.own)


@pytest.mark.parametrize("mode", ["interrupt", "precise"])
def test_all_larx_are_those_of_the_locks(measured, mode):
    """Turns and acquisitions of the workload are all counted, but for a period that each CPU has
    begun; what is counted beyond them are other locks'."""
    found = measured[mode]
    total, own = found.kov["larx"], sum(found.larx.values())
    assert mode == "interrupt" or found.overlooked == 0
    assert total["value"] + found.overlooked * THRESHOLD >= own - CONTENDED["cpus"] * THRESHOLD, \
        (total, own)
    shown = sum(row["samples"] for row in found.kov["objects"])
    assert found.samples <= shown <= total["value"] / THRESHOLD * (1 + 1e-5), (shown, total)
    metric = found.kov["spin_contention"]
    expected = 100 * 4 * total["value"] / found.kov["instructions"]["value"]
    # six digits
    assert metric["value"] == pytest.approx(expected,
                                            rel=1e-5) and metric["error"] < metric["value"]


@pytest.mark.minutes
def test_thresholds_as_in_figure_4_8(machine):
    """From 10k to 1M: the same picture, as coarse as chance has it."""
    runs = [Measurement(machine, threshold, "--precise") for threshold in (10000, 100000, 1000000)]
    for run in runs:
        run.show(f"threshold {run.threshold}")
        if run.samples + run.overlooked > 0 or run is not runs[-1]:
            run.check_shares()
        # A sample stands for so many larx, give or take what each CPU had counted last,
        # and whose were in between.
        samples = sum(run.larx.values()) / run.threshold
        assert abs(run.samples - samples) <= SIGMAS * samples ** 0.5 + CONTENDED["cpus"], \
            (run.samples, samples)
    fine, _, coarse = runs
    assert coarse.samples == 0 or max(coarse.error.values()) > max(fine.error.values())


def test_acquisitions_are_counted_beside(machine):
    found = Measurement(machine, 500, "--precise", "-a", seconds=4, hold=1)
    report = found.kov["workload"]["report"]
    assert found.rows, "the hottest object has samples"
    for coid, row in found.rows.items():
        taken, own = row["acquisitions"], report[f"acquisitions.{coid}"]
        print(f"{coid}: {own} acquisitions, found {taken['value']} ± {taken['error']:.0f}")
        assert abs(taken["value"] - own) <= certainly(taken["error"]) + 5 * found.threshold, \
            (coid, taken, own)


def test_a_process_can_be_picked(machine):
    everything = machine.kov("locks", "-c", "1000", "--pid", "0", "--", "contention", "seconds=3")
    assert any("ContendedObject" in row["object"] for row in everything["objects"])
    nothing = machine.kov("locks", "-c", "1000", "--except-pid", "0", "--", "contention",
                          "seconds=3")
    assert not any("ContendedObject" in row["object"] for row in nothing["objects"])


@pytest.mark.parametrize("options", [("-c", "15"), ("-c", "999"), ("-c", "4294967296"),
                                     ("--cpus", "16"), ("--pid", "x")])
def test_absurd_requests_are_refused(machine, options):
    done = machine.kov_run("locks", "-d", "0.1", *options, check=False)
    assert done.returncode in (1, 2) and done.stderr.startswith("kov: "), done


def test_without_the_unit_that_is_said(boot):
    machine = boot("plain").wait_ready()
    done = machine.kov_run("locks", "-d", "0.1", check=False)
    assert done.returncode == 1 and "without the model unit" in done.stderr
