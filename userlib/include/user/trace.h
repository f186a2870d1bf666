// SPDX-License-Identifier: MIT
// Tracing in the process (docs/trace.md). trace_<event>() of trace/events.h logs without a system
// call, into rings of the process's own, one a dispatcher. The mask follows the system's
// (sys_trace_set_process_mask). A program can set its own, until the system's is set again. Readers
// get the packets by sys_trace_read_process.
#ifndef USER_TRACE_H
#define USER_TRACE_H

#include <orrery/sys.h>

// Contexts: a thread, not inside of user_disable.

// Enables exactly these majors in this process. E_INVAL; E_NOMEM: some points are not as they
// should be.
s64 user_trace_set_mask(u64 mask);
// Empties this process's rings, zeroes their counts, and numbers packets anew: for programs that
// read their own. A recording of this process that is under way cannot go on, and says so in the
// end. E_INVAL.
s64 user_trace_set_mode(enum sys_trace_mode mode);
// Do as sys_trace_stat and sys_trace_read for a CPU on which the process has buffers. E_NOENT.
s64 user_trace_stat(u32 cpu, struct sys_trace_stat *stat);
s64 user_trace_read(u32 cpu, bool flush, void *buffer, u64 bytes);
// Returns how many full packets it has unread, at this moment.
u64 user_trace_full(u32 cpu);

#endif
