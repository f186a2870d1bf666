// SPDX-License-Identifier: MIT
// Adds counters of hardware events to trace events: an event PMU counters with their values follows
// each event of some majors. While this is on, every event of the ring takes the slow path; off, it
// costs nothing.
#ifndef TRACE_COUNTERS_H
#define TRACE_COUNTERS_H

#include <orrery/errors.h>
#include <trace/layout.h>

// Stores the values of the calling CPU's counters; there is room for all, and values of missing
// counters stay 0. Returns false if nothing counts here now. Any context, all interrupts held back.
typedef bool trace_counters_read(u64 values[TRACE_MAX_WORDS]);

// Adds counters to the events of exactly these majors (bit n: major n) on all CPUs; 0: of none. On
// return this is in force, and with 0 read is not called any more. E_INVAL: a bit is no major's.
// Thread context, no lock held, one caller at a time. In a kernel without the trace: E_NOTSUP.
#ifndef WITHOUT_trace
s64 trace_set_counters(u64 majors, trace_counters_read *read);
#else
static inline s64 trace_set_counters(u64 majors, trace_counters_read *read)
{
    (void)majors, (void)read;
    return E_NOTSUP;
}
#endif

#endif
