# SPDX-License-Identifier: MIT
# Sockets as programs see them.
PROGRAM := test-net
SRC := calls.c ends.c helpers.c hostile.c main.c many.c streams.c wakes.c
DEPS := expect ipc posix socket socket-memory waiting
