# SPDX-License-Identifier: MIT
"""Sampling by object: the demo workload's work 1:2:4 as kov records and reports it."""

import subprocess

import pytest

import dci_client as dci
from chance import SIGMAS
from conftest import EXACT
from machine import CONTROLLER

SECONDS = 5
EXACT_SECONDS, EXACT_RATE = 2, 2000


def table(report, key):
    return next(found["rows"] for found in report["tables"] if found["sort"] == [key])


@pytest.fixture(scope="module", name="recording")
def record_demo(pool, tmp_path_factory):
    """(what record said, what report says) of the demo workload."""
    path = str(tmp_path_factory.mktemp("demo") / "samples.kov")
    machine2 = pool.lend(cpus=2)
    recorded = machine2.kov("record", "-o", path, "-F", "1000", "--pid", "0", "--", "demo",
                            f"seconds={SECONDS}")
    return recorded, machine2.kov("report", "-i", path, "-g")


def guest_seconds(machine):
    with dci.connect(machine.port, CONTROLLER) as client:
        system = client.system()
        return system.time / system.timebase_hz


@pytest.fixture(scope="module", name="exact_recording")
def record_demo_exactly(pool, tmp_path_factory):
    """The same where a cycle is an instruction: how much time an object's work takes is up to a
    busy host otherwise."""
    path = str(tmp_path_factory.mktemp("exact") / "samples.kov")
    exact = pool.lend(**EXACT)
    before = guest_seconds(exact)
    recorded = exact.kov("record", "-o", path, "-F", str(EXACT_RATE), "--pid", "0", "--", "demo",
                         f"seconds={EXACT_SECONDS}")
    return dict(recorded, guest_seconds=guest_seconds(exact) - before), exact.kov("report", "-i",
                                                                                  path, "-g")


def demo_coids(recorded):
    """COIDs of the three objects in order of work."""
    report = recorded["workload"]["report"]
    work = {key.split(".")[1]: int(value)
            for key, value in report.items() if key.startswith("work.")}
    return sorted(work, key=work.get), sorted(work.values())


def test_no_sample_is_lost(exact_recording):
    """Where the machine waits for nobody: a busy host may hold the reader up until the buffers are
    full."""
    recorded, _ = exact_recording
    assert recorded["lost"] == 0


def test_every_sample_is_accounted_for(recording):
    recorded, reported = recording
    assert all(cpu["taken"] == cpu["samples"] + cpu["filtered"] for cpu in recorded["cpus"])
    assert reported["samples"] == recorded["samples"]


def test_both_cpus_are_sampled(recording):
    recorded, _ = recording
    assert len(recorded["cpus"]) == 2 and all(cpu["samples"] > 0
                                              for cpu in recorded["cpus"]), recorded["cpus"]


def test_the_rate_is_that_which_was_asked_for(exact_recording):
    """All of the time that the workload runs the CPU is busy; while it is idle no sample is
    taken."""
    recorded, _ = exact_recording
    cpu, = recorded["cpus"]
    chance = SIGMAS * (EXACT_RATE * recorded["guest_seconds"]) ** 0.5
    assert cpu["taken"] >= EXACT_RATE * EXACT_SECONDS - chance, cpu
    assert cpu["taken"] <= EXACT_RATE * recorded["guest_seconds"] + chance, cpu


def test_samples_are_attributed(exact_recording):
    recorded, _ = exact_recording
    assert recorded["attributed_percent"] >= 98, recorded


def test_samples_of_processes_are_attributed(exact, tmp_path):
    """The servers that carry the samples are sampled as well: what they do is some object's work,
    but for the loop of net."""
    recorded = exact.kov("record", "-o", str(tmp_path / "all.kov"), "-F", "1000", "--", "demo",
                         "seconds=3")
    assert recorded["attributed_percent"] >= 93, recorded


def test_samples_divide_as_the_work(exact_recording):
    recorded, reported = exact_recording
    coids, work = demo_coids(recorded)
    samples = {row["coid"]: row["samples"] for row in table(reported, "object") if "coid" in row}
    unit = sum(samples[coid] for coid in coids) / sum(work)
    for coid, share in zip(coids, work):
        assert samples[coid] / (unit * share) == pytest.approx(1, abs=0.03), (samples, work)


def test_iterations_are_exactly_in_ratio(recording):
    recorded, _ = recording
    report = recorded["workload"]["report"]
    coids, work = demo_coids(recorded)
    unit = int(report[f"iterations.{coids[0]}"])
    assert [int(report[f"iterations.{coid}"]) for coid in coids] == [unit * share for share in work]


def test_samples_fall_into_soft_masked_sections(exact_recording):
    recorded, reported = exact_recording
    coids, _ = demo_coids(recorded)
    report = recorded["workload"]["report"]
    for row in table(reported, "object"):
        if row.get("coid") in coids:
            masked = int(report[f"masked.{row['coid']}"]) / int(report[f"iterations.{row['coid']}"])
            assert row["soft_masked"] / row["samples"] == pytest.approx(masked, abs=0.05), row


def test_functions_and_call_chains_have_names(exact_recording):
    _, reported = exact_recording
    functions = {row["function"]: row for row in table(reported, "function")}
    inner = functions["work_object_spin_inner"]
    assert inner["samples"] > reported["samples"] // 3
    chains = [chain["functions"] for chain in inner["chains"]]
    assert any("work_object_spin_outer" in chain and "work_object_spin_nested" in chain
               for chain in chains), chains
    assert not [name for name in functions if name.startswith("0x")], functions.keys()


def test_a_higher_rate_gives_more_samples(exact, tmp_path):
    slow, fast = (exact.kov("record", "-o", str(tmp_path / rate), "-F", rate, "--pid", "0", "--",
                            "demo", "seconds=1")
                  for rate in ("1000", "8000"))
    assert slow["lost"] == 0
    # At least those of the second that the workload takes;
    # and what there is beside it is far from as much again.
    missed = sum(cpu["missed"] for cpu in fast["cpus"])
    assert fast["samples"] + fast["lost"] + missed > 7500, (slow["cpus"], fast["cpus"])
    assert 900 < slow["samples"] < 2000, (slow["cpus"], fast["cpus"])


def test_sampling_is_one_clients_at_a_time(machine2, tmp_path):
    command = machine2.kov_command("record", "-o", str(tmp_path / "first"), "-d", "3")
    for _ in range(5):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True) as first:
            second = wait_refused(machine2, first, tmp_path)
            errors = first.stderr.read()
        if second is not None:
            break
        assert "in use" in errors, errors  # the short recordings came first: once more
    else:
        raise AssertionError("two clients sample at the same time")
    assert "in use" in second.stderr, second
    assert first.returncode == 0, errors
    machine2.kov("record", "-o", str(tmp_path / "third"), "-d", "0.2")


def wait_refused(machine, first, tmp_path):
    """Records shortly until that fails, for the first client may not have begun yet. None: the
    first one ended."""
    while first.poll() is None:
        done = machine.kov_run("record", "-o", str(tmp_path / "second"), "-d", "0.05", check=False)
        if done.returncode != 0:
            return done
    return None


@pytest.mark.parametrize("options",
                         [("-c", "999"), ("-c", "4294967296"), ("-g", "17"), ("-F", "0")])
def test_absurd_sampling_is_refused(machine2, tmp_path, options):
    done = machine2.kov_run("record", "-o", str(tmp_path / "x"), "-d", "0.1", *options, check=False)
    assert done.returncode in (1, 2) and done.stderr.startswith("kov: "), done
