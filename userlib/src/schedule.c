// SPDX-License-Identifier: MIT
// Which thread runs on this CPU, and how one gives its CPU up (DESIGN.md §8).
// Everything here is disabled.
#include "scheduler.h"

#include "check.h"

void (*user_switch_hook)(struct thread *next);

void user_on_switch(void (*handler)(struct thread *next))
{
    user_switch_hook = handler;
}

// ---- the ready queues ---------------------------------------------------------------------------

static void slice_begin(struct scheduler *scheduler)
{
    scheduler->slice_end = time_after_us(SLICE_US);
    scheduler_arm(scheduler);
}

void scheduler_ready(struct scheduler *scheduler, struct thread *thread, bool front)
{
    CHECK(thread->magic == THREAD_MAGIC && thread->cpu == scheduler->cpu);
    thread->priority = __atomic_load_n(&thread->wanted_priority, __ATOMIC_RELAXED);
    struct thread_queue *queue = &scheduler->ready[thread->priority];
    thread->run = THREAD_READY;
    thread->next = front ? queue->head : NULL;
    if (!queue->head)
        queue->head = queue->tail = thread;
    else if (front)
        queue->head = thread;
    else
        queue->tail = queue->tail->next = thread;
    scheduler->ready_mask |= 1u << thread->priority;
    const struct thread *current = scheduler->current;
    if (!current || current == thread || current->run != THREAD_RUNNING)
        return;
    if (thread->priority > current->priority)
        scheduler->attention |= ATTENTION_PREEMPT;
    else if (thread->priority == current->priority && scheduler->slice_end == UINT64_MAX)
        slice_begin(scheduler);
}

static struct thread *take_best(struct scheduler *scheduler)
{
    if (!scheduler->ready_mask)
        return NULL;
    u32 priority = 31 - (u32)__builtin_clz(scheduler->ready_mask);
    struct thread_queue *queue = &scheduler->ready[priority];
    struct thread *thread = queue->head;
    queue->head = thread->next;
    if (!queue->head)
        scheduler->ready_mask &= ~(1u << priority);
    return thread;
}

// thread is what runs next.
static void give_cpu(struct scheduler *scheduler, struct thread *thread)
{
    thread->run = THREAD_RUNNING;
    thread->switches++;
    scheduler->current = thread;
    scheduler->attention &= ~ATTENTION_PREEMPT;
    if (scheduler->slice_end == UINT64_MAX && scheduler->ready_mask >> thread->priority & 1)
        slice_begin(scheduler);
    if (user_switch_hook)
        user_switch_hook(thread);
}

// ---- waiting for something to do ----------------------------------------------------------------

static void idle(struct scheduler *scheduler)
{
    struct event event;
    if (user_switch_hook)
        user_switch_hook(NULL);
    scheduler->stat.waits++;
    event_wait(&event);
    event_handle(&event);
}

void scheduler_dispatch(void)
{
    struct scheduler *scheduler = scheduler_here();
    struct thread *next;
    scheduler->current = NULL;
    scheduler->attention = 0;
    while (!(next = take_best(scheduler)))
        idle(scheduler);
    scheduler->stat.switches++;
    give_cpu(scheduler, next);
    thread_resume(next);
}

// ---- giving the CPU up --------------------------------------------------------------------------

// The current thread has been made ready, or is blocked: goes on when it is its turn. A blocked one
// waits on its own stack while there is no other, so that a call or a wait with nothing else to do
// switches nothing.
static void rest(struct scheduler *scheduler, struct thread *self)
{
    struct thread *next;
    while (!(next = take_best(scheduler)))
        idle(scheduler);
    if (next == self) {
        give_cpu(scheduler, self);
        return;
    }
    scheduler->stat.switches++;
    give_cpu(scheduler, next);
    thread_switch(self, next);
}

static u32 take_tokens(struct thread *self, u32 reasons)
{
    u32 taken = self->tokens & reasons;
    self->tokens &= ~taken;
    return taken;
}

u32 scheduler_block(u32 reasons)
{
    struct scheduler *scheduler = scheduler_here();
    struct thread *self = scheduler->current;
    if (!(self->tokens & reasons)) {
        self->blocked_for = reasons;
        self->run = THREAD_BLOCKED;
        co_thread_exit(&self->member);
        rest(scheduler, self);
        thread_follow(self);
        co_thread_enter(&self->member);
        self->blocked_for = 0;
    }
    return take_tokens(self, reasons);
}

u32 scheduler_block_until(u32 reasons, u64 deadline)
{
    struct scheduler *scheduler = scheduler_here();
    struct thread *self = scheduler->current;
    if (self->tokens & reasons || deadline == UINT64_MAX)
        return scheduler_block(reasons);
    if (deadline <= time_now())
        return 0;
    self->timer.deadline = deadline;
    timers_add(&scheduler->timers, &self->timer);
    scheduler_arm(scheduler);
    return scheduler_block(reasons);
}

