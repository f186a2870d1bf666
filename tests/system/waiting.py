# SPDX-License-Identifier: MIT
"""Waiting for what must come. How long it takes is the host's affair: the limits only end what
hangs."""

import time

PATIENCE = 600  # seconds
SHORTEST, LONGEST = 0.02, 0.25  # seconds between two looks: a tenth of what has been waited already


def wait_for(condition, what="what must come", seconds=PATIENCE):
    """Waits until condition() holds, and returns what it gave; TimeoutError when that takes so long
    that it will not."""
    begin = time.monotonic()
    while not (found := condition()):
        waited = time.monotonic() - begin
        if waited > seconds:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(min(max(SHORTEST, waited / 10), LONGEST))
    return found
