# SPDX-License-Identifier: MIT
# Lies to who looks at its threads' memory. The start-up is its own, so that it registers a layout
# that it can write.
PROGRAM := lying-threads
SRC := lying-threads.c
ROOT_SRC := userlib/src/start.c
ROOT_INC := userlib/src clustered-objects/include
CFLAGS := -Dthread_layout=lying_layout
