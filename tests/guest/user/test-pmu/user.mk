# SPDX-License-Identifier: MIT
# Counting hardware events through the system calls: refusals, exact counts, groups that take turns,
# tasks, counters that programs read.
PROGRAM := test-pmu
DEPS := rows waiting
ROOT_SRC := pmu/src/multiplex.c tests/unit/pmu/estimate.c
ROOT_INC := pmu/include tests/unit/pmu
SRC := main.c refusals.c counts.c sharing.c turns.c intervals.c tasks.c own.c work.c
