# SPDX-License-Identifier: MIT
# Another program with events of its own, of a name that `described` has too.
PROGRAM := described-other
SRC := main.c
EVENTS := other_events.def
