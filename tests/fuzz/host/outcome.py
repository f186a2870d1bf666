# SPDX-License-Identifier: MIT
"""How a run ended."""

import re
from dataclasses import dataclass

PANIC = re.compile(r"^PANIC[^\n:]*: (.*)$", re.MULTILINE)
PLACE = re.compile(r"^(?:report by|pc) +\w+ (\w+)\+", re.MULTILINE)
CALLER = re.compile(r"^  from \w+ (\w+)\+", re.MULTILINE)
LEAK = re.compile(r"^fuzz: leak: (\w+)", re.MULTILINE)
LOST = re.compile(r"^fuzz: (?:left: .*|\d+ processes left, (?!0 services).*)$", re.MULTILINE)
ENDED = re.compile(r"^init: (\w+) \(pid \d+\) (was ended|ended)", re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """kind: fine, start (none: the emulator says why), panic, hang, server, leak, left; place: what
    tells one from another of its kind."""

    kind: str
    place: str = ""
    words: str = ""

    @property
    def fine(self):
        return self.kind == "fine"

    def __str__(self):
        return self.kind if self.fine else f"{self.kind} {self.place} {self.words}".strip()


def of(status, console, emulator, summary):
    """The outcome of a run from its exit status (None: it did not end), its console, what the
    emulator said, and its summary."""
    panic = PANIC.search(console)
    if panic:
        place = PLACE.search(console, panic.start()) or CALLER.search(console, panic.start())
        return Outcome("panic", place[1] if place else "", panic[1])
    server = ENDED.search(console)
    if server and server[1] != "fuzz":
        return Outcome("server", server[1])
    if status is None:
        return Outcome("hang")
    if not summary and not console and emulator:
        return Outcome("start", "", emulator.splitlines()[0])
    if not summary or not summary["finished"]:
        return Outcome("panic", "", "no end of the supervisor")
    leak = LEAK.search(console)
    if leak:
        return Outcome("leak", leak[1])
    left = LOST.search(console)
    if summary["failed_looks"] or summary["services_lost"]:
        return Outcome("left", left[0] if left else "")
    return Outcome("fine") if status == 0 else Outcome("panic", "", f"status {status}")
