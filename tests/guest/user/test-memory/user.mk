# SPDX-License-Identifier: MIT
# Memory as a process sees it: regions of all kinds, protection, sharing, files, limits.
PROGRAM := test-memory
SRC := main.c regions.c sharing.c files.c storm.c chaos.c reclaim.c crashes.c
DEPS := waiting
