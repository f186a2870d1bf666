# SPDX-License-Identifier: MIT
# Costs of page faults, alone and on all CPUs at once: lines "BENCH name value unit".
PROGRAM := bench-memory
SRC := main.c
ROOT_INC := tests/guest/user/told
