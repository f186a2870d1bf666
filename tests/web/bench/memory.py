# SPDX-License-Identifier: MIT
"""Memory of the gateway and the page at 20,000 samples a second: when they begin, and in the first
and the last tenth of so many seconds, which begin when the history is full: memory.py [SECONDS].
Judges nothing."""

import os
import pathlib
import re
import subprocess
import sys
import time

from load import Browser, Gateway, HERE, BusyMachine

RATE = 20000
LOOKS = 5  # in each tenth
# The history grows to its limit by design: it has the least that there can be, and is full soon.
HISTORY_MB = 4
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


def look(gateway, page, looks=1, seconds=0):
    """Means of the gateway's and the page's memory."""
    sums = [0, 0]
    for _ in range(looks):
        sums[0] += resident(gateway.process.pid) / looks
        sums[1] += page.heap() / looks
        time.sleep(seconds / looks)
    return sums


def fill(gateway):
    """Until the history forgets its oldest cells; how many seconds that took."""
    begin = time.monotonic()
    with Browser(gateway) as browser:
        browser.say(type="watch", id=1, machine="busy", kind="status")
        while browser.topics.get(1, {}).get("forgotten", 0) == 0:
            browser.hear()
    return time.monotonic() - begin


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    with BusyMachine(RATE) as machine, \
            Gateway("--token", "orrery", "--history", HISTORY_MB,
                    "-m", f"busy=127.0.0.1:{machine.port}") as gateway:
        page = Page(f"{gateway.origin}/#t={gateway.token}")
        begin = look(gateway, page)
        filled = fill(gateway)
        first = look(gateway, page, LOOKS, seconds / 10)
        time.sleep(seconds * 8 / 10)
        last = look(gateway, page, LOOKS, seconds / 10)
        page.end()
    print(f"Memory at {RATE:,} samples a second, at the begin; then, {filled:.0f} s later, "
          f"when the history of {HISTORY_MB} MB\nwas full, in the first and last tenth of "
          f"{seconds:.0f} s")
    for name, *of in zip(("gateway, MB", "page's heap, MB"), begin, first, last):
        print(f"  {name:16}", *(f"{one / 2**20:8.2f}" for one in of), f"{of[2] / of[1] - 1:+8.1%}"
              "   asked: within 5 %, of 600 s")


if __name__ == "__main__":
    main()
