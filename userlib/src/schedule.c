// SPDX-License-Identifier: MIT
// Which thread runs on this CPU, and how one gives its CPU up (docs/userlib.md). Everything here is
// disabled.
#include "scheduler.h"

#include "check.h"
#include "dispatcher.h"
#include "policy.h"
#include "ready.h"

#include <trace/reasons.h>

// Every switch goes through these: calls between them would be a tenth of its time.
#define INLINE static inline __attribute__((always_inline))

void (*user_switch_hook)(struct thread *next);

void user_on_switch(void (*handler)(struct thread *next))
{
    user_switch_hook = handler;
}

// ---- the policy ---------------------------------------------------------------------------------

void scheduler_slice(struct scheduler *scheduler)
{
    scheduler->slice_end = time_after_us(scheduler->slice_us);
    scheduler_arm(scheduler);
}

s64 scheduler_policy(const struct scheduler_policy *policy)
{
    u32 before = user_disable();
    struct scheduler *scheduler = scheduler_here();
    bool others = user_dispatchers() != 1ul << scheduler->cpu;
    s64 error = others || scheduler->policy ? E_BUSY : 0;
    if (error == 0) {
        dispatcher_policy(policy);
        scheduler->policy = policy;
        user_page(scheduler->cpu)->switch_work[SWITCH_POLICY] = 1;
        scheduler_slice(scheduler);
    }
    user_enable(before);
    return error;
}

// ---- the ready queues ---------------------------------------------------------------------------

INLINE u32 turn_priority(struct scheduler *scheduler, struct thread *thread, bool work)
{
    u32 wanted = thread_wanted_priority(thread);
    return work && scheduler->policy ? scheduler->policy->priority(thread, wanted) : wanted;
}

INLINE void make_ready(struct scheduler *scheduler, struct thread *thread, bool front, bool work)
{
    CHECK(thread->magic == THREAD_MAGIC && thread->cpu == scheduler->cpu);
    ready_add(scheduler, thread, turn_priority(scheduler, thread, work), front);
    const struct thread *current = scheduler->current;
    if (work && scheduler->policy && thread != current)
        scheduler->policy->joined(scheduler);
    if (!current || current == thread || current->run != THREAD_RUNNING)
        return;
    if (thread->priority > current->priority)
        scheduler->attention |= ATTENTION_PREEMPT;
    else if (thread->priority == current->priority && scheduler->slice_end == UINT64_MAX)
        scheduler_slice(scheduler);
}

static __attribute__((noinline)) void ready_at_work(struct scheduler *scheduler,
                                                    struct thread *thread, bool front)
{
    make_ready(scheduler, thread, front, true);
}

void scheduler_ready(struct scheduler *scheduler, struct thread *thread, bool front)
{
    if (switch_has_work())
        ready_at_work(scheduler, thread, front);
    else
        make_ready(scheduler, thread, front, false);
}

