# SPDX-License-Identifier: MIT
"""Thresholds that follow the rate of an event, on a machine whose time and rates are made: each
statistic that kov asks for comes half a second of the machine's later, however long it takes."""

import math
import subprocess

import pytest

import dci_pb2 as dci
from conftest import KOV
from machine import E_BUSY, PATIENCE, TIMEBASE_HZ, counted

STEP = 0.5  # seconds of the machine's from one statistic to the next
CPU1 = 8    # it has an eighth of the events


class World:
    """Events at the rates of a script, one for each step, on a machine that counts overflows of the
    present period. It takes `most` samples in a step, and misses the others. In the step after a
    flood, `late` more overflows still come of the old period. Nobody is shown samples: what kov
    corrects by are the counts."""

    def __init__(self, machine, rates, most=math.inf, late=0):
        self.machine, self.rates, self.most, self.late = machine, list(rates), most, late
        self.taken = [0, 0]
        self.steps = []  # (rate, period, overflows on CPU 0)
        self.overflows = [0, 0]
        self.rest = [0.0, 0.0]
        self.counted = self.rates[0]
        machine.count_of = lambda cpu, item, reading: counted(
            [(9, int(self.counted * 2 / (CPU1 if cpu else 1)))], 9)
        machine.misbehaviour["sampling_stat"] = self.stat

    def stat(self, session, request):
        rate = self.rates[min(len(self.steps), len(self.rates) - 1)]
        period = self.machine.sampled[0].period
        if self.steps and period > 2 * self.steps[-1][1]:
            self.overflows[0] += self.late
        for cpu in (0, 1):
            events = rate * STEP / (CPU1 if cpu else 1) + self.rest[cpu]
            self.overflows[cpu] += int(events // period)
            self.taken[cpu] += min(int(events // period), self.most)
            self.rest[cpu] = events % period
        self.steps.append((rate, period, rate * STEP / period))
        self.machine.sampling_stats = [
            dci.SamplingStat(cpu=cpu, taken=taken, filtered=taken, missed=count - taken,
                             overflows=count)
            for cpu, (taken, count) in enumerate(zip(self.taken, self.overflows))]
        self.machine.sampling_now = int(TIMEBASE_HZ * STEP * len(self.steps))
        session.respond(request, sampling_stat=dci.SamplingStatReply(
            session=1, cpus=self.machine.sampling_stats, events=self.machine.sampled, running=True,
            time=self.machine.sampling_now))


def play(machine, tmp_path, rates, *options, **of_world):
    """Lets kov record by an event of these rates. Returns the world."""
    world = World(machine, rates, **of_world)
    command = [KOV, "--port", str(machine.port), "record", "-d", "86400", *options]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as recorder:
        machine.wait_for("sampling_stat", len(rates) + 1)
        recorder.terminate()
        world.said = recorder.communicate(timeout=PATIENCE)[0]
    return world


def test_a_rate_stays_as_asked_from_idle_to_load_and_back(machine, tmp_path):
    idle, load = 20e6, 900e6
    world = play(machine, tmp_path, [idle] * 2 + [load] * 3 + [idle] * 4, "-e", "instructions")
    assert machine.asked("sampling_start")[0].events[0].period == pytest.approx(idle / 1000,
                                                                                 rel=0.01)
    samples = [overflows / STEP for _, _, overflows in world.steps]
    near = [abs(one - 1000) <= 200 for one in samples]
    assert near[0] and near[1], samples
    assert not near[2] and near[3] and near[4], samples  # one step behind
    assert not near[5] and not near[6] and near[7], samples  # first a sixteenth
    # Nothing is changed where it is near enough.
    assert len(machine.asked("sampling_change")) == 3


def test_a_rare_event_has_the_least_threshold_and_is_named(machine, tmp_path):
    world = play(machine, tmp_path, [3000] * 2, "-e", "larx")
    assert machine.asked("sampling_start")[0].events[0].period == 1000
    assert not machine.asked("sampling_change")
    assert "larx is too rare for 1000 samples a second" in world.said


def test_the_rate_comes_down_until_nothing_is_lost_and_goes_up_again(machine, tmp_path):
    """The machine takes 1,200 samples a second. A rate of 1,000 is the first that it keeps up
    with, and ten verdicts later it tries a higher one."""
    world = play(machine, tmp_path, [900e6] * 16, "-e", "instructions", "-F", "4000", most=600)
    samples = [overflows / STEP for _, _, overflows in world.steps]
    assert samples[:4] == pytest.approx([4000, 4000, 2000, 1000], rel=0.15), samples
    assert samples[4:13] == pytest.approx([1000] * 9, rel=0.15), samples
    assert samples[13:15] == pytest.approx([2000, 1000], rel=0.15), samples
    assert "instructions: at 4000 samples a second too many were lost or missed" in world.said
    assert "1000 at the least" in world.said


def test_a_flood_does_not_lower_the_rate(machine, tmp_path):
    """What is lost until the threshold has followed says nothing of the rate that is meant."""
    world = play(machine, tmp_path, [20e6] * 3 + [900e6] * 4, "-e", "instructions", most=600)
    assert abs(world.steps[-1][2] / STEP - 1000) <= 200, world.steps
    assert "too many" not in world.said


def test_the_end_of_a_flood_does_not_lower_the_rate(machine, tmp_path):
    """What is lost between the statistic and the new threshold says nothing either."""
    world = play(machine, tmp_path, [20e6] * 2 + [900e6] * 6, "-e", "instructions", late=400)
    assert abs(world.steps[-1][2] / STEP - 1000) <= 200, world.steps
    assert "too many" not in world.said


def test_top_names_what_is_too_rare(machine, tmp_path, kov):
    for form, said in (((), "larx is too rare for 1000 samples a second"),
                       (("--json",), '"too_rare":true')):
        World(machine, [3000])
        shown = kov("top", "-n", "2", "-d", "0.7", "-e", "larx", *form, machine=machine)
        assert shown.code == 0 and said in shown.out, shown


def test_precise_thresholds_go_lower(machine, tmp_path):
    world = play(machine, tmp_path, [300000] * 2, "-e", "larx", "--precise", "-F", "500")
    assert machine.asked("sampling_start")[0].events[0].period == 600
    assert "too rare" not in world.said


def test_what_comes_before_a_workload_says_nothing_of_it(machine, tmp_path):
    """A guess comes down to its rate, in place of a flood at an idle machine's threshold."""
    world = World(machine, [2e6] * 5)
    machine.workload_duration = math.inf
    command = [KOV, "--port", str(machine.port), "record", "-e", "larx", "--", "demo"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL) as recorder:
        machine.wait_for("sampling_stat", 5)
        recorder.terminate()
        recorder.wait(PATIENCE)
    assert not machine.asked("count_start")
    assert machine.asked("sampling_start")[0].events[0].period == 10000
    assert world.steps[-1][1] == pytest.approx(2000, rel=0.1)


def test_what_cannot_be_counted_begins_with_a_guess(machine, tmp_path):
    machine.errors["count_start"] = (E_BUSY, "others count, too")
    world = play(machine, tmp_path, [2e6] * 5, "-e", "larx")
    assert machine.asked("sampling_start")[0].events[0].period == 10000
    assert world.steps[-1][1] == pytest.approx(2000, rel=0.1)


@pytest.mark.parametrize("options", [("-e", "larx", "-c", "50000"), ("-e", "larx@50000")])
def test_a_threshold_that_is_given_stays(machine, tmp_path, options):
    """It asks for no statistics, so the machine's time stands still."""
    world = World(machine, [3e6])
    done = subprocess.run([KOV, "--port", str(machine.port), "record", "-d", "1.2", *options],
                          cwd=tmp_path, stdout=subprocess.PIPE, timeout=PATIENCE, check=False)
    assert done.returncode == 0 and not world.steps and not machine.asked("count_start")
    assert not machine.asked("sampling_change")


def test_a_threshold_that_somebody_sets_stays(machine, tmp_path, kov):
    world = World(machine, [3e6])
    command = [KOV, "--port", str(machine.port), "record", "-d", "86400", "-e", "larx,stcx"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE) as recorder:
        machine.wait_for("sampling_start")
        assert kov("threshold", "larx", "77777", machine=machine).code == 0
        machine.wait_for("sampling_stat", len(world.steps) + 3)
        recorder.terminate()
        recorder.wait(PATIENCE)
    assert machine.sampled[0].period == 77777
