# SPDX-License-Identifier: MIT
# Counting hardware events through the system calls: refusals, exact counts, groups that take turns.
PROGRAM := test-pmu
SRC := main.c refusals.c counts.c turns.c work.c