INLINE struct thread *take_best(struct scheduler *scheduler, bool work)
{
    if (work && scheduler->policy)
        scheduler->policy->choosing(scheduler);
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

// Makes thread the one that runs next.
INLINE void give_cpu(struct scheduler *scheduler, struct thread *thread, bool work)
{
    thread->run = THREAD_RUNNING;
    thread->switches++;
    scheduler->current = thread;
    scheduler->attention &= ~ATTENTION_PREEMPT;
    if (work && scheduler->policy)
        scheduler->policy->chosen(scheduler, thread);
    else if (scheduler->slice_end == UINT64_MAX && scheduler->ready_mask >> thread->priority & 1)
        scheduler_slice(scheduler);
    if (user_switch_hook)
        user_switch_hook(thread);
}

// ---- waiting for something to do ----------------------------------------------------------------

static void idle(struct scheduler *scheduler)
{
    struct event event;
    if (user_switch_hook)
        user_switch_hook(NULL);
    if (scheduler->policy)
        scheduler->slice_end = UINT64_MAX;
    scheduler->stat.waits++;
    event_wait(&event);
    event_handle(&event);
}

static __attribute__((noinline)) struct thread *wait_for_best(struct scheduler *scheduler,
                                                              struct thread *next)
{
    for (; !next; next = take_best(scheduler, true))
        idle(scheduler);
    return next;
}

INLINE void tell_leaving(const struct leaving *leaving, enum sys_monitor_switch what)
{
    if (reports_wanted()) // still
        monitor_tell(leaving->what, leaving->thread | what, leaving->name);
}

static __attribute__((noinline)) struct thread *choose_reported(struct scheduler *scheduler,
                                                                struct thread *next)
{
    struct leaving leaving = scheduler->leaving;
    scheduler->leaving.thread = 0;
    scheduler_set_leaving(0);
    if (next && next->id == leaving.thread >> 32) {
        tell_leaving(&leaving, SYS_MONITOR_STAYS);
        return next;
    }
    if (leaving.thread)
        tell_leaving(&leaving, SYS_MONITOR_LEAVES);
    if (!next)
        next = wait_for_best(scheduler, next);
    if (reports_wanted())
        monitor_tell(MONITOR_TELL(SYS_MONITOR_THREAD, 0),
                     SYS_MONITOR_THREAD_WORD(next->id, SYS_MONITOR_COMES), thread_name_word(next));
    return next;
}

// Returns the best thread; waits until there is one. Monitors are told.
INLINE struct thread *choose(struct scheduler *scheduler, bool work)
{
    struct thread *next = take_best(scheduler, work);
    if (work && (reports_wanted() || scheduler->leaving.thread != 0))
        return choose_reported(scheduler, next);
    return next ? next : wait_for_best(scheduler, next);
}

void scheduler_dispatch(void)
{
    struct scheduler *scheduler = scheduler_here();
    bool work = switch_has_work();
    scheduler->current = NULL;
    scheduler->attention = 0;
    struct thread *next = choose(scheduler, work);
    scheduler->stat.switches++;
    give_cpu(scheduler, next, work);
    thread_resume(next);
}

// ---- giving the CPU up --------------------------------------------------------------------------

// Rests the current thread, which has been made ready or is blocked, until its next turn. A blocked
// one waits on its own stack while no other thread is ready, so that a call or a wait with nothing
// else to do switches nothing.
INLINE void rest(struct scheduler *scheduler, struct thread *self, u32 reason, bool work)
{
    if (work)
        scheduler_leaves(scheduler, self, reason);
    struct thread *next = choose(scheduler, work);
    give_cpu(scheduler, next, work);
    if (next == self)
        return;
    scheduler->stat.switches++;
    thread_switch(self, next);
}

static __attribute__((noinline)) void rest_at_work(struct scheduler *scheduler, struct thread *self,
                                                   u32 reason)
{
    rest(scheduler, self, reason, true);
}

u32 scheduler_block(u32 reasons)
{
    struct scheduler *scheduler = scheduler_here();
    struct thread *self = scheduler->current;
    if (!(self->tokens & reasons)) {
        self->blocked_for = reasons;
        self->run = THREAD_BLOCKED;
        co_thread_exit(&self->member);
        if (switch_has_work())
            rest_at_work(scheduler, self, report_reason(reasons));
        else
            rest(scheduler, self, 0, false);
        thread_follow(self);
        co_thread_enter(&self->member);
        self->blocked_for = 0;
    }
    u32 taken = self->tokens & reasons;
    self->tokens &= ~taken;
    return taken;
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

INLINE void yield(struct scheduler *scheduler, struct thread *self, u32 reason, bool work)
{
    if (work && scheduler->policy) {
        scheduler->policy->choosing(scheduler);
        self->priority = turn_priority(scheduler, self, true);
    }
    if (scheduler->ready_mask >> self->priority) {
        self->run = THREAD_READY;
        make_ready(scheduler, self, false, work);
        rest(scheduler, self, reason, work);
        return;
    }
    if (work && reports_wanted())
        monitor_tell(MONITOR_TELL(SYS_MONITOR_THREAD, reason),
                     SYS_MONITOR_THREAD_WORD(self->id, SYS_MONITOR_STAYS), thread_name_word(self));
    self->switches++;
    if (work && scheduler->policy)
        scheduler->policy->chosen(scheduler, self);
}

static __attribute__((noinline)) void yield_at_work(struct scheduler *scheduler,
                                                    struct thread *self, u32 reason)
{
    yield(scheduler, self, reason, true);
}

static void yield_for(u32 reason)
{
    struct scheduler *scheduler = scheduler_here();
    scheduler_inbox(scheduler);
    if (switch_has_work())
        yield_at_work(scheduler, scheduler->current, reason);
    else
        yield(scheduler, scheduler->current, reason, false);
}

void scheduler_yield(void)
{
    yield_for(REASON_YIELD);
}

void scheduler_reschedule(void)
{
    struct scheduler *scheduler = scheduler_here();
    struct thread *self = scheduler->current;
    for (;;) {
        if (user_page(scheduler->cpu)->pending)
            event_poll();
        if (scheduler->attention & ATTENTION_ROTATE) {
            scheduler->attention &= ~ATTENTION_ROTATE;
            yield_for(REASON_PREEMPTED);
        } else if (scheduler->attention & ATTENTION_PREEMPT) {
            scheduler->attention &= ~ATTENTION_PREEMPT;
            self->run = THREAD_READY;
            scheduler_ready(scheduler, self, true);
            rest_at_work(scheduler, self, REASON_PREEMPTED);
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
        if (timer->due)
            timer->due(timer);
        else
            scheduler_ready(scheduler, container_of(timer, struct thread, timer), false);
    }
    if (scheduler->slice_end <= now) {
        scheduler->slice_end = UINT64_MAX;
        scheduler->attention |= ATTENTION_ROTATE;
        if (scheduler->policy)
            scheduler->policy->slice_over(scheduler);
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

void user_timer_start(struct timer *timer)
{
    struct scheduler *scheduler = scheduler_here();
    timers_add(&scheduler->timers, timer);
    scheduler_arm(scheduler);
}

// ---- between CPUs -------------------------------------------------------------------------------

// Pushes a thread on its CPU's inbox: a stack of threads, each in at most one inbox. A thread that
// has gone elsewhere meanwhile is sent on.
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
    // If it is in an inbox, whoever looks into that frees it.
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
