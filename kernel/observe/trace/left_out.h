// SPDX-License-Identifier: MIT
// The processes that the trace leaves out: sys_trace_leave_out.
#ifndef KERNEL_TRACE_LEFT_OUT_H
#define KERNEL_TRACE_LEFT_OUT_H

#include <orrery/types.h>

// All in thread context, no spin lock held.

// Does sys_trace_leave_out.
s64 trace_left_out_set(u32 pid, bool left_out);
// Leaves out nobody any more.
void trace_left_out_clear(void);
// Acts by the mask, which has changed.
void trace_left_out_follow(void);
// Logs who is left out, as part of the state.
void trace_left_out_tell(void);

#endif
