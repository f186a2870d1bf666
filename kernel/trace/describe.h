// SPDX-License-Identifier: MIT
// Events that programs describe.
#ifndef KERNEL_TRACE_DESCRIBE_H
#define KERNEL_TRACE_DESCRIBE_H

#include <orrery/sys.h>

// Contract: sys_trace_describe. Thread context, no lock held.
s64 trace_describe(const struct sys_trace_description *list, u64 bytes);

#endif
