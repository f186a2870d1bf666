# SPDX-License-Identifier: MIT
# Five loads of fixed size, timed while something else is measured: what
# does measuring cost? (scripts/costs)
PROGRAM := costs
SRC := main.c loads.c measuring.c sampling.c scanning.c sleep_locks.c drefs.c recorded.c
