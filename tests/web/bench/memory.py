# SPDX-License-Identifier: MIT
"""Memory of the gateway and the page at 20,000 samples a second, in the first and the last tenth of
so many seconds: memory.py [SECONDS]. Judges nothing."""

import os
import pathlib
import re
import subprocess
import sys
import time

from load import Gateway, HERE, BusyMachine

RATE = 20000
LOOKS = 5  # in each tenth
# 127.0.0.1 is reached without a proxy.
ENVIRONMENT = {key: value for key, value in os.environ.items()
               if not key.lower().endswith("_proxy")}


class Page:
    """The page in Chromium, as heap.mjs opens it."""

    def __init__(self, link):
        self.process = subprocess.Popen(
            ["node", HERE.parent / "heap.mjs", link], env=ENVIRONMENT, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def heap(self):
        print(file=self.process.stdin, flush=True)
        return int(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        assert self.process.wait() == 0


def resident(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return 1024 * int(re.search(r"VmRSS:\s+(\d+)", status)[1])


def look(gateway, page, seconds):
    """Means of the gateway's and the page's memory."""
    sums = [0, 0]
    for _ in range(LOOKS):
        sums[0] += resident(gateway.process.pid) / LOOKS
        sums[1] += page.heap() / LOOKS
        time.sleep(seconds / LOOKS)
    return sums


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    with BusyMachine(RATE) as machine, \
            Gateway("--token", "orrery", "-m", f"busy=127.0.0.1:{machine.port}") as gateway:
        page = Page(f"{gateway.origin}/#t={gateway.token}")
        page.heap()  # it is there
        first = look(gateway, page, seconds / 10)
        time.sleep(seconds * 8 / 10)
        last = look(gateway, page, seconds / 10)
        page.end()
    print(f"Memory, {seconds:.0f} s at {RATE:,} samples a second: first and last tenth")
    for name, before, after in zip(("gateway, MB", "page's heap, MB"), first, last):
        print(f"  {name:20}{before / 2**20:10.1f}{after / 2**20:10.1f}{after / before - 1:+10.1%}"
              "   asked: within 5 %, of 600 s")


if __name__ == "__main__":
    main()
