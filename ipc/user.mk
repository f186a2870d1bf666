# SPDX-License-Identifier: MIT
# Stubs and dispatch of all interfaces, and what they are made of.
LIBRARY := ipc
SRC := src/packet.c src/transport.c
ROOT_SRC := $(filter %.c,$(IPC_GEN))
