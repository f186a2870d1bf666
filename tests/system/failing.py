# SPDX-License-Identifier: MIT
"""What a failing test shows, where all machines are of the session: for the conftest.py of the page
and of programs of others."""

import pytest

from machine import Machine


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    """Shows how the machines are started, and the ends of their consoles."""
    report = (yield).get_result()
    if report.failed:
        for machine in Machine.running:
            report.sections.append((f"machine {machine.name}", machine.describe()))
