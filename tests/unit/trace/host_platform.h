// SPDX-License-Identifier: MIT
// The trace core's host in unit tests: CPUs are elements of an array, time is set by the test.
#ifndef TESTS_TRACE_HOST_PLATFORM_H
#define TESTS_TRACE_HOST_PLATFORM_H

#include <orrery/sys.h>
#include <orrery/types.h>
#include <trace/platform.h>

#define HOST_CPUS 2
#define HOST_HZ 512000000UL

extern struct trace_cpu host_cpus[HOST_CPUS];
extern _Thread_local u32 host_cpu; // the CPU that this thread plays
extern u32 host_pid;               // whose rings they are, 0: the kernel
extern u64 host_time;              // advances by host_time_step at every reading
extern u64 host_time_step;
extern u64 host_fail_after; // allocations that still succeed
extern bool host_heartbeat[HOST_CPUS];

// Trace points of the test, and how often each was patched to what.
#define HOST_POINTS 3
extern const struct trace_point host_points[HOST_POINTS];
extern u32 host_points_on[HOST_POINTS], host_points_off[HOST_POINTS];

// What was printed since host_start.
extern char host_printed[65536];

// Fresh rings of count sub-buffers on all CPUs, mask 0, time 1000, step 1.
void host_start(u32 count, enum sys_trace_mode mode);
void host_end(void); // frees all

#endif
