# SPDX-License-Identifier: MIT
"""The page against a gateway that a program plays. It does what a machine does not do on demand."""

import os
import subprocess

from browser import CHROMIUM, ENVIRONMENT, tell
from machine import BUILD, ROOT
from waiting import PATIENCE


def run_node(*arguments, **environment):
    done = subprocess.run(["node", *arguments], cwd=os.path.join(ROOT, "viewer/web"),
                          env=ENVIRONMENT | environment, capture_output=True, text=True,
                          timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_page_goes_through_everything():
    """The page meets hostile names, unknown values, keys, filters, lost connections, observers, and
    10^4 objects."""
    run_node("test/page.mjs", os.path.join(os.path.abspath(BUILD), "web"), CHROMIUM)


def test_the_pages_parts_do_what_they_should(capsys):
    """Runs the page's unit tests, with frames as the gateway's own code writes them. Tells all
    contrasts."""
    vectors = os.path.join(os.path.abspath(BUILD), "web/vectors")
    said = run_node("run_tests.mjs", WEB_VECTORS=vectors)
    tell(capsys, *(line for line in said.splitlines() if ", worst " in line))
