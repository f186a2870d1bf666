// SPDX-License-Identifier: MIT
// The process's rings: made when something is to be logged, on each CPU by that CPU.
#include <co/platform.h>
#include <orrery/errors.h>
#include <trace/control.h>
#include <trace/events.h>
#include <trace/platform.h>
#include <trace/ring.h>
#include <trace/trace.h>
#include <user/objects.h>
#include <user/scheduler.h>
#include <user/trace.h>
#include <user/trace_rings.h>

#define SUBBUFFERS 4

// Makes a CPU's ring. On that CPU, inside of user_disable. Without memory its events count as
// discarded, until the next try.
static void ensure_ring(struct trace_cpu *cpu, void *argument)
{
    trace_heartbeat_set(cpu, argument);
    if (cpu->magic == TRACE_CPU_MAGIC)
        return;
    u64 discarded = cpu->discarded;
    if (trace_ring_create(cpu, user_cpu(), SUBBUFFERS, SYS_TRACE_OVERWRITE) == 0)
        cpu->discarded = discarded;
}

void trace_rings_ensure(void)
{
    if (trace_mask() == 0)
        return;
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        trace_platform_on_cpu(cpu, ensure_ring, NULL);
}

// Makes the ring of a dispatcher that comes while events are enabled.
static s64 start_cpu(u32 cpu)
{
    if (trace_mask() != 0)
        ensure_ring(trace_platform_cpu(cpu), NULL);
    return 0;
}
USER_CPU_START(3, start_cpu); // after its objects, by which memory is allocated

static bool has_ring(u32 cpu)
{
    return cpu < ORRERY_MAX_CPUS && (user_dispatchers() >> cpu & 1) != 0 &&
           trace_platform_cpu(cpu)->magic == TRACE_CPU_MAGIC;
}

s64 user_trace_set_mask(u64 mask)
{
    if (mask & ~TRACE_ALL_MAJORS)
        return E_INVAL;
    for (u32 cpu = 0; cpu < user_cpu_count() && mask != 0; cpu++)
        trace_platform_on_cpu(cpu, ensure_ring, NULL);
    u64 failures = user_patch_failures();
    s64 error = trace_set_mask(mask);
    return error == 0 && user_patch_failures() != failures ? E_NOMEM : error;
}

s64 user_trace_set_mode(enum sys_trace_mode mode)
{
    return trace_set_mode(mode);
}

s64 user_trace_stat(u32 cpu, struct sys_trace_stat *stat)
{
    return has_ring(cpu) ? trace_stat(cpu, stat) : E_NOENT;
}

u64 user_trace_full(u32 cpu)
{
    const struct trace_cpu *ring = trace_platform_cpu(cpu);

    return has_ring(cpu) ? __atomic_load_n(&ring->closed, __ATOMIC_RELAXED) -
                               __atomic_load_n(&ring->consumed, __ATOMIC_RELAXED)
                         : 0;
}

s64 user_trace_read(u32 cpu, bool flush, void *buffer, u64 bytes)
{
    return has_ring(cpu) ? trace_read(cpu, flush, buffer, bytes) : E_NOENT;
}
