# SPDX-License-Identifier: MIT
# Operations of which each allocation fails in turn: of the process, or of a server.
PROGRAM := test-fail-memory
SRC := main.c child.c operations.c servers.c watching.c who.c
DEPS := expect ipc posix socket waiting
