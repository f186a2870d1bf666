# SPDX-License-Identifier: MIT
"""Pages beside kov commands: whose samples they show, what gives way, and what comes back."""

import signal
import subprocess

import pytest

from waiting import wait_for

KNOWN_METRIC = """/[0-9]/.test(document.querySelector('.strip-name[data-metric="IPC"] .number')
    ?.textContent ?? "")"""


@pytest.fixture(name="start_locks")
def _start_locks(machine):
    """Starts a `kov locks` that goes on until it is interrupted."""
    running = []

    def owns(process):
        assert process.poll() is None, process.stderr.read()
        return any(client["sampling"] and not client["sampling_yields"]
                   for client in machine.kov("server")["clients"])

    def start():
        process = subprocess.Popen(machine.kov_command("locks", "--duration", "3600"),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        running.append(process)
        wait_for(lambda: owns(process), "kov locks samples")
        return process

    yield start
    for process in running:
        process.kill()
        process.wait()


def test_metrics_give_way_and_come_back(start_locks, open_page):
    page = open_page()
    page.wait(KNOWN_METRIC)
    locks = start_locks()
    page.see('.trouble:has-text("samples: shown until it ends")')
    page.wait(f"!({KNOWN_METRIC})")
    wait_for(page.longest_bar, "an object is hot by its samples")
    locks.send_signal(signal.SIGINT)
    assert locks.wait() == 0
    page.wait(KNOWN_METRIC)
    page.wait("""!document.querySelector(".trouble")""")
    assert not page.trouble


def test_counters_go_into_a_trace_beside_a_page(machine, open_page, tmp_path):
    page = open_page()
    page.wait(KNOWN_METRIC)
    machine.kov_run("trace", "record", "-o", str(tmp_path / "trace"), "--counters",
                    "larx,stcx,stores,loads,branches,instructions", "--duration", "1")
    page.wait(KNOWN_METRIC)
    assert not page.trouble
