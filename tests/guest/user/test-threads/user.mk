# SPDX-License-Identifier: MIT
# Threads, sleep locks and their scheduler.
PROGRAM := test-threads
SRC := main.c basics.c locks.c order.c pages.c storm.c
DEPS := expect waiting
