# SPDX-License-Identifier: MIT
UNIT += ipc_capability
ipc_capability_SRC := tests/unit/ipc/capability.c tests/unit/ipc/host.c tests/unit/kernel/host.c \
    kernel/ipc/capability.c
ipc_capability_INC := tests/unit/ipc/host kernel/include kernel clustered-objects/include .

UNIT += ipc_call_record
ipc_call_record_SRC := tests/unit/ipc/call_record.c tests/unit/ipc/host.c tests/unit/kernel/host.c \
    kernel/ipc/call_record.c
ipc_call_record_INC := tests/unit/ipc/host kernel/include kernel clustered-objects/include \
    trace/include .
# Trace points that are compiled out (trace/point.h) are gone only if something is optimised.
ipc_call_record_CFLAGS := -O1
