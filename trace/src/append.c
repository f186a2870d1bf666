// SPDX-License-Identifier: MIT
// The way out of sequence.S when an event does not fit or gets counters, and the end of tracing.
#include "append.h"

#include <orrery/errors.h>
#include <string.h>
#include <trace/counters.h>
#include <trace/events.h>
#include <trace/platform.h>
#include <trace/ring.h>
#include <trace/trace.h>

static trace_counters_read *read_counters;

// Appends directly behind the counters' event: nothing of this CPU comes between.
static void append_counters(struct trace_cpu *cpu)
{
    u64 values[TRACE_MAX_WORDS] = {0};
    if (read_counters(values))
        trace_ring_append(cpu, TRACE_HEADER(TRACE_MAX_WORDS, TRACE_MAJOR_PMU, TRACE_PMU_COUNTERS),
                          values);
}

void trace_append_slow(u32 header, const u64 *words)
{
    u64 state = trace_platform_mask();
    struct trace_cpu *cpu = trace_platform_this_cpu();
    bool logged = !trace_ring_leaves_out(cpu, header) && trace_ring_append(cpu, header, words);
    if (logged && (cpu->counted_majors >> (trace_event_id(header) >> 16) & 1) != 0)
        append_counters(cpu);
    trace_platform_unmask(state);
}

void trace_append_text(u32 header, const u64 *words, const char *text)
{
    u64 all[TRACE_MAX_WORDS] = {0};
    u32 count = trace_event_length(header) - 1;
    u64 bytes = strnlen(text, (TRACE_MAX_WORDS - count) * sizeof(u64));
    if (count > 0)
        memcpy(all, words, count * sizeof(u64));
    memcpy(&all[count], text, bytes);
    u32 needed = bytes == 0 ? 1 : (u32)((bytes + 7) / sizeof(u64));
    for (u32 i = count; i < count + needed; i++)
        all[i] = TRACE_BE64(all[i]); // a text is stored as it is, whatever the host's byte order
    trace_append_slow(header + (needed << 22), all);
}

static void count_here(struct trace_cpu *cpu, void *majors)
{
    u64 state = trace_platform_mask();
    trace_ring_count(cpu, *(const u64 *)majors);
    trace_platform_unmask(state);
}

s64 trace_set_counters(u64 majors, trace_counters_read *read)
{
    u32 count = trace_platform_cpu_count();
    if ((majors & ~TRACE_ALL_MAJORS) != 0)
        return E_INVAL;
    if (majors != 0)
        read_counters = read;
    for (u32 cpu = 0; cpu < count; cpu++)
        trace_platform_on_cpu(cpu, count_here, &majors);
    return 0;
}

// Other CPUs log nothing more once their open packets are full; a panic halts them anyway.
void trace_stop(void)
{
    u64 state = trace_platform_mask();
    trace_ring_stop(trace_platform_this_cpu());
    trace_platform_unmask(state);
}
