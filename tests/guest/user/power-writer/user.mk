# SPDX-License-Identifier: MIT
# Files in /data that can be judged after the power was cut.
PROGRAM := power-writer
SRC := main.c killer.c
DEPS := waiting
