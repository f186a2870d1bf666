# SPDX-License-Identifier: MIT
"""The compiler's unwind information, as readelf interprets it: the independent witness."""

import collections
import re
import subprocess

Row = collections.namedtuple("Row", "address pushed return_address")
FDE = re.compile(r"FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)")
ROW = re.compile(r"^([0-9a-f]{16}) +(\S+)\+(\d+)(.*)$")


def functions(elf):
    """Yields (start, end, rows) for each function that the compiler made."""
    text = subprocess.run(["powerpc64-linux-gnu-readelf", "--debug-dump=frames-interp", str(elf)],
                          check=True, text=True, capture_output=True).stdout
    current, columns = None, []
    for line in text.splitlines():
        if " CIE " in line:
            if current:
                yield current
            current = None
        elif match := FDE.search(line):
            if current:
                yield current
            current = (int(match[1], 16), int(match[2], 16), [])
        elif line.lstrip().startswith("LOC"):
            columns = line.split()[2:]
        elif current and (match := ROW.match(line)):
            saved = dict(zip(columns, match[4].split()))
            pushed = match[2] != "r1" or match[3] != "0"
            current[2].append(Row(int(match[1], 16), pushed, saved.get("ra", "u")))
    if current:
        yield current


def states(start, end, rows):
    """(address, row) for each instruction of a function."""
    for row, following in zip(rows, rows[1:] + [Row(end, None, None)]):
        for address in range(max(row.address, start), following.address, 4):
            yield address, row
