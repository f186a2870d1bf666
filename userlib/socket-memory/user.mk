# SPDX-License-Identifier: MIT
# What a process and the net server share of a socket: its memory, with a ring of bytes each way.
LIBRARY := socket-memory
SRC := map.c ring.c
