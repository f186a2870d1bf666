# SPDX-License-Identifier: MIT
# The smallest program: says so, and ends.
PROGRAM := test-hello
SRC := main.c
