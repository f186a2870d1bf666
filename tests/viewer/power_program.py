# SPDX-License-Identifier: MIT
"""Compiles a program for 64-bit PowerPC, big endian, for a test. Tells what binutils say about
it."""

import re
import subprocess

CROSS = "powerpc64-linux-gnu-"

SOURCE = """\
static volatile long sink;
__attribute__((noinline)) long bottom(long x)
{
    sink = x * 3; /* line 4 */
\tsink -= 5;    /* line 5 */
    return sink;  /* line 6 or 7, as the compiler has it */
}



// far
// below



__attribute__((noinline)) long odd(long x)
{
    __asm__ volatile(".long 0x4c000224"); /* line 18: hrfid */
    return bottom(x) + 1; /* line 19 */
}
long _start(long x)
{
    return odd(x) + bottom(-2); /* line 23 */
}
"""

# Labels without a size, and no line information.
ASSEMBLY = """\
    .text
    .globl plain
    .type plain, @function
plain:
    lwarx 9, 0, 3
    stwcx. 9, 0, 3
    bne- plain
    blr
    .globl next
    .type next, @function
next:
    nop
    blr
"""


class Program:
    def __init__(self, folder, name):
        self.folder = folder
        self.source = folder / f"{name}.c"
        self.path = folder / f"{name}.elf"
        self.source.write_text(SOURCE)
        (folder / "plain.s").write_text(ASSEMBLY)
        flags = ["-g", "-O1", "-fno-inline", "-fno-optimize-sibling-calls", "-mabi=elfv1",
                 "-mbig-endian", "-mcpu=power8", "-ffreestanding", "-nostdlib", "-static",
                 "-no-pie", "-Wl,--build-id=sha1"]
        subprocess.run([f"{CROSS}as", "-mbig", "-a64", "plain.s", "-o", "plain.o"], cwd=folder,
                       check=True)
        subprocess.run([f"{CROSS}gcc", *flags, self.source.name, "plain.o", "-o", self.path],
                       cwd=folder, check=True)

    def output(self, tool, *arguments):
        return subprocess.run([f"{CROSS}{tool}", *arguments, self.path], check=True,
                              capture_output=True, text=True).stdout

    @property
    def build_id(self):
        return next(line.split()[2] for line in self.output("readelf", "-n").splitlines()
                    if "Build ID" in line)

    def functions(self):
        """Returns {name: [(address, word, mnemonic)]} of all functions."""
        found, name = {}, None
        for line in self.output("objdump", "-d", "-z", "-M", "raw").splitlines():
            if heading := re.match(r"[0-9a-f]+ <\.?(\w+)>:", line):
                name = heading[1]
                found[name] = []
            elif code := re.match(r"\s*([0-9a-f]+):\t((?:[0-9a-f]{2} ){4})\t(\S+)", line):
                found[name].append((int(code[1], 16), int(code[2].replace(" ", ""), 16), code[3]))
        return found

    def lines(self):
        """Returns {address: line of the C source} for each instruction."""
        rows = [(int(words[2], 16), None if words[1] == "-" else int(words[1]))
                for words in map(str.split,
                                 self.output("objdump", "--dwarf=decodedline").splitlines())
                if len(words) >= 3 and words[0] == self.source.name]
        rows.sort(key=lambda row: row[0])
        found = {}
        for (address, line), (end, _) in zip(rows, rows[1:]):
            if line is not None:
                found.update({place: line for place in range(address, end, 4)})
        return found

    def address(self, line):
        """Returns the first address of a line's code."""
        return min(place for place, number in self.lines().items() if number == line)
