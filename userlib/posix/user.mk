# SPDX-License-Identifier: MIT
# File descriptors and the POSIX calls over them.
LIBRARY := posix
SRC := $(patsubst userlib/posix/%,%,$(wildcard userlib/posix/*.c))
DEPS := ipc
WHOLE := yes
