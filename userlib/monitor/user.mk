# SPDX-License-Identifier: MIT
# The monitor's channel of a process.
LIBRARY := monitor
SRC := monitor.c
ROOT_INC := clustered-objects/include trace/include userlib/objects userlib/trace
WHOLE := yes
