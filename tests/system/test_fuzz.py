# SPDX-License-Identifier: MIT
"""The fuzzer on real machines: scenarios that once failed, and a little of each way of fuzzing
(tests/fuzz/README.md)."""

import os
import sys

import pytest

from machine import BUILD, ROOT

HERE = os.path.join(ROOT, "tests/fuzz")
sys.path.insert(0, os.path.join(HERE, "host"))

import campaign  # noqa: E402
import coverage  # noqa: E402
import guest  # noqa: E402
import minimise  # noqa: E402
import tables  # noqa: E402

KNOWN = tables.Tables()
SECONDS = 900  # for a busy host; it takes some
# Calls of each way.
CALLS = {"plain": 6000, "servers": 6000, "rights": 3000, "devices": 6000, "watched": 1000}


@pytest.mark.parametrize("cpus", [1, 2])
def test_what_once_failed_is_fine(cpus):
    paths = campaign.corpus_files(HERE)
    replayer = minimise.Replayer(guest.Setting(BUILD, cpus=cpus), KNOWN, turns=2, seconds=SECONDS)
    got, console = replayer.run(campaign.scenario(paths, KNOWN))
    assert paths and got.fine, f"{got}: tests/fuzz/fuzz replay {' '.join(paths)}\n{console[-4000:]}"


@pytest.mark.parametrize("profile", campaign.PROFILES, ids=lambda profile: profile.name)
def test_a_little_fuzzing_finds_nothing_and_leaves_nothing(profile, tmp_path):
    limits = {"calls": CALLS[profile.name], "processes": 21, "warm": 20, "every": 20}
    with campaign.Run(KNOWN, BUILD, profile, 2, 1, limits, lambda line: None) as run:
        map_path = str(tmp_path / "map.cov")
        run.run(campaign.load(campaign.corpus_files(HERE), KNOWN), map_path, SECONDS)
        again = (f"tests/fuzz/fuzz run --profile {profile.name} --calls {CALLS[profile.name]} "
                 "--seed 1 --option warm=20 --option every=20")
        assert run.outcome.fine, f"{run.outcome}: {again}\n{run.console[-4000:]}"
    assert run.summary["calls"] >= CALLS[profile.name] and run.summary["processes"] > 20 \
        and run.summary["looks"] > 0
    results = [sum(column) for column in zip(*run.counts.values())]
    for word in ("ok", "INVAL", "NOENT", "PERM", "FAULT"):
        assert results[campaign.ERRORS.index(word)], f"{word}: {results}"
    _, (_, lines, _, executed) = coverage.report(coverage.read([map_path]))
    assert executed > lines / 2


def test_what_is_said_to_be_unreachable_exists():
    lines = coverage.lines_of(os.path.join(BUILD, "orrery-bench.elf"))
    rows = coverage.Unreachable(os.path.join(HERE, "unreachable.txt"))
    assert len(lines.files) > 30 and list(rows.complaints(lines)) == []
