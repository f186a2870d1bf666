// SPDX-License-Identifier: MIT
// Tracing for a benchmark: the buffers of all CPUs for itself,
// and reading them back through sys_trace_read.
#ifndef GUEST_TEST_TRACE_H
#define GUEST_TEST_TRACE_H

#include <orrery/sys.h>
#include <trace/events.h>

#define TRACE_MASK_PMU (1UL << TRACE_MAJOR_PMU)

struct seen_event {
    u64 time;
    u32 major, minor;
    u32 words;
    const u64 *data;
};

struct trace_reading {
    u64 packets, events; // as read
    u64 counted;         // by the packets' own headers
    u64 backwards;       // times that time went back
    u64 malformed;       // events or packets that do not add up
    u64 last_time;
};

// Empties and configures the buffers of all CPUs: mode, and events of the majors in mask only.
// test_trace_end switches all majors off; test_trace_restore puts back what was before.
struct test_trace {
    u64 mask_before;
};
void test_trace_begin(struct test_trace *trace, enum sys_trace_mode mode, u64 mask);
void test_trace_end(void);
void test_trace_restore(const struct test_trace *trace);

// Takes all events out of cpu's buffer and shows them to visit, in order. 0 or an error; the
// findings add up in *reading (zeroed by the caller).
int test_trace_read(u32 cpu, void (*visit)(const struct seen_event *event, void *argument),
                    void *argument, struct trace_reading *reading);

#endif
