// SPDX-License-Identifier: MIT
// The process that has reserved the trace's packets: sys_trace_take.
#ifndef KERNEL_TRACE_READER_H
#define KERNEL_TRACE_READER_H

#include <orrery/types.h>

// Thread context, no lock held.
s64 trace_reader_take(bool on); // 0 or E_BUSY
// checks that the caller may read packets and empty buffers. 0 or E_BUSY
s64 trace_reader_check(void);

#endif
