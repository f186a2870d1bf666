# SPDX-License-Identifier: MIT
# What entering and leaving the kernel costs.
PROGRAM := bench-calls
SRC := main.c
ROOT_INC := tests/guest/user/told
