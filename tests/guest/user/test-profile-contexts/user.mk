# SPDX-License-Identifier: MIT
# Sources, sensors and contexts of a program that profiles itself: limits, and hand counts beside
# what its trace says. `record` leaves the reading to who records.
PROGRAM := test-profile-contexts
SRC := main.c limits.c own.c timers.c counters.c reader.c
DEPS := expect profiles waiting
