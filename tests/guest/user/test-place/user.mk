# SPDX-License-Identifier: MIT
# Placing processes: what is refused, who follows, who does not, priorities and slices.
PROGRAM := test-place
SRC := main.c refusals.c follow.c turns.c spread.c pairs.c
DEPS := expect waiting
