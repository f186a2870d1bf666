// SPDX-License-Identifier: MIT
// Modes, counts and reading. All that touches a CPU's ring runs on that CPU. So counts are exact
// and packets whole, without an atomic instruction.
#include <orrery/errors.h>
#include <string.h>
#include <trace/control.h>
#include <trace/platform.h>
#include <trace/ring.h>

static void reset(struct trace_cpu *cpu, void *mode)
{
    u64 state = trace_platform_mask();
    trace_ring_reset(cpu, *(const enum sys_trace_mode *)mode);
    trace_platform_unmask(state);
}

// The next packet that does not fit sees it.
static void change(struct trace_cpu *cpu, void *mode)
{
    u64 state = trace_platform_mask();
    cpu->mode = (u16) * (const enum sys_trace_mode *)mode;
    trace_platform_unmask(state);
}

static s64 on_all(enum sys_trace_mode mode, void (*set)(struct trace_cpu *cpu, void *mode))
{
    if (mode != SYS_TRACE_OVERWRITE && mode != SYS_TRACE_DISCARD)
        return E_INVAL;
    u32 count = trace_platform_cpu_count();
    for (u32 cpu = 0; cpu < count; cpu++)
        trace_platform_on_cpu(cpu, set, &mode);
    return 0;
}

s64 trace_set_mode(enum sys_trace_mode mode)
{
    return on_all(mode, reset);
}

s64 trace_change_mode(enum sys_trace_mode mode)
{
    return on_all(mode, change);
}

static void stat_local(struct trace_cpu *cpu, void *stat)
{
    u64 state = trace_platform_mask();
    trace_ring_stat(cpu, stat);
    trace_platform_unmask(state);
}

s64 trace_stat(u32 cpu, struct sys_trace_stat *stat)
{
    if (cpu >= trace_platform_cpu_count())
        return E_INVAL;
    trace_platform_on_cpu(cpu, stat_local, stat);
    return 0;
}

struct take {
    bool flush;
    void *spare;
    struct trace_packet *taken;
};

static void take_local(struct trace_cpu *cpu, void *argument)
{
    struct take *take = argument;
    u64 state = trace_platform_mask();
    take->taken = trace_ring_take(cpu, take->flush, take->spare);
    trace_platform_unmask(state);
}

// Looks from outside. The next look finds what this one misses.
static bool has_complete_packet(const struct trace_cpu *cpu)
{
    return __atomic_load_n(&cpu->consumed, __ATOMIC_RELAXED) !=
           __atomic_load_n(&cpu->closed, __ATOMIC_RELAXED);
}

// Copies a packet that is the reader's own, without what lies behind its content.
static s64 copy_content(void *buffer, struct trace_packet *packet)
{
    u64 bits = TRACE_BE64(packet->content_bits);
    packet->packet_bits = TRACE_BE64(bits);
    memcpy(buffer, packet, bits / 8);
    return (s64)(bits / 8);
}

// Exchanges the packet for a fresh sub-buffer: it is the reader's own before it is copied.
s64 trace_read(u32 cpu, bool flush, void *buffer, u64 bytes)
{
    if (cpu >= trace_platform_cpu_count() || bytes < TRACE_SUBBUFFER_SIZE)
        return E_INVAL;
    if (!flush && !has_complete_packet(trace_platform_cpu(cpu)))
        return 0;
    struct take take = {.flush = flush, .spare = trace_platform_subbuffer_alloc()};
    if (take.spare == NULL)
        return E_NOMEM;
    trace_platform_on_cpu(cpu, take_local, &take);
    if (take.taken == NULL) {
        trace_platform_subbuffer_free(take.spare);
        return 0;
    }
    s64 copied = copy_content(buffer, take.taken);
    trace_platform_subbuffer_free(take.taken);
    return copied;
}
