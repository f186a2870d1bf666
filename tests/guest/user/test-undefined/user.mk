# SPDX-License-Identifier: MIT
# Undefined behaviour in a program, for its checks to find (only in builds with them).
PROGRAM := test-undefined
SRC := main.c
