# SPDX-License-Identifier: MIT
# The log handler; userlib compiles the same source.
MODULE := log-handler
KERNEL_SRC := src/handler.c
DEPS := orrery
