// SPDX-License-Identifier: MIT
// Where sequence.S goes when an event does not fit, and how tracing ends.
#include "append.h"

#include <trace/platform.h>
#include <trace/trace.h>

#include "ring.h"

void trace_append_slow(u32 header, const u64 *words)
{
    u64 state = trace_platform_mask();
    trace_ring_append(trace_platform_this_cpu(), header, words);
    trace_platform_unmask(state);
}

// The others take nothing more once their open packets are full; a panic halts them anyway.
void trace_stop(void)
{
    u64 state = trace_platform_mask();
    trace_ring_stop(trace_platform_this_cpu());
    trace_platform_unmask(state);
}
