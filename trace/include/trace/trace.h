// SPDX-License-Identifier: MIT
// Trace core (docs/trace.md): per-CPU rings of CTF packets, filled by trace points
// (trace/events.h). Readers use the sys_trace_* calls of orrery/sys.h.
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <orrery/types.h>

// Returns the enabled majors (bit n: major n). Any context.
u64 trace_mask(void);
// Enables exactly these; E_INVAL: a bit is no major's. Thread context, no lock held.
int trace_set_mask(u64 mask);

// Stops logging: on this CPU at once, on others when their open packets are full. So the events of
// panicking CPUs do not push out those before the panic. Any context.
void trace_stop(void);

// Prints the last count events of all CPUs, merged by time, on the console; at most
// TRACE_PRINT_MAX. For panics: any context, other CPUs stopped; takes no lock.
#define TRACE_PRINT_MAX 128
void trace_print_last(u32 count);

#ifdef WITHOUT_trace // a kernel that has none
#define trace_stop() ((void)0)
#define trace_print_last(count) ((void)(count))
#endif

#endif
