# SPDX-License-Identifier: MIT
# A process that gives the model unit commands that only the kernel may give.
PROGRAM := test-commands
SRC := main.c commands.S
ROOT_INC := tests/guest/user/test-isolation
