# SPDX-License-Identifier: MIT
# What operations cost with 10 to 10,000 of the things they work on: lines "BENCH name value unit",
# the number in the name.
PROGRAM := bench-growth
SRC := main.c kernel.c processes.c files.c
DEPS := posix socket
