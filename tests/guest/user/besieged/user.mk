# SPDX-License-Identifier: MIT
# All hostile programs at once, and the servers' ends meanwhile.
PROGRAM := besieged
SRC := attackers.c kinds.c killer.c main.c writer.c
DEPS := ipc posix socket socket-memory waiting
