// SPDX-License-Identifier: MIT
// The monitor's own processes, which a subscription to the trace may leave out.
#ifndef DCI_TRACING_LEFT_OUT_H
#define DCI_TRACING_LEFT_OUT_H

#include "frame.h"

// Leaves out this server and its net server. The packets are taken (sys_trace_take).
void trace_left_out_begin(void);
// Leaves out nobody any more.
void trace_left_out_end(void);
bool trace_left_out_has(u32 pid);
// Adds who is left out to a response.
void trace_left_out_add(struct frame *frame);

#endif
