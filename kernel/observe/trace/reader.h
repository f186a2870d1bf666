// SPDX-License-Identifier: MIT
// The process that has reserved the trace's packets: sys_trace_take.
#ifndef KERNEL_TRACE_READER_H
#define KERNEL_TRACE_READER_H

#include <orrery/types.h>

// All in thread context, no lock held.

// Reserves the packets for the calling process, or gives them back. Returns 0, or E_BUSY if another
// process has them. If it ends without giving them back, what it has set is set back.
s64 trace_reader_take(bool on);
// Returns whether the calling process has them reserved.
bool trace_reader_is_caller(void);
// Checks that the caller may read packets and empty buffers. Returns 0 or E_BUSY.
s64 trace_reader_check(void);

#endif
