# SPDX-License-Identifier: MIT
"""What the machine prints. Events as the kernel and GDB print them, with numbers as they are,
beside those of `kov trace show --json`. The first lines of a report."""

import re

KEY = re.compile(r"(?:^| )\w+=")


FIRST_LINES = 10  # of a panic or a report: the cause stands there


def first_lines(console, begin):
    """The line with `begin` and those that follow it."""
    at = console.index(begin)
    return "\n".join(console[console.rfind("\n", 0, at) + 1:].splitlines()[:FIRST_LINES])


def _number(word):
    try:
        return int(str(word), 0)
    except ValueError:
        return word


def values(text):
    """Of "from=5 caller=0x10 name=init": [5, 16, "init"]."""
    return [_number(word) for word in KEY.split(text.strip())[1:]]


def shown(event):
    """(time, CPU, name, values) of an event of kov."""
    return event["ticks"], event["cpu"], event["event"].split(":")[1], \
        [_number(value) for value in event["fields"].values()]
