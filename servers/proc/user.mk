# SPDX-License-Identifier: MIT
PROGRAM := proc
SRC := $(patsubst servers/proc/%,%,$(wildcard servers/proc/*.c))
DEPS := handles ipc posix objects user
