# SPDX-License-Identifier: MIT
# Logs events of its own, described in described_events.def; also lies about some.
PROGRAM := described
SRC := main.c liar.c
EVENTS := described_events.def
