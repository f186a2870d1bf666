// SPDX-License-Identifier: MIT
// Calls on other CPUs: a queue a CPU, an IPI as the bell.
#include "calls.h"

#include <co/quiesce.h>
#include <kernel/irq.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <kernel/spinlock.h>
#include <trace/events.h>

#include "dev/interrupts.h"
#include "scheduler.h"
#include "thread.h"

struct call {
    struct call *next;
    void (*function)(void *);
    void *argument;
    u32 from;
    volatile bool done;
};

static struct {
    struct spinlock lock;
    struct call *first;
} queues[ORRERY_MAX_CPUS] = {
    [0 ... ORRERY_MAX_CPUS - 1] = {.lock = SPINLOCK_INIT("calls", RANK_TIMER)},
};

static void post(u32 cpu, struct call *call)
{
    spin_lock(&queues[cpu].lock);
    call->next = queues[cpu].first;
    queues[cpu].first = call;
    spin_unlock(&queues[cpu].lock);
    interrupt_send_ipi(cpu);
}

void calls_run(void)
{
    u32 cpu = cpu_id();
    u64 from_mask = 0;

    panic_stop_here();
    spin_lock(&queues[cpu].lock);
    struct call *call = queues[cpu].first;
    queues[cpu].first = NULL;
    spin_unlock(&queues[cpu].lock);
    while (call != NULL) {
        struct call *next = call->next; // the caller's stack frame is gone once done is set
        from_mask |= 1UL << call->from;
        call->function(call->argument);
        __asm__ volatile("lwsync" ::: "memory");
        call->done = true;
        call = next;
    }
    trace_ipi_receive(from_mask);
    scheduler_poked();
    dispatcher_poked();
    thread_join_generation(percpu()->current);
    co_cpu_advance();
}

void cpus_call(u64 mask, void (*function)(void *), void *argument)
{
    struct call calls[ORRERY_MAX_CPUS];

    KASSERT(!percpu()->soft_masked);
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        if (cpu == cpu_id() || !(mask >> cpu & 1))
            continue;
        calls[cpu] = (struct call){.function = function, .argument = argument, .from = cpu_id()};
        post(cpu, &calls[cpu]);
    }
    if (mask >> cpu_id() & 1) {
        u8 masked = soft_mask();
        function(argument);
        soft_mask_restore(masked);
    }
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        if (cpu == cpu_id() || !(mask >> cpu & 1))
            continue;
        while (!calls[cpu].done)
            __asm__ volatile("or 31,31,31" ::: "memory");
    }
    __asm__ volatile("lwsync" ::: "memory");
}

void cpu_poke(u32 cpu)
{
    if (cpu != cpu_id())
        interrupt_send_ipi(cpu);
}
