# SPDX-License-Identifier: MIT
PROGRAM := bench-files
SRC := main.c pipes.c sockets.c
DEPS := posix socket
