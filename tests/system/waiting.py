# SPDX-License-Identifier: MIT
"""Waiting for what must come. How long it takes is the host's affair: the limits only end what
hangs."""

import time

PATIENCE = 600  # seconds
STEP = 0.02


def wait_for(condition, what="what must come", seconds=PATIENCE):
    """Waits until condition() holds, and returns what it gave; TimeoutError when that takes so long
    that it will not."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(STEP)
    return found
