# SPDX-License-Identifier: MIT
"""The page against a gateway that is played: what a machine does not do on demand."""

import os
import subprocess

from browser import CHROMIUM, ENVIRONMENT
from machine import BUILD, ROOT
from waiting import PATIENCE


def test_the_page_goes_through_everything():
    """Hostile names, unknown values, keys, filters, lost connections, observers, 10^4 objects."""
    done = subprocess.run(["node", os.path.join(ROOT, "viewer/web/test/page.mjs"),
                           os.path.join(os.path.abspath(BUILD), "web"), CHROMIUM], cwd=ROOT,
                          env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr
