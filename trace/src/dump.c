// SPDX-License-Identifier: MIT
// The descriptor by which memory dumps show the trace buffers.
#include <string.h>
#include <trace/dump.h>
#include <trace/metadata.h>
#include <trace/platform.h>
#include <trace/table.h>

struct trace_descriptor trace_descriptor;

static void describe(struct trace_descriptor *descriptor)
{
    *descriptor = (struct trace_descriptor){
        .self = trace_platform_physical(descriptor),
        .subbuffer_size = TRACE_SUBBUFFER_SIZE,
        .linear_base = (u64)descriptor - trace_platform_physical(descriptor),
        .preamble = trace_platform_physical(trace_metadata_preamble()),
        .events = trace_platform_physical(trace_metadata_events),
    };
    memcpy(descriptor->magic, TRACE_DESCRIPTOR_MAGIC, sizeof(descriptor->magic));
}

void trace_dump_add(u32 number, const struct trace_cpu *cpu)
{
    if (trace_descriptor.self == 0)
        describe(&trace_descriptor);
    trace_descriptor.cpus[number] = trace_platform_physical(cpu);
    if (trace_descriptor.cpu_count <= number)
        trace_descriptor.cpu_count = number + 1;
}

void trace_dump_set_places(const struct trace_dump_places *places)
{
    trace_descriptor.places = trace_platform_physical(places);
}
