# SPDX-License-Identifier: MIT
# What calls between processes cost,
# as L4's pingpong measures it: lines "BENCH name value unit [budget]".
PROGRAM := bench-ipc
SRC := main.c monitored.c figures.c paced.c logged.c peer.c loops.c
DEPS := log
ROOT_INC := tests/guest/user/told
