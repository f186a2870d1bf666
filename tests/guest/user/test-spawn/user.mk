# SPDX-License-Identifier: MIT
# Processes from within: starting, arguments, ends, crashes.
PROGRAM := test-spawn
SRC := main.c child.c
DEPS := waiting
STACK := 2M
