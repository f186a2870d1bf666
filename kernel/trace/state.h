// SPDX-License-Identifier: MIT
// The state that a recording begins with.
#ifndef KERNEL_TRACE_STATE_H
#define KERNEL_TRACE_STATE_H

#include <orrery/types.h>

// Contract: sys_trace_state. Thread context, no lock held.
s64 trace_state(void);

#endif
