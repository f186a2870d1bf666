// SPDX-License-Identifier: MIT
// Tells how long system calls take, by call.
#ifndef KOV_TRACE_SYSCALLS_H
#define KOV_TRACE_SYSCALLS_H

#include "trace/trace_spans.h"

extern const struct span_kind trace_syscalls;
extern const struct sheet trace_syscalls_sheets[];

#endif
