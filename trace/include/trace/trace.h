// SPDX-License-Identifier: MIT
// Trace core (DESIGN.md §7): per-CPU rings of CTF packets, filled by trace points (trace/events.h).
// Readers use the sys_trace_* calls of orrery/sys.h.
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <orrery/types.h>

// The majors that are enabled (bit n: major n). Any context.
u64 trace_mask(void);
// Enables exactly these; E_INVAL when a bit is no major's. Thread context, no lock held.
int trace_set_mask(u64 mask);

// This CPU logs nothing from now on, the others no more than their open packets hold: what
// panicking CPUs do shall not push out what led there. Any context.
void trace_stop(void);

// Prints the last count events of all CPUs, merged by time, on the console. For panics: any
// context, other CPUs stopped; takes no lock. At most TRACE_PRINT_MAX are printed.
#define TRACE_PRINT_MAX 128
void trace_print_last(u32 count);

#endif
