# SPDX-License-Identifier: MIT
# Floods the console with numbered lines.
PROGRAM := test-flood
SRC := main.c
