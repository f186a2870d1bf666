# SPDX-License-Identifier: MIT
"""kov annotate and kov export of a recording with several events at the same time."""

import collections

import dci_pb2 as dci
import pytest

from machine import add_samples
from power_program import Program
from profile_parser import Profile
from test_export import perf_script


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return Program(tmp_path_factory.mktemp("program"), "kernel")


@pytest.fixture
def recorded(kov, machine, program):
    """Records larx every 1000: 30 in bottom; larx:u … of users only: 7 in odd; instructions every
    20000: 5 in each."""
    machine.system.build_id = bytes.fromhex(program.build_id)
    bottom, odd = program.address(5), program.address(19)
    add_samples(machine, {(0x1010, bottom): 30}, index=0, lost=2)
    add_samples(machine, {(0x1010, odd): 7}, index=1, cpu=1, lost=3)
    add_samples(machine, {(0x1010, odd): 5, (0x1020, bottom): 5}, index=2)
    result = kov("record", "-d", "0.1", "-e", "larx:k@1000,larx:u@3000", "-e", "instructions@20000",
                 machine=machine)
    assert result.code == 0, result.err


def test_annotate_shows_the_event_that_is_asked_for(kov, recorded, program):
    def function(*arguments):
        report = kov("annotate", "--json", "--kernel", program.path, *arguments).json
        return report["event"], report["period"], report["lost"], \
            report["functions"][0]["function"], report["samples"]

    assert function() == ("larx:k", 1000, 2, "bottom", 30)
    assert function("-e", "larx:u") == ("larx:u", 3000, 3, "odd", 7)
    assert function("-e", "instructions")[::4] == ("instructions", 10)
    for name in ("larx", "stcx"):
        result = kov("annotate", "-e", name)
        assert result.code == 1 and "larx:k, larx:u, instructions" in result.err


def test_folded_stacks_are_of_one_event(kov, recorded, program):
    result = kov("export", "-f", "folded")
    assert result.code == 2 and "--event" in result.err and "larx:k" in result.err
    lines = kov("export", "-f", "folded", "-e", "larx:u", "--kernel", program.path).out.splitlines()
    assert [line.split(";")[-1] for line in lines] == ["odd 21000"]


def test_perf_script_has_all_events_with_what_each_sample_stands_for(kov, recorded):
    samples = perf_script(kov("export", "-f", "perf-script").out)
    assert collections.Counter((sample["event"], sample["period"]) for sample in samples) == {
        ("larx:k", 1000): 30, ("larx:u", 3000): 7, ("instructions", 20000): 10}
    samples = perf_script(kov("export", "-f", "perf-script", "-e", "instructions").out)
    assert len(samples) == 10


def test_profiles_have_two_values_an_event(kov, recorded, tmp_path, program):
    assert kov("export", "-f", "pprof", "-o", "p.gz", "--kernel", program.path).code == 0
    made = Profile(tmp_path / "p.gz")
    assert [name for name, _ in made.types] == ["larx:k-samples", "larx:k", "larx:u-samples",
                                                "larx:u", "instructions-samples", "instructions"]
    assert [made.sum(name) for name, _ in made.types] == [30, 30000, 7, 21000, 10, 200000]
    assert made.period == 0 and not made.period_type and made.default_type == "larx:k"
    assert any("5 samples were lost" in comment for comment in made.comments)
    assert kov("export", "-f", "pprof", "-o", "p.gz", "-e", "larx:u").code == 0
    made = Profile(tmp_path / "p.gz")
    assert made.types == [("samples", "count"), ("larx:u", "count")]
    assert (made.sum("samples"), made.sum("larx:u"), made.period) == (7, 21000, 3000)
    assert any("3 samples were lost" in comment for comment in made.comments)


def test_a_changed_period_counts_from_its_change_on(kov, machine):
    add_samples(machine, {(0x1010, 0x100): 4})
    for sample in machine.samples[0].samples:
        sample.time += 100
    machine.misbehaviour["sampling_start"] = lambda session, request: (
        session.do_sampling_start(request), session.push(sampling_changed=dci.SamplingChanged(
            index=0, period=9000, randomise=0, time=102)), session.push(samples=dci.Samples(
                samples=[dci.Sample(time=103, pc=0x100, flags=dci.SAMPLE_KERNEL)])))
    machine.sampling_stats[0].taken += 1
    assert kov("record", "-d", "0.1", "-c", "5000", machine=machine).code == 0
    samples = perf_script(kov("export", "-f", "perf-script").out)
    assert sorted(sample["period"] for sample in samples)[0] == 5000
    assert sorted(sample["period"] for sample in samples)[-1] == 9000
