# SPDX-License-Identifier: MIT
"""A `kov serve` of a test's own."""

import os
import re
import subprocess

from machine import CONTROLLER, KOV, read_text
from waiting import wait_for

LINK = re.compile(r"(controller|observer): +(\S+)\n")


class Gateway:
    """Watches machines by name, at any free port, until end()."""

    def __init__(self, folder, **machines):
        self.said = os.path.join(folder, "serve.said")
        names = [word for name, machine in machines.items()
                 for word in ("-m", f"{name}=127.0.0.1:{machine.port}")]
        with open(self.said, "wb") as said:
            self.process = subprocess.Popen([KOV, "--token", CONTROLLER, "serve", *names,
                                             "--listen", "0"], stdout=said, stderr=said,
                                            stdin=subprocess.DEVNULL)
        self.links = wait_for(self._printed, "the links of kov serve")

    def _printed(self):
        said = read_text(self.said)
        assert self.process.poll() is None, f"kov serve has ended: {said}"
        links = dict(LINK.findall(said))
        return links if len(links) == 2 else None

    def end(self):
        self.process.terminate()
        self.process.wait()
