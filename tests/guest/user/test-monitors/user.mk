# SPDX-License-Identifier: MIT
# Monitors: every refusal, exact counts beside the trace's, processes that attack, and die.
PROGRAM := test-monitors
SRC := main.c errors.c counts.c paths.c kinds.c attacks.c clients.c told.c told_page.c example.c
DEPS := waiting
