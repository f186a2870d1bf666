// SPDX-License-Identifier: MIT
// A machine of two CPUs of which one runs at a time: per-CPU data, masking (checked to nest), calls
// on other CPUs. Trace points are off.
#ifndef TESTS_PROOFS_MODEL_MACHINE_H
#define TESTS_PROOFS_MODEL_MACHINE_H

#define KERNEL_SOFTMASK_H // what follows stands in its place
#define TRACE_EVENTS_H

#include <kernel/irq.h>
#include <kernel/percpu.h>

#define CPUS 2
static struct percpu the_percpu[CPUS] = {{.cpu = 0}, {.cpu = 1}};
u32 cpu_count = CPUS;

static void run_on(u32 cpu)
{
    percpu_r13 = &the_percpu[cpu];
}

static inline u8 soft_mask(void)
{
    u8 before = percpu_r13->soft_masked;

    percpu_r13->soft_masked = 1;
    return before;
}

static inline void soft_mask_restore(u8 before)
{
    //@ check masked_until_now: percpu_r13->soft_masked == 1;
    percpu_r13->soft_masked = before;
}

static void nothing_is_masked(void)
{
    //@ check nothing_is_masked: percpu_r13->soft_masked == 0;
}

void cpus_call(u64 mask, void (*function)(void *), void *argument)
{
    struct percpu *caller = percpu_r13;

    //@ check of_this_machine: mask < 4;
    for (u32 cpu = 0; cpu < CPUS; cpu++) {
        if ((mask >> cpu & 1) == 0)
            continue;
        run_on(cpu);
        u8 masked = soft_mask();
        function(argument);
        soft_mask_restore(masked);
    }
    percpu_r13 = caller;
}

u64 atomic_add(u64 *word, u64 addend)
{
    u64 before = *word;

    *word = before + addend;
    return before;
}

#define trace_ipc_call(...) ((void)0)
#define trace_ipc_reply(...) ((void)0)
#define trace_ipc_send(...) ((void)0)
#define trace_ipc_take(...) ((void)0)
#define trace_ipc_take_reply(...) ((void)0)
// Nobody is told what happens.
#define KERNEL_POINTS_H
#define HAPPENS(...) ((void)0)
#define HAPPENS_IF(...) ((void)0)

#endif
