# SPDX-License-Identifier: MIT
"""Coverage of the kernel by lines: from the plugin's maps and the line tables of the kernels that
ran."""

import collections
import functools
import hashlib
import os
import re
import subprocess
from dataclasses import dataclass, field

import tables

KERNELS = ("orrery-bench.elf", "orrery.elf")  # of a build folder
MAP_HEAD = 4096
ADDRESS_BITS = (1 << 24) - 1  # of an address within the map
GENERATED = re.compile(r"^.*/gen/syscalls/(table\.c)$")
INSTRUCTIONS = (ADDRESS_BITS + 1) // 4


@dataclass
class Lines:
    """Lines of the kernel's sources that have instructions: path -> line -> has it been
    executed."""

    files: dict = field(default_factory=lambda: collections.defaultdict(dict))
    # path -> line -> name
    functions: dict = field(default_factory=lambda: collections.defaultdict(dict))

    def note(self, path, line, executed):
        lines = self.files[path]
        lines[line] = lines.get(line, False) or executed

    def function_of(self, path, line):
        starts = [start for start in self.functions[path] if start <= line]
        return self.functions[path][max(starts)] if starts else ""

    def merge(self, other):
        """Lines that another kernel has executed too."""
        for path, lines in other.files.items():
            for line, executed in lines.items():
                self.note(path, line, executed)
        for path, names in other.functions.items():
            self.functions[path].update(names)


def place(text):
    """Path and line; None for what is not the kernel's. What is made of syscalls.def counts as its
    own."""
    path, _, line = text.rpartition(":")
    generated = GENERATED.match(path)
    if generated:
        return "kernel/syscalls/generated/" + generated[1], int(line)
    path = os.path.normpath(path)
    return (path, int(line)) if path.startswith("kernel/") else None


@functools.cache
def sum_of(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def kernel_of(map_path):
    """The kernel that was executed."""
    with open(map_path + ".kernel", encoding="utf-8") as file:
        build, sum_of_kernel = file.read().splitlines()
    for name in KERNELS:
        path = os.path.join(build, name)
        if os.path.exists(path) and sum_of(path) == sum_of_kernel.split()[0]:
            return path
    raise ValueError(f"{map_path} is of another kernel than those in {build} now")


def merged(map_paths):
    """The maps of each kernel as one: kernel -> bytes."""
    sums = {}
    for path in map_paths:
        kernel = kernel_of(path)
        with open(path, "rb") as file:
            sums[kernel] = sums.get(kernel, 0) | int.from_bytes(file.read()[MAP_HEAD:], "little")
    return {kernel: number.to_bytes(INSTRUCTIONS, "little") for kernel, number in sums.items()}


def line_table(kernel):
    """Rows of fuzz-lines for a kernel."""
    build = os.path.dirname(kernel)
    generated = os.path.relpath(build, tables.ROOT) + "/gen/syscalls/"
    return subprocess.run([os.path.join(build, "fuzz-lines"), kernel, "kernel/", generated],
                          cwd=tables.ROOT, stdout=subprocess.PIPE, text=True,
                          check=True).stdout.splitlines()


def lines_of(kernel, executed=bytes(INSTRUCTIONS)):
    """Lines of a kernel, and whether its map says that they were executed."""
    lines = Lines()
    for row in line_table(kernel):
        kind, *words = row.split()
        where = place(words[0] if kind == "F" else words[2])
        if where and kind == "F":
            lines.functions[where[0]][where[1]] = words[1]
        elif where:
            first = (int(words[0], 16) & ADDRESS_BITS) // 4
            lines.note(*where, any(executed[first:first + int(words[1]) // 4]))
    return lines


def read(map_paths):
    """Lines of all kernels that these maps are of."""
    lines = Lines()
    for kernel, executed in merged(map_paths).items():
        lines.merge(lines_of(kernel, executed))
    return lines


# ---- what cannot be reached ----------------------------------------------------------------------

class Unreachable:
    """The file that says what cannot be reached, and why: PATH FUNCTION REASON, or PATH "TEXT OF
    THE LINE" REASON, or PATH * REASON."""

    ROW = re.compile(r'(\S+)\s+(\*|\w+|"[^"]+")\s+(.+)$')

    def __init__(self, path):
        self.rows = []
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                line = line.strip()
                if not line or line.startswith("#"):
                    continue
                match = self.ROW.match(line)
                if not match:
                    raise ValueError(f"{path}:{number}: not PATH FUNCTION REASON: {line}")
                self.rows.append((number, match[1], match[2], match[3]))

    def lines(self, known):
        """path -> set of lines."""
        found = collections.defaultdict(set)
        for _, path, what, _ in self.rows:
            found[path] |= self.hits(known, path, what)
        return found

    def hits(self, known, path, what):
        return {line for line in known.files.get(path, ()) if self.fits(known, path, line, what)}

    def complaints(self, known):
        """Rows that fit no line, and such as are wrong: something of what they say cannot be
        reached was executed."""
        for number, path, what, _ in self.rows:
            hits = self.hits(known, path, what)
            executed = sorted(line for line in hits if known.files[path][line])
            if not hits:
                yield f"unreachable.txt:{number}: {path} {what} fits no line"
            elif executed:
                yield (f"unreachable.txt:{number}: {path} {what}: executed: "
                       f"{' '.join(map(str, executed))}")

    @staticmethod
    def fits(known, path, line, what):
        if what == "*":
            return True
        if what.startswith('"'):
            return what[1:-1] in source_line(path, line)
        return known.function_of(path, line) == what


SOURCES = {}


def source_line(path, line):
    if path not in SOURCES:
        full = os.path.join(tables.ROOT, path)
        SOURCES[path] = open(full,
                             encoding="utf-8").read().split("\n") if os.path.exists(full) else []
    lines = SOURCES[path]
    return lines[line - 1] if line <= len(lines) else ""


def folder_of(path):
    parts = path.split("/")
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]


def report(lines, unreachable=None):
    """Rows (folder, lines, reachable, executed) and their sum; executed lines that are said to be
    unreachable count as reachable."""
    apart = unreachable.lines(lines) if unreachable else {}
    rows = collections.defaultdict(lambda: [0, 0, 0])
    for path, known in lines.files.items():
        for line, executed in known.items():
            row = rows[folder_of(path)]
            row[0] += 1
            row[1] += executed or line not in apart.get(path, ())
            row[2] += executed
    table = [(folder, *row) for folder, row in sorted(rows.items())]
    total = ("all", *(sum(row[i] for row in rows.values()) for i in range(3)))
    return table, total


def table_text(table, total):
    out = [f"{'folder':28} {'lines':>7} {'reachable':>9} {'executed':>8}  of reachable"]
    for folder, count, reachable, executed in [*table, total]:
        percent = 100 * executed / max(reachable, 1)
        out.append(f"{folder:28} {count:7} {reachable:9} {executed:8}  {percent:11.1f} %")
    return "\n".join(out)


def missing(lines, unreachable=None):
    """What has not been executed though it can be: path, function, lines."""
    apart = unreachable.lines(lines) if unreachable else {}
    rows = collections.defaultdict(list)
    for path, known in sorted(lines.files.items()):
        for line, executed in sorted(known.items()):
            if not executed and line not in apart.get(path, ()):
                rows[(path, lines.function_of(path, line))].append(line)
    return rows
