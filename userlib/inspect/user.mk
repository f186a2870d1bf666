# SPDX-License-Identifier: MIT
# The inspection channel of a process.
LIBRARY := inspection
SRC := inspect.c
DEPS := objects own-log tracing
WHOLE := yes
