# SPDX-License-Identifier: MIT
# How a process comes to logs of its own for a scheduler.
LIBRARY := own-log
SRC := attach.c
DEPS := ipc
