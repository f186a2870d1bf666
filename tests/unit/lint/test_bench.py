# SPDX-License-Identifier: MIT
"""scripts/bench: a program that fails costs its own measurements, and no others."""

import importlib.machinery
import importlib.util
import json
import os
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
SCRIPTS = os.path.join(ROOT, "scripts")


@pytest.fixture(name="bench")
def _bench(monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS)
    loader = importlib.machinery.SourceFileLoader("bench", os.path.join(SCRIPTS, "bench"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench", loader))
    loader.exec_module(module)
    monkeypatch.setattr(module, "programs", lambda build: ["bin/bench-good", "bin/bench-bad"])
    monkeypatch.setattr(module, "BUDGETS", {"one": 10, "two": 20, "three": 30})
    return module


def measure(bad):
    """A machine whose program `bin/bench-bad` measures nothing if it is bad."""
    def measure_guest(_, append):
        from bench_guest import fail
        for name, word in (("one", "bench="), ("two", "bench-good"), ("three", "bench-bad")):
            if word in append:
                if bad and name == "three":
                    fail(f"the guest ({append}) ended with status 1")
                return [{"name": name, "value": 5.0, "unit": "instructions", "budget": 10}]
        raise AssertionError(append)
    return measure_guest


def run(bench, monkeypatch, folder, *options):
    baseline = folder / "baseline.json"
    baseline.write_text(json.dumps({"one": 5.0, "two": 5.0, "three": 5.0}))
    monkeypatch.setattr(sys, "argv", ["bench", "--no-boot-time", "--results",
                                      str(folder / "results"), "--baseline", str(baseline),
                                      *options])
    return bench.main(), baseline.read_text()


def test_all_are_measured(bench, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(bench, "measure_guest", measure(bad=False))
    assert run(bench, monkeypatch, tmp_path)[0] == 0
    assert "MISSING" not in capsys.readouterr().out


def test_what_fails_is_told_and_the_others_are_measured(bench, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(bench, "measure_guest", measure(bad=True))
    status, _ = run(bench, monkeypatch, tmp_path)
    said = capsys.readouterr()
    assert status == 1 and "bench-bad" in said.err
    assert "MISSING, in the baseline" in said.out and said.out.count(" ok\n") == 2, said.out
    assert set(json.loads((tmp_path / "results").read_text())["metrics"]) == {"one", "two"}


def test_a_baseline_is_not_replaced_by_a_part_of_it(bench, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(bench, "measure_guest", measure(bad=True))
    status, baseline = run(bench, monkeypatch, tmp_path, "--update-baseline")
    assert status == 1 and set(json.loads(baseline)) == {"one", "two", "three"}
    assert "stays as it is" in capsys.readouterr().err
