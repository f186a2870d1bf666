# SPDX-License-Identifier: MIT
"""Where the variables of an image are, by readelf: a witness for the names that kov gives."""

import re
import subprocess
from bisect import bisect_right
from collections import Counter

LINE = re.compile(r"^ *\d+: ([0-9a-f]+) +(\w+) OBJECT .* (\S+)$", re.MULTILINE)


class Variables:
    """Those with a size. With a name that several have stands the address."""

    def __init__(self, image):
        text = subprocess.run(["powerpc64-linux-gnu-readelf", "-sW", image], check=True,
                              capture_output=True, text=True).stdout
        found = [(int(at, 16), int(size, 0), name) for at, size, name in LINE.findall(text)
                 if int(size, 0) > 0]
        assert len(found) > 10, f"{image} has no symbols"
        names = Counter(name for *_, name in found)
        self.all = sorted((at, size, name if names[name] == 1 else f"{name} ({at:#x})")
                          for at, size, name in found)

    def address(self, name):
        [at] = [at for at, _, found in self.all if found == name]
        return at

    def name_at(self, address):
        """"ready", "table+0x10", or None."""
        place = bisect_right(self.all, (address, 1 << 64)) - 1
        at, size, name = self.all[place] if place >= 0 else (0, 0, "")
        if not at <= address < at + size:
            return None
        return name if address == at else f"{name}+{address - at:#x}"