void scheduler_yield(void)
{
    struct scheduler *scheduler = scheduler_here();
    struct thread *self = scheduler->current;
    scheduler_inbox(scheduler);
    if (!(scheduler->ready_mask >> self->priority))
        return;
    self->run = THREAD_READY;
    scheduler_ready(scheduler, self, false);
    rest(scheduler, self);
}

void scheduler_settle(void)
{
    struct scheduler *scheduler = scheduler_here();
    struct thread *self = scheduler->current;
    for (;;) {
        if (user_page(scheduler->cpu)->pending)
            event_poll();
        if (scheduler->attention & ATTENTION_ROTATE) {
            scheduler->attention &= ~ATTENTION_ROTATE;
            scheduler_yield();
        } else if (scheduler->attention & ATTENTION_PREEMPT) {
            scheduler->attention &= ~ATTENTION_PREEMPT;
            self->run = THREAD_READY;
            scheduler_ready(scheduler, self, true);
            rest(scheduler, self);
        } else if (!user_page(scheduler->cpu)->pending) {
            return;
        }
        scheduler = scheduler_here();
    }
}

// ---- waking -------------------------------------------------------------------------------------

static void wake_here(struct scheduler *scheduler, struct thread *thread, u32 tokens)
{
    thread->tokens |= tokens;
    if (thread->run == THREAD_BLOCKED && thread->tokens & thread->blocked_for) {
        timers_remove(&scheduler->timers, &thread->timer);
        scheduler_ready(scheduler, thread, false);
    }
}

void scheduler_timer(struct scheduler *scheduler)
{
    u64 now = time_now();
    struct timer *timer;
    scheduler->stat.timers++;
    while ((timer = timers_take(&scheduler->timers, now))) {
        struct thread *thread = container_of(timer, struct thread, timer);
        scheduler_ready(scheduler, thread, false);
    }
    if (scheduler->slice_end <= now) {
        scheduler->slice_end = UINT64_MAX;
        scheduler->attention |= ATTENTION_ROTATE;
    }
    scheduler_arm(scheduler);
}

void scheduler_arm(struct scheduler *scheduler)
{
    u64 next = timers_next(&scheduler->timers);
    if (scheduler->slice_end < next)
        next = scheduler->slice_end;
    // An earlier time than needed does no harm: the event finds nothing to do.
    if (next < scheduler->armed) {
        scheduler->armed = next;
        sys_timer(next);
    }
}

// ---- between CPUs -------------------------------------------------------------------------------

// An inbox is a stack of threads, each in at most one.
// A thread that has gone elsewhere meanwhile is sent on.
static void inbox_push(struct thread *thread)
{
    u32 cpu = __atomic_load_n(&thread->cpu, __ATOMIC_RELAXED);
    struct scheduler *there = scheduler_of(cpu);
    struct thread *head = __atomic_load_n(&there->inbox, __ATOMIC_RELAXED);
    do {
        thread->inbox_next = head;
    } while (!__atomic_compare_exchange_n(&there->inbox, &head, thread, true, __ATOMIC_RELEASE,
                                          __ATOMIC_RELAXED));
    if (!head)
        sys_dispatcher_kick(cpu, 1ul << KICK_INBOX);
}

static void post(struct thread *thread, u32 flags)
{
    if (__atomic_fetch_or(&thread->inbox_flags, flags, __ATOMIC_ACQ_REL) == 0)
        inbox_push(thread);
}

void scheduler_wake(struct thread *thread, u32 tokens)
{
    struct scheduler *here = scheduler_here();
    CHECK(thread->magic == THREAD_MAGIC);
    // Acquire: whoever sent it here has written to it before.
    if (__atomic_load_n(&thread->cpu, __ATOMIC_ACQUIRE) == here->cpu)
        wake_here(here, thread, tokens);
    else
        post(thread, tokens);
}

void scheduler_free(struct thread *thread)
{
    // Who looks into the inbox that it is in frees it.
    if (__atomic_fetch_or(&thread->inbox_flags, INBOX_FREE, __ATOMIC_ACQ_REL) == 0)
        stack_give(thread);
}

void scheduler_send(struct thread *thread)
{
    post(thread, INBOX_ARRIVE);
}

static void arrived(struct scheduler *scheduler, struct thread *thread)
{
    if (thread->cpu != scheduler->cpu) {
        inbox_push(thread);
        return;
    }
    u32 flags = __atomic_exchange_n(&thread->inbox_flags, 0, __ATOMIC_ACQ_REL);
    if (flags & INBOX_FREE) {
        stack_give(thread);
        return;
    }
    if (flags & INBOX_ARRIVE)
        scheduler_ready(scheduler, thread, false);
    wake_here(scheduler, thread, flags & ~INBOX_ARRIVE);
}

void scheduler_inbox_slow(struct scheduler *scheduler)
{
    struct thread *thread = __atomic_exchange_n(&scheduler->inbox, NULL, __ATOMIC_ACQUIRE);
    while (thread) {
        struct thread *next = thread->inbox_next;
        arrived(scheduler, thread);
        thread = next;
    }
}
