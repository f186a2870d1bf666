# SPDX-License-Identifier: MIT
PROGRAM := bench-files
SRC := main.c
