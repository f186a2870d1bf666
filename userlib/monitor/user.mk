# SPDX-License-Identifier: MIT
# The monitor's channel of a process.
LIBRARY := monitor
SRC := monitor.c
DEPS := objects tracing
WHOLE := yes
