# SPDX-License-Identifier: MIT
"""Whose code a block is: the part of scripts/bench-profile that knows programs and functions.

All programs have the same addresses. A block is the program's whose file has its words at its
address. Where several have them, or none because code is patched while it runs, it is that
program's to which most other blocks of the same page of memory belong.
"""

import bisect
import collections
import glob
import os

from mktables import Elf, find_functions

KERNEL_BASE = 0xC000000000000000
KERNEL_END = KERNEL_BASE + 0x10000000
REAL_BYTES = 0x8000  # exceptions begin there, at real addresses; no process has memory there
VECTOR_BYTES = 0x100  # as far as code without a name, such as a vector, is shown as one
UNKNOWN = "unknown"

Block = collections.namedtuple("Block", "address page words")


def kernel_address(address):
    """Returns the address in the kernel's image, or None if it is not the kernel's."""
    if address < REAL_BYTES:
        return KERNEL_BASE + address
    return address if KERNEL_BASE <= address < KERNEL_END else None


class Program:
    """The code of an ELF file: its words from an address on, and the functions in it."""

    def __init__(self, name, start, words, read_functions):
        self.name = name
        self.start = start
        self.words = words
        self.read_functions = read_functions
        self.functions = None  # read when they are asked for

    def matches(self, block):
        """Returns how many of a block's words are this program's."""
        first = (block.address - self.start) // 4
        if first < 0:
            return 0
        return sum(a == b for a, b in zip(block.words, self.words[first:first + len(block.words)]))

    def function(self, address):
        if self.functions is None:
            self.functions = self.read_functions()
        at = bisect.bisect(self.functions, address, key=lambda function: function.start) - 1
        if at >= 0 and address < self.functions[at].end:
            return self.functions[at].name
        return f"at {address & -VECTOR_BYTES:#x}"


def read_program(path):
    elf = Elf(path)
    start, end = elf.by_name["text_start"].value, elf.by_name["text_end"].value
    return Program(os.path.basename(path).removesuffix(".elf"), start, elf.words(start, end, "I"),
                   lambda: find_functions(elf, start, end))


def read_code(build):
    """Reads the kernel and all programs of a build."""
    return Code(read_program(os.path.join(build, "orrery-bench.elf")),
                [read_program(path)
                 for path in sorted(glob.glob(os.path.join(build, "user/bin/*.elf")))])


class Code:
    """All code that may run."""

    def __init__(self, kernel, programs):
        self.kernel = kernel
        self.programs = programs

    def owners(self, blocks):
        """Returns the program of each block, None where nothing tells."""
        votes = collections.defaultdict(collections.Counter)  # by page
        candidates = []
        for block in blocks:
            if kernel_address(block.address) is not None:
                candidates.append([self.kernel])
                continue
            matched = {program: program.matches(block) for program in self.programs}
            whole = [program for program, words in matched.items() if words == len(block.words)]
            candidates.append(whole or self.programs)
            if len(whole) == 1:
                votes[block.page][whole[0]] += len(block.words)
        return [self.chosen(few, votes[block.page]) for block, few in zip(blocks, candidates)]

    @staticmethod
    def chosen(candidates, votes):
        if len(candidates) == 1:
            return candidates[0]
        best = max(candidates, key=lambda program: votes[program])
        return best if votes[best] else None

    def by_function(self, blocks, times):
        """Returns instructions by (program, function); times: how often each block ran."""
        sums = collections.Counter()
        for block, owner, ran in zip(blocks, self.owners(blocks), times):
            for i in range(len(block.words)):
                address = block.address + 4 * i
                if owner is None:
                    place = (UNKNOWN, f"{address & ~0xfff:#x}")
                elif owner is self.kernel:
                    place = ("kernel", owner.function(kernel_address(address)))
                else:
                    place = (owner.name, owner.function(address))
                sums[place] += ran
        return sums
