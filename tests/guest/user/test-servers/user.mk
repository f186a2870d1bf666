# SPDX-License-Identifier: MIT
# Servers that are killed.
PROGRAM := test-servers
SRC := main.c hostile.c
DEPS := ipc posix waiting
