# SPDX-License-Identifier: MIT
"""TCP ports for machines, each for one machine at a time, whoever else runs tests on this host."""

import random
import socket

FIRST, LAST = 10240, 32767  # below those that the host gives to outgoing connections


class Port:
    """A free port of 127.0.0.1, until it is released or this process ends."""

    def __init__(self):
        for self.number in random.sample(range(FIRST, LAST + 1), 1000):
            self.claim = self._claimed()
            if self.claim is not None:
                return
        raise OSError("no free port")

    def _claimed(self):
        """A name that nobody else can have meanwhile; None: somebody has it, or the port."""
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind(f"\0orrery-port-{self.number}")
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", self.number))
        except OSError:
            claim.close()
            return None
        return claim

    def release(self):
        self.claim.close()
