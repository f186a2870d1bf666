# SPDX-License-Identifier: MIT
# The same work on all CPUs at once: lines "BENCH name value unit".
# Peers and loops of calls are bench-ipc's.
PROGRAM := bench-scaling
SRC := main.c
ROOT_SRC := $(addprefix tests/guest/user/bench-ipc/,peer.c loops.c)
ROOT_INC := tests/guest/user/bench-ipc
