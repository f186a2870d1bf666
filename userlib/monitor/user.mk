# SPDX-License-Identifier: MIT
# The monitor's channel of a process.
LIBRARY := monitoring
SRC := monitor.c
DEPS := objects own-log tracing
WHOLE := yes
