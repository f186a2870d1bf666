// SPDX-License-Identifier: MIT
// The mask of enabled majors: patches the points, keeps the heartbeat.
#include <orrery/errors.h>
#include <trace/control.h>
#include <trace/events.h>
#include <trace/platform.h>
#include <trace/ring.h>
#include <trace/trace.h>

// Event times have 32 bits, so within a packet a reader must see no gap of 2^32 ticks (8.4 s).
// Therefore every two seconds each CPU logs a heartbeat or, with major TRACE off, ends its packet.
#define HEARTBEAT_SECONDS 2

static u64 enabled;

u64 trace_mask(void)
{
    return __atomic_load_n(&enabled, __ATOMIC_RELAXED);
}

static void renew(struct trace_cpu *cpu, void *argument)
{
    (void)argument;
    u64 state = trace_platform_mask();
    trace_ring_renew(cpu);
    trace_platform_unmask(state);
}

void trace_heartbeat_tick(void)
{
    if (trace_mask() >> TRACE_MAJOR_TRACE & 1) {
        trace_heartbeat(trace_platform_time());
        return;
    }
    renew(trace_platform_this_cpu(), NULL);
}

void trace_heartbeat_set(struct trace_cpu *cpu, void *argument)
{
    (void)cpu;
    (void)argument;
    trace_platform_heartbeat(trace_mask() != 0, HEARTBEAT_SECONDS * trace_platform_time_hz());
}

// A packet is about a time in which the CPU logged: it ends when the last major is disabled, not
// when somebody takes it.
static void note_mask(struct trace_cpu *cpu, void *argument)
{
    trace_heartbeat_set(cpu, argument);
    trace_start(trace_mask());
    if (trace_mask() == 0)
        renew(cpu, argument);
}

static void on_all_cpus(void (*function)(struct trace_cpu *, void *))
{
    u32 count = trace_platform_cpu_count();
    for (u32 cpu = 0; cpu < count; cpu++)
        trace_platform_on_cpu(cpu, function, NULL);
}

static void patch_points(u64 mask)
{
    u64 count;
    const struct trace_point *points = trace_platform_points(&count);
    trace_platform_patch_begin();
    u64 changed = mask ^ enabled;
    for (u64 i = 0; i < count; i++) {
        if (changed >> points[i].major & 1)
            trace_platform_patch(&points[i], mask >> points[i].major & 1);
    }
    __atomic_store_n(&enabled, mask, __ATOMIC_RELAXED);
    trace_platform_patch_end();
}

int trace_set_mask(u64 mask)
{
    if (mask & ~TRACE_ALL_MAJORS)
        return E_INVAL;
    // No heartbeat ran while the mask was 0, so the next event must not continue an old packet.
    if (trace_mask() == 0)
        on_all_cpus(renew);
    patch_points(mask);
    on_all_cpus(note_mask);
    return 0;
}
