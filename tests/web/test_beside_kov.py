# SPDX-License-Identifier: MIT
"""The page beside a kov command that samples: whose samples it shows, and what comes back."""

import signal
import subprocess

import pytest

from waiting import wait_for

KNOWN_METRIC = """/[0-9]/.test(document.querySelector('.strip-name[data-metric="IPC"] .number')
    ?.textContent ?? "")"""


def start_locks(machine):
    """A `kov locks` that goes on until it is interrupted; None: refused, as others count."""
    process = subprocess.Popen(machine.kov_command("locks", "--duration", "3600"),
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def owns():
        return process.poll() is not None or any(
            client["sampling"] and not client["sampling_yields"]
            for client in machine.kov("server")["clients"])

    wait_for(owns, "kov locks samples")
    if process.poll() is None:
        return process
    assert "others count, too" in process.stderr.read()
    return None


@pytest.fixture(name="locks")
def _locks(machine):
    process = wait_for(lambda: start_locks(machine), "kov locks")
    yield process
    process.kill()
    process.wait()


def test_metrics_come_back_when_kov_has_ended(locks, open_page):
    page = open_page()
    page.see('.trouble:has-text("samples: shown until it ends")')
    wait_for(page.longest_bar, "an object is hot by its samples")
    locks.send_signal(signal.SIGINT)
    locks.wait()
    page.wait(KNOWN_METRIC)
    page.wait("""!document.querySelector(".trouble")""")
    assert not page.trouble
