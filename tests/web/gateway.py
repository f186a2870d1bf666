# SPDX-License-Identifier: MIT
"""A `kov serve` of a test's own."""

import os
import re
import subprocess
from urllib.parse import urlsplit

from machine import CONTROLLER, KOV, read_text
from waiting import wait_for

LINK = re.compile(r"(controller|observer): +(\S+)\n")


def address_of(machine):
    return machine if isinstance(machine, str) else f"127.0.0.1:{machine.port}"


class Gateway:
    """Watches machines by name until end(), and shows folders of traces, which are paths. It
    listens on any free port."""

    def __init__(self, folder, *options, **machines):
        self.options = options
        self.said = os.path.join(folder, "serve.said")
        self.names = [word for name, machine in machines.items()
                      for word in ("-m", f"{name}={address_of(machine)}")]
        self.start(0)

    def start(self, port):
        with open(self.said, "wb") as said:
            command = [KOV, "--token", CONTROLLER, "serve", *self.names, *self.options, "--listen",
                       str(port)]
            self.process = subprocess.Popen(command, stdout=said, stderr=said,
                                            stdin=subprocess.DEVNULL)
        self.links = wait_for(self._printed, "the links of kov serve")

    @property
    def port(self):
        return urlsplit(self.links["controller"]).port

    def _printed(self):
        said = read_text(self.said)
        assert self.process.poll() is None, f"kov serve has ended: {said}"
        links = dict(LINK.findall(said))
        return links if len(links) == 2 else None

    def end(self):
        self.process.terminate()
        self.process.wait()
