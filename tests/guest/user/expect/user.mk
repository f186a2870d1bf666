# SPDX-License-Identifier: MIT
# Verdicts of test programs.
LIBRARY := expect
SRC := expect.c children.c
DEPS := waiting
