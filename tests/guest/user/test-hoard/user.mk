# SPDX-License-Identifier: MIT
# Processes without rights that hold all they can get through others, or start processes for ever.
PROGRAM := test-hoard
SRC := main.c hoards.c bomb.c
DEPS := ipc posix socket-memory waiting
