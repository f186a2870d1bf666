# SPDX-License-Identifier: MIT
# Clustered objects of a process: misses, counts, destruction, scan, on several CPUs.
PROGRAM := test-objects
DEPS := rows waiting
SRC := main.c
