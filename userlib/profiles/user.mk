# SPDX-License-Identifier: MIT
# Profiles that a program takes of itself: sources of events, and what is measured at each.
LIBRARY := profiles
SRC := contexts.c counters.c sensors.c sources.c ticks.c
DEPS := objects tracing
