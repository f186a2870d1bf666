# SPDX-License-Identifier: MIT
# How connections end, as both sides see it: the same program runs on the host, as the witness.
PROGRAM := tcp-ends
SRC := main.c ends.c
DEPS := socket
