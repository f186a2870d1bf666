# SPDX-License-Identifier: MIT
# POSIX calls, as tables that the host's library is held against, too.
PROGRAM := test-posix
SRC := main.c characters.c commands.c errors.c headers.c locks.c numbers.c patterns.c values.c
DEPS := expect socket
