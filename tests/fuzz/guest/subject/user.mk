# SPDX-License-Identifier: MIT
# A process with all that a library makes (objects, threads, locks, traces, counters) that spoils
# what it shares with the kernel.
PROGRAM := fuzz-subject
SRC := main.c work.c spoil.c
ROOT_INC := clustered-objects/include trace/include
