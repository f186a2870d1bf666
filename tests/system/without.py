# SPDX-License-Identifier: MIT
"""Images that leave out what may be left out, and the points that are left in an image."""

import os
import re
import struct
import subprocess

from machine import BUILD, ROOT

PATIENCE = 3000  # seconds
PROGRAMS = "init fs proc dci net sh"


def make(build, *settings, programs=PROGRAMS):
    return subprocess.run(["make", "-j2", f"BUILD={build}", *settings,
                           f"THIRD={os.path.abspath(BUILD)}/third_party", f"USER_ONLY={programs}",
                           f"{build}/orrery.elf", f"{build}/initrd.cpio"], cwd=ROOT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=PATIENCE, check=False)


def made(build, *settings, programs=PROGRAMS):
    """The path of such an image."""
    done = make(build, *settings, programs=programs)
    assert done.returncode == 0, done.stdout[-4000:]
    return os.path.join(build, "orrery.elf")


def points(image, table):
    """Whose the points of a table are (its third words), between its symbols _start and _end."""
    names = subprocess.run(["powerpc64-linux-gnu-nm", image], check=True, capture_output=True,
                           text=True).stdout
    first, end = (int(re.search(rf"^(\w+) \w {table}_{which}$", names, re.MULTILINE)[1], 16)
                  for which in ("start", "end"))
    segments = subprocess.run(["powerpc64-linux-gnu-readelf", "-lW", image], check=True,
                              capture_output=True, text=True).stdout
    for line in re.findall(r"^ *LOAD +(\S+) +(\S+) +\S+ +(\S+)", segments, re.MULTILINE):
        offset, address, size = (int(word, 16) for word in line)
        if address <= first < address + size:
            with open(image, "rb") as file:
                file.seek(offset + first - address)
                return [user for _, _, user in struct.iter_unpack(">QQQ", file.read(end - first))]
    raise AssertionError("the points lie in no segment")
