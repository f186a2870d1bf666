// SPDX-License-Identifier: MIT
// The policies of S003 §3: slices grow, and usage of the CPU lowers a thread's priority. They are
// linked into programs that name them.
#include "policy.h"

#include "ready.h"
#include "scheduler.h"
#include "usage.h"

static u64 period_now(void)
{
    return time_now() / time_from_us(USAGE_PERIOD_US);
}

// Makes slices short again, also the one that runs: somebody joins the ready ones.
static void joined(struct scheduler *scheduler)
{
    u64 end = time_after_us(POLICY_SLICE_US);
    scheduler->slice_us = POLICY_SLICE_US;
    if (scheduler->slice_end == UINT64_MAX || scheduler->slice_end <= end)
        return;
    scheduler->slice_end = end;
    scheduler_arm(scheduler);
}

// Takes all ready threads, the best first, as a list.
static struct thread *take_all(struct scheduler *scheduler)
{
    struct thread *threads = NULL, **end = &threads;
    for (u32 priority = THREAD_PRIORITIES; priority-- > 0;) {
        struct thread_queue *queue = &scheduler->ready[priority];
        if (!queue->head)
            continue;
        *end = queue->head;
        end = &queue->tail->next;
        queue->head = NULL;
    }
    scheduler->ready_mask = 0;
    return threads;
}

// Ages the usage of the ready ones in a new period. Some go to another queue.
static void choosing(struct scheduler *scheduler)
{
    if (scheduler->aged == period_now())
        return;
    scheduler->aged = period_now();
    for (struct thread *thread = take_all(scheduler), *next; thread; thread = next) {
        next = thread->next;
        u32 priority = scheduler->policy->priority(thread, thread_wanted_priority(thread));
        ready_add(scheduler, thread, priority, false);
    }
}

// Charges the current thread for a slice that is over.
static void slice_over(struct scheduler *scheduler)
{
    struct thread *current = scheduler->current;
    scheduler->slice_us = usage_longer(scheduler->slice_us);
    if (current && current->run == THREAD_RUNNING)
        usage_charge(&current->usage, period_now());
}

// Begins the turn of a thread that has got its CPU, unless its last turn still goes on. decay is of
// the time that it was ready or blocked up to now.
static inline void begin_turn(struct scheduler *scheduler, struct thread *thread,
                              void (*decay)(struct usage *usage, u64 period))
{
    if (thread->id == scheduler->turn && scheduler->slice_end != UINT64_MAX)
        return;
    if (thread->id != scheduler->turn)
        decay(&thread->usage, period_now());
    scheduler->turn = thread->id;
    scheduler_slice(scheduler);
}

// ---- growing: usage is forgotten ----------------------------------------------------------------

static u32 growing_priority(struct thread *thread, u32 wanted)
{
    usage_decay(&thread->usage, period_now());
    return usage_lowered(&thread->usage, wanted);
}

static void growing_chosen(struct scheduler *scheduler, struct thread *thread)
{
    begin_turn(scheduler, thread, usage_decay);
}

const struct scheduler_policy scheduler_growing = {
    .priority = growing_priority,
    .joined = joined,
    .choosing = choosing,
    .chosen = growing_chosen,
    .slice_over = slice_over,
};

// ---- starving: … while the thread runs only -----------------------------------------------------

static u32 starving_priority(struct thread *thread, u32 wanted)
{
    usage_decay_starved(&thread->usage, period_now());
    return usage_lowered(&thread->usage, wanted);
}

static void starving_chosen(struct scheduler *scheduler, struct thread *thread)
{
    begin_turn(scheduler, thread, usage_run_starved);
}

const struct scheduler_policy scheduler_starving = {
    .priority = starving_priority,
    .joined = joined,
    .choosing = choosing,
    .chosen = starving_chosen,
    .slice_over = slice_over,
};
