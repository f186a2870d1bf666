# SPDX-License-Identifier: MIT
# Processes as the kernel sees them: many at once, many one after the other,
# killed at any moment, asked by the monitor.
PROGRAM := test-processes
SRC := main.c asking.c crowd.c fpu.c ready.c child.c
DEPS := waiting
ROOT_INC := userlib/src
