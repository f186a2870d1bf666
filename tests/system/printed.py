# SPDX-License-Identifier: MIT
"""Events as the kernel and GDB print them, with numbers as they are, beside those of `kov trace
show --json`."""

import re

KEY = re.compile(r"(?:^| )\w+=")


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
