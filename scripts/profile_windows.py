# SPDX-License-Identifier: MIT
"""What ran while a line was measured: the part of scripts/bench-profile that reads what the plugin
has written (bench/profile/profile.c).

Of a program of one's own each window is shown by the places that begin and end it (--program).

A program takes the time at least twice for a line, and often for several rounds of which it tells
the least. So a line has many windows. The one that was told is that whose instructions are the
line's value times the operations: a nanosecond is an instruction.
"""

import collections
import itertools

from profile_code import Block

EXACT = 0.01     # so near to the value that no other combination is looked for
NEIGHBOURS = 8   # windows that may make up one measurement

Measured = collections.namedtuple("Measured", "operations instructions times")


class ProfileError(Exception):
    """What was written cannot be a profile of the line."""


def read_events(lines, blocks):
    """Yields the windows and told lines: kind, words, and of a window a Counter by block. Adds all
    blocks by number."""
    current = collections.Counter()
    for line in lines:
        kind, *words = line.split()
        if kind == "block":
            blocks[int(words[0])] = Block(int(words[1], 16), int(words[2], 16),
                                          [int(word, 16) for word in words[3:]])
        elif kind == "ran":
            current[int(words[0])] = int(words[1])
        elif kind == "window":
            yield kind, words, current
            current = collections.Counter()
        elif kind == "told":
            yield kind, words, None
        else:
            raise ProfileError(f"the plugin wrote '{line.strip()}'")


def read_windows(lines, wanted):
    """Reads up to the told line with number wanted, from 0. Returns its operations, its windows as
    lists of Counters by block, and all blocks by number."""
    blocks, windows, number, fresh = {}, [], 0, False
    for kind, words, ran in read_events(lines, blocks):
        if kind == "window":
            if not fresh:
                windows, fresh = [], True
            windows.append(ran)
        elif number == wanted:
            return int(words[0]), windows, blocks
        else:
            # Two lines may be told of the same windows: the next window begins anew.
            number, fresh = number + 1, False
    raise ProfileError(f"the program told {number} lines, and line {wanted + 1} is asked for")


def read_places(lines):
    """Returns what ran between two marks, {(from, to): Measured} in the order of first windows, and
    all blocks by number."""
    blocks, places = {}, {}
    for kind, words, ran in read_events(lines, blocks):
        if kind == "window":
            place = int(words[0], 16), int(words[1], 16)
            size = sum(times * len(blocks[block].words) for block, times in ran.items())
            before = places.get(place, Measured(0, 0, collections.Counter()))
            places[place] = Measured(before.operations + 1, before.instructions + size,
                                     before.times + ran)
    return places, blocks


def combinations(count):
    """Yields sets of windows that may be a measurement, the simplest first: one, neighbours, and
    these less one other, as a loop without the operation is."""
    runs = [[range(first, first + length) for first in range(count - length + 1)]
            for length in range(1, NEIGHBOURS + 1)]
    yield [(run, None) for run in runs[0]]
    yield [(run, None) for run in itertools.chain(*runs[1:])]
    yield [(run, less) for run in itertools.chain(*runs) for less in range(count)
           if less not in run]


def find_measured(value, operations, windows, blocks):
    """Returns the Measured whose instructions are nearest to value times operations."""
    if operations <= 0 or not windows:
        raise ProfileError(f"the line was told with {operations} operations and {len(windows)} "
                           "windows")
    sizes = [sum(ran * len(blocks[block].words) for block, ran in window.items())
             for window in windows]
    wanted = value * operations

    def instructions(choice):
        run, less = choice
        return sum(sizes[i] for i in run) - (0 if less is None else sizes[less])

    def error(choice):
        return abs(instructions(choice) - wanted)

    best = None
    for choices in combinations(len(windows)):
        best = min(choices if best is None else [best, *choices], key=error)
        if error(best) <= EXACT * wanted:
            break
    times = collections.Counter()
    for i in best[0]:
        times.update(windows[i])
    if best[1] is not None:
        times.subtract(windows[best[1]])
    return Measured(operations, instructions(best), times)
