// SPDX-License-Identifier: MIT
// A representative of the Scheduler: its CPU's run queue. The scheduler's own, and the fast path's
// of calls (asm_offsets.c).
#ifndef KERNEL_PROC_RUN_QUEUE_H
#define KERNEL_PROC_RUN_QUEUE_H

#include <co/object.h>
#include <kernel/spinlock.h>
#include <kernel/timer.h>

#include "thread.h"

struct run_queue;

struct scheduler_ops {
    struct co_ops base;
    s64 (*ready)(struct run_queue *self, struct thread *thread);
    s64 (*schedule)(struct run_queue *self);
    s64 (*poked)(struct run_queue *self);
    s64 (*hand_over)(struct run_queue *self, struct thread *to, u32 reason);
};

struct run_queue {
    CO_REP(struct scheduler_ops);
    struct spinlock lock;
    u32 occupied;        // bit p: priority p has threads
    u8 running_priority; // of the thread that runs
    u16 length;          // threads in it; the idle thread is one whenever another one runs
    struct thread *first[PRIORITY_COUNT], *last[PRIORITY_COUNT];
    struct timer slice;
    u64 switched_at;
    // Of those less urgent than what runs, the one that is looked after: it has waited for so many
    // slices, and had run so often before.
    const struct thread *waiting;
    u64 waiting_switches;
    u32 waiting_priority; // of the last one, to take turns
    u32 waited;
    // A turn of more than one tick: whose, the how manyeth of its switches began it, ticks so far.
    const struct thread *turn;
    u64 turn_switches;
    u32 turn_ticks;
};

#endif
