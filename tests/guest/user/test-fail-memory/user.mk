# SPDX-License-Identifier: MIT
# Operations of a process of which each allocation fails in turn.
PROGRAM := test-fail-memory
SRC := main.c operations.c watching.c
DEPS := expect posix socket waiting
