// SPDX-License-Identifier: MIT
// The kernel as host of the trace core.
#include <kernel/console.h>
#include <kernel/firmware.h>
#include <kernel/irq.h>
#include <kernel/memory.h>
#include <kernel/patch.h>
#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <kernel/timer.h>
#include <string.h>
#include <trace/control.h>
#include <trace/events.h>
#include <trace/platform.h>

#include "manager.h"
#include "syscalls/syscalls.h"

_Static_assert(offsetof(struct percpu, trace) == R13_TRACE, "sequence.S");
_Static_assert(sizeof(struct trace_cpu) <= sizeof(((struct percpu *)0)->trace), "orrery/r13.h");

u32 trace_platform_cpu_count(void)
{
    return cpu_count;
}

struct trace_cpu *trace_platform_cpu(u32 cpu)
{
    return (struct trace_cpu *)percpu_of(cpu)->trace;
}

struct trace_cpu *trace_platform_this_cpu(void)
{
    return (struct trace_cpu *)percpu()->trace;
}

u32 trace_platform_pid(void)
{
    return 0;
}

u64 trace_platform_mask(void)
{
    return hard_mask();
}

void trace_platform_unmask(u64 state)
{
    hard_mask_restore(state);
}

struct shipped {
    void (*function)(struct trace_cpu *, void *);
    void *argument;
};

static void run_shipped(void *argument)
{
    const struct shipped *shipped = argument;
    CO_CALL(struct trace_manager, trace_manager, local, shipped->function, shipped->argument);
}

void trace_platform_on_cpu(u32 cpu, void (*function)(struct trace_cpu *, void *), void *argument)
{
    struct shipped shipped = {function, argument};
    cpus_call(1UL << cpu, run_shipped, &shipped);
}

u64 trace_platform_time(void)
{
    return timebase();
}

u64 trace_platform_time_hz(void)
{
    return timebase_hz;
}

static struct {
    struct timer timer;
    u64 period;
} heartbeats[ORRERY_MAX_CPUS];

static void heartbeat_fire(struct timer *timer)
{
    trace_heartbeat_tick();
    timer_start(timer, timebase() + heartbeats[cpu_id()].period);
}

void trace_platform_heartbeat(bool on, u64 period)
{
    struct timer *timer = &heartbeats[cpu_id()].timer;
    if (!on) {
        timer_cancel(timer);
        return;
    }
    if (timer->deadline != 0)
        return;
    heartbeats[cpu_id()].period = period;
    timer->fire = heartbeat_fire;
    timer_start(timer, timebase() + period);
}

void *trace_platform_subbuffer_alloc(void)
{
    return pages_alloc(pages_order(TRACE_SUBBUFFER_SIZE));
}

void trace_platform_subbuffer_free(void *subbuffer)
{
    pages_free(subbuffer, pages_order(TRACE_SUBBUFFER_SIZE));
}

void *trace_platform_alloc(u64 bytes)
{
    return kmalloc(bytes);
}

void trace_platform_free(void *memory)
{
    kfree(memory);
}

u64 trace_platform_physical(const void *address)
{
    return mmu_lookup((u64)address);
}

extern const struct trace_point trace_points_start[], trace_points_end[];

const struct trace_point *trace_platform_points(u64 *count)
{
    *count = (u64)(trace_points_end - trace_points_start);
    return trace_points_start;
}

void trace_platform_patch_begin(void)
{
    patch_begin();
}

void syscall_traced(void); // syscall_traced.S

void trace_platform_patch(const struct trace_point *point, bool on)
{
    patch_word(point->instruction, on ? ppc_branch(point->instruction, point->target) : PPC_NOP);
    if (point->major == TRACE_MAJOR_SYSCALL) // plain calls have another table instead of points
        syscalls_stand_in(on ? syscall_traced : NULL);
}

void trace_platform_patch_end(void)
{
    patch_end();
}

// One step of splitmix64: each bit of state changes about half of the result's bits.
static u64 scramble(u64 state)
{
    state += 0x9e3779b97f4a7c15;
    state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9;
    state = (state ^ state >> 27) * 0x94d049bb133111eb;
    return state ^ state >> 31;
}

void trace_platform_identity(struct trace_identity *identity)
{
    struct sys_info info;
    sys_info(&info);
    u64 words[2] = {scramble(timebase() ^ scramble(info.date)), 0};
    words[1] = scramble(words[0]);
    memcpy(identity->unique, words, sizeof(words));
    identity->date = info.date;
    memcpy(identity->build_id, info.build_id, sizeof(identity->build_id));
}

void trace_platform_print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    kvprintf(format, arguments);
    va_end(arguments);
}
