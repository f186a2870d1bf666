// SPDX-License-Identifier: MIT
// Counters of hardware events with trace events: behind each event of some majors an event PMU
// counters has their values at that moment. While it is on every event of the ring takes the slow
// path; off it costs nothing.
#ifndef TRACE_COUNTERS_H
#define TRACE_COUNTERS_H

#include <trace/layout.h>

// Values of the calling CPU's counters, room for all; those that there are none of stay 0.
// False: nothing counts here now.
// Any context, all interrupts held back.
typedef bool trace_counters_read(u64 values[TRACE_MAX_WORDS]);

// From its return on counters go with the events of exactly these majors (bit n: major n) on all
// CPUs, 0: with none, and read is not called any more. E_INVAL: a bit is no major's. Thread
// context, no lock held, one caller at a time.
s64 trace_set_counters(u64 majors, trace_counters_read *read);

#endif
