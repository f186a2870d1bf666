# SPDX-License-Identifier: MIT
# The scheduler in user mode.
PROGRAM := sched
SRC := calls.c decisions.c domains.c limits.c logs.c main.c pairs.c placing.c watch.c \
    policies/balance.c policies/calls.c policies/table.c
DEPS := log posix objects user
