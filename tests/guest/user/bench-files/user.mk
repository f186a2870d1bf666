# SPDX-License-Identifier: MIT
PROGRAM := bench-files
SRC := main.c pipes.c sockets.c web.c
DEPS := posix socket
ROOT_INC := tests/guest/user/told
