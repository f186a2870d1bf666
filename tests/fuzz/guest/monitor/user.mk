# SPDX-License-Identifier: MIT
# Looks at all processes in all the ways that there are, for ever.
PROGRAM := fuzz-monitor
SRC := main.c questions.c sessions.c
