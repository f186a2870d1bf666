// SPDX-License-Identifier: MIT
// Calls on other CPUs: a queue a CPU, an IPI as the bell.
#include "calls.h"

#include <co/quiesce.h>
#include <kernel/hcall.h>
#include <kernel/irq.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <kernel/spinlock.h>
#include <trace/events.h>

#include "dev/interrupts.h"
#include "scheduler.h"
#include "thread.h"

// Looks at a call until its caller's CPU sleeps: longer than another CPU takes that runs code.
#define LOOKS 256

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
static bool sleeping[ORRERY_MAX_CPUS]; // a CPU sleeps, or is about to, until its calls are done

static void post(u32 cpu, struct call *call)
{
    spin_lock(&queues[cpu].lock);
    call->next = queues[cpu].first;
    queues[cpu].first = call;
    spin_unlock(&queues[cpu].lock);
    interrupt_send_ipi(cpu);
}

// Either this sees that the caller's CPU is about to sleep, or that CPU sees that the call is done.
static void finish(struct call *call)
{
    u32 from = call->from; // the caller's stack frame is gone once done is set

    __asm__ volatile("lwsync" ::: "memory");
    call->done = true;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&sleeping[from], __ATOMIC_RELAXED))
        interrupt_send_ipi(from);
}

// Sleeps until the next interrupt, unless the call is done: a CPU that was asleep takes as long to
// begin as thousands of looks, and on an emulator each look is work for its host. H_CEDE is entered
// with EE off, so that no interrupt can come between the look and the sleep, and returns with EE
// on.
static void sleep_for(const struct call *call)
{
    bool *own = &sleeping[cpu_id()];
    u64 msr = hard_mask();

    __atomic_store_n(own, true, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (!call->done)
        HCALL(H_CEDE);
    __atomic_store_n(own, false, __ATOMIC_RELAXED);
    hard_mask_restore(msr);
}

static void wait_for(const struct call *call)
{
    for (u32 looks = 0; !call->done; looks++) {
        if (looks < LOOKS)
            __asm__ volatile("or 31,31,31" ::: "memory");
        else
            sleep_for(call);
    }
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
        struct call *next = call->next; // gone once it is done
        from_mask |= 1UL << call->from;
        call->function(call->argument);
        finish(call);
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
        wait_for(&calls[cpu]);
    }
    __asm__ volatile("lwsync" ::: "memory");
}

void cpu_poke(u32 cpu)
{
    if (cpu != cpu_id())
        interrupt_send_ipi(cpu);
}
