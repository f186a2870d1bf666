// SPDX-License-Identifier: MIT
// Lockups: who has been masked for long, where, with which locks, and who waits for them.
#include <kernel/console.h>
#include <kernel/irq.h>
#include <kernel/lockup.h>
#include <kernel/options.h>
#include <kernel/percpu.h>
#include <kernel/spinlock.h>
#include <kernel/timer.h>

#include "exception.h"

static struct {
    struct lockup_ticks ticks;
    struct frame frame; // of the last tick
    u64 host_waits;     // there were by then
    bool reported;      // since it is masked
} cpus[ORRERY_MAX_CPUS];
static u64 reports;

static bool is_stuck(u32 cpu)
{
    return cpus[cpu].ticks.count > 0 &&
           cpus[cpu].ticks.handled == percpu_of(cpu)->interrupts[INTERRUPT_TIMER];
}

static bool is_mine(const struct spinlock *lock)
{
    const struct spinlock *mine = percpu()->innermost_lock;

    while (mine != NULL && mine != lock)
        mine = mine->outer;
    return mine != NULL;
}

// The others run on: of what they wait for nothing is sure to stay but what this CPU has.
static void report_waiters(void)
{
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        const struct spinlock *lock = percpu_of(cpu)->awaited_lock;
        if (lock != NULL && is_mine(lock))
            kprintf("  CPU %u waits for %s, which CPU %u has\n", cpu, lock->name, cpu_id());
    }
}

static void report(const struct frame *frame, u32 seconds)
{
    const struct percpu *me = percpu();

    console_report_begin();
    kprintf("\nLOCKUP on CPU %u: interrupts have been held back for %u s, %s%s%s\n", me->cpu,
            seconds, me->innermost_lock != NULL ? "holding " : "",
            me->innermost_lock != NULL ? me->innermost_lock->name : "no lock is held",
            me->in_interrupt ? ", in an interrupt's handler" : "");
    report_waiters();
    report_cpu(me->cpu, frame);
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        if (cpu != me->cpu && is_stuck(cpu))
            report_cpu(cpu, &cpus[cpu].frame);
        else if (cpu != me->cpu)
            kprintf("CPU %u: process %u, goes on\n", cpu, percpu_of(cpu)->pid);
    }
    console_report_end();
}

// A CPU that waits for a lock is no lockup of its own, unless nobody can have the lock.
static bool others_report(void)
{
    const struct spinlock *lock = percpu()->awaited_lock;

    return lock != NULL && lock->word <= cpu_count;
}

void lockup_tick(const struct frame *frame)
{
    u32 me = cpu_id(), limit = boot_options.lockup;
    u32 count = lockup_count(&cpus[me].ticks, timebase(), percpu()->interrupts[INTERRUPT_TIMER],
                             timebase_hz);

    if (cpus[me].host_waits != percpu()->host_waits)
        cpus[me].ticks.count = count = 0;
    cpus[me].host_waits = percpu()->host_waits;
    cpus[me].frame = *frame;
    if (count == 0)
        cpus[me].reported = false;
    if (limit == 0 || count < limit || cpus[me].reported || others_report())
        return;
    cpus[me].reported = true;
    report(frame, count);
    atomic_add(&reports, 1);
}

u32 lockup_reports(void)
{
    return (u32)reports;
}
