# SPDX-License-Identifier: MIT
# The scheduler in user mode.
PROGRAM := sched
SRC := decisions.c limits.c main.c queues.c watch.c policies/balance.c policies/table.c
DEPS := log posix objects user
