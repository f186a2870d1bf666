// SPDX-License-Identifier: MIT
// Scheduler: preemptive priorities, round robin within one, each CPU for itself. The Scheduler
// object is distributed; a representative is its CPU's run queue. A thread that more urgent ones
// have kept waiting for PATIENCE_SLICES gets a turn all the same: a server that other CPUs keep
// busy would take its CPU for ever. One that somebody urgent waits for can be favoured.
#include "scheduler.h"

#include <kernel/hcall.h>
#include <kernel/irq.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/points.h>
#include <kernel/softmask.h>
#include <kernel/spinlock.h>
#include <kernel/startup.h>
#include <trace/events.h>
#include <trace/reasons.h>

#include "dispatcher.h"
#include "domain.h"
#include "exception/user.h"
#include "ipc/call_record.h"
#include "ipc/endpoint.h"
#include "pmu/task_points.h"
#include "run_queue.h"
#include "services.h"
#include "thread.h"

#define SLICE_MICROSECONDS 10000
#define PATIENCE_SLICES 10

static struct run_queue queues[ORRERY_MAX_CPUS];
static struct co_root root;
static coid_t scheduler;

void thread_switch(u64 *save_stack, u64 stack);

static void push_at(struct run_queue *queue, struct thread *thread, u8 priority)
{
    thread->state = THREAD_READY;
    thread->next = NULL;
    if (queue->first[priority] == NULL)
        queue->first[priority] = thread;
    else
        queue->last[priority]->next = thread;
    queue->last[priority] = thread;
    queue->occupied |= 1u << priority;
    queue->length++;
}

// Returns the priority at which a thread waits for its turn. A favoured one waits once with more
// urgent ones, and runs at its own priority.
static u8 place_of(struct thread *thread)
{
    u8 priority = thread->priority;

    if (__builtin_expect(thread->favoured, 0)) {
        thread->favoured = false;
        priority = priority < PRIORITY_HIGH ? PRIORITY_HIGH : priority;
    }
    return priority;
}

// Takes out the most urgent ready thread. If nothing else is ready, the idle thread is.
static struct thread *pop(struct run_queue *queue)
{
    u32 priority = 31 - (u32)__builtin_clz(queue->occupied);
    struct thread *thread = queue->first[priority];

    queue->first[priority] = thread->next;
    if (thread->next == NULL)
        queue->occupied &= ~(1u << priority);
    queue->length--;
    return thread;
}

static u32 most_urgent(const struct run_queue *queue)
{
    return queue->occupied == 0 ? 0 : 31 - (u32)__builtin_clz(queue->occupied);
}

static CO_METHOD s64 ready(struct run_queue *self, struct thread *thread)
{
    CO_HOME(self);
    struct run_queue *queue = &queues[thread->cpu];

    spin_lock(&queue->lock);
    u8 place = place_of(thread);
    push_at(queue, thread, place);
    bool urgent = place > queue->running_priority;
    if (urgent && queue == self)
        percpu()->need_resched = 1;
    spin_unlock(&queue->lock);
    if (urgent && queue != self)
        cpu_poke(thread->cpu);
    return 0;
}

static CO_METHOD s64 poked(struct run_queue *self)
{
    CO_HOME(self);
    if (most_urgent(self) > self->running_priority)
        percpu()->need_resched = 1;
    return 0;
}

// Calls that hand the CPU over do not account (ipc/fast_path.S): the time of pairs that do nothing
// else is shared out by who runs at the ticks, unless services are logged.
static void scheduler_charge(struct run_queue *queue, struct thread *thread, u64 now)
{
    thread->run_ticks += now - queue->switched_at;
    queue->switched_at = now;
}

// Returns the next priority to look after, among those that wait behind what runs, each in turn.
// PRIORITY_IDLE: none.
static u32 next_waiting(const struct run_queue *queue)
{
    u32 below = queue->occupied & ((1u << queue->running_priority) - 1) & ~(1u << PRIORITY_IDLE);
    u32 later = below & ((1u << queue->waiting_priority) - 1);

    below = later != 0 ? later : below;
    return below != 0 ? 31 - (u32)__builtin_clz(below) : PRIORITY_IDLE;
}

// Moves the first thread of a priority to the front of all that are as urgent as what runs. Lock
// held.
static void promote(struct run_queue *queue, u32 priority)
{
    struct thread *thread = queue->first[priority];
    u32 to = queue->running_priority;

    queue->first[priority] = thread->next;
    if (thread->next == NULL)
        queue->occupied &= ~(1u << priority);
    thread->next = queue->first[to];
    if (thread->next == NULL)
        queue->last[to] = thread;
    queue->first[to] = thread;
    queue->occupied |= 1u << to;
}

// Runs once a slice. Looks for a thread that waited last time and has not run since.
static void look_after_waiting(struct run_queue *queue)
{
    spin_lock(&queue->lock);
    const struct thread *before = queue->waiting;
    bool still = before != NULL && queue->waiting_priority < queue->running_priority &&
                 queue->first[queue->waiting_priority] == before &&
                 (queue->occupied >> queue->waiting_priority & 1) != 0 &&
                 before->switches == queue->waiting_switches;
    if (still && ++queue->waited >= PATIENCE_SLICES) {
        promote(queue, queue->waiting_priority);
        still = false;
    }
    if (!still) {
        queue->waiting_priority = next_waiting(queue);
        bool some = queue->waiting_priority != PRIORITY_IDLE;
        queue->waiting = some ? queue->first[queue->waiting_priority] : NULL;
        queue->waiting_switches = some ? queue->waiting->switches : 0;
        queue->waited = 0;
    }
    spin_unlock(&queue->lock);
}

// Returns whether the thread that runs keeps the CPU from its equals for another tick.
static bool turn_goes_on(struct run_queue *queue)
{
    const struct thread *thread = percpu()->current;

    if (thread->slice_ticks <= 1 || most_urgent(queue) > queue->running_priority)
        return false;
    if (queue->turn != thread || queue->turn_switches != thread->switches) {
        queue->turn = thread;
        queue->turn_switches = thread->switches;
        queue->turn_ticks = 0;
    }
    if (++queue->turn_ticks < thread->slice_ticks)
        return true;
    queue->turn = NULL;
    return false;
}

static void slice_over(struct timer *timer)
{
    struct run_queue *queue = &queues[cpu_id()];

    scheduler_charge(queue, percpu()->current, timebase());
    thread_join_generation(percpu()->current);
    co_cpu_advance();
    if (queue->running_priority == PRIORITY_IDLE)
        return;
    pmu_task_wakes();
    look_after_waiting(queue);
    if (most_urgent(queue) >= queue->running_priority && !turn_goes_on(queue))
        percpu()->need_resched = 1;
    timer_start(timer, timebase() + microseconds_to_ticks(SLICE_MICROSECONDS));
    HAPPENS(tick, queue->length, queue->switched_at);
}

// Accounts for a switch from one thread to another. The time runs from switch to switch.
static inline __attribute__((always_inline)) void account(struct run_queue *queue,
                                                          struct thread *from, struct thread *to)
{
    scheduler_charge(queue, from, timebase());
    to->switches++;
    trace_switch(from->id, to->id, from->priority, to->priority, from->reason);
    HAPPENS(switch, from, to, queue->switched_at);
}

u64 scheduler_charge_here(struct thread *from)
{
    struct run_queue *queue = &queues[cpu_id()];

    scheduler_charge(queue, from, timebase());
    return queue->switched_at;
}

// The CPU is idle no more.
static __attribute__((noinline)) void start_ticks(struct run_queue *queue)
{
    timer_start(&queue->slice, timebase() + microseconds_to_ticks(SLICE_MICROSECONDS));
    pmu_task_wakes();
}

// Soft-masked, no lock held; both threads' states are what they shall be.
static inline __attribute__((always_inline)) void switch_to(struct run_queue *self,
                                                            struct thread *from, struct thread *to)
{
    account(self, from, to);
    if (self->slice.deadline == 0 && to->priority != PRIORITY_IDLE)
        start_ticks(self);
    percpu()->current = to;
    if (((u64)from->dispatcher | (u64)to->dispatcher) != 0)
        dispatcher_switched(from, to);
    bool resumes = to->dispatcher != NULL && to->dispatcher->waiting;
    thread_switch(&from->stack_pointer,
                  resumes ? user_resume_stack(to->dispatcher) : to->stack_pointer);
}

static CO_METHOD s64 reschedule(struct run_queue *self)
{
    CO_HOME(self);
    struct thread *from = percpu()->current;

    spin_lock(&self->lock);
    percpu()->need_resched = 0;
    if (from->state == THREAD_RUNNING)
        push_at(self, from, from->priority);
    struct thread *to = pop(self);
    to->state = THREAD_RUNNING;
    self->running_priority = to->priority;
    spin_unlock(&self->lock);
    if (to != from)
        switch_to(self, from, to);
    else
        HAPPENS(stay, to);
    return 0;
}

// Parks the running thread, and runs `to` at once, unless something more urgent is ready.
// dispatcher_hand has taken `to` out of its sleep. With a wake-up token the running thread stays.
static CO_METHOD s64 hand_over(struct run_queue *self, struct thread *to, u32 reason)
{
    CO_HOME(self);
    struct thread *from = percpu()->current;

    spin_lock(&self->lock);
    bool direct = to->state == THREAD_PARKED && !from->wake_token &&
                  most_urgent(self) <= to->priority && percpu()->need_resched == 0;
    if (direct) {
        from->state = THREAD_PARKED;
        from->reason = (u8)reason;
        to->state = THREAD_RUNNING;
        self->running_priority = to->priority;
    }
    spin_unlock(&self->lock);
    if (direct) {
        switch_to(self, from, to);
        return 1;
    }
    return 0;
}

// Takes a thread out of the queue of a priority. Returns false if it is not in it. Lock held.
static bool take_from_queue(struct run_queue *queue, struct thread *thread, u32 priority)
{
    struct thread *before = NULL, *at = queue->first[priority];

    if (thread->state != THREAD_READY || (queue->occupied >> priority & 1) == 0)
        return false;
    while (at != NULL && at != thread) {
        before = at;
        at = at->next;
    }
    if (at == NULL) // about to come
        return false;
    if (before == NULL)
        queue->first[priority] = thread->next;
    else
        before->next = thread->next;
    if (thread->next == NULL)
        queue->last[priority] = before;
    if (queue->first[priority] == NULL)
        queue->occupied &= ~(1u << priority);
    queue->length--;
    return true;
}

void scheduler_favour(struct thread *thread)
{
    struct run_queue *queue = &queues[thread->cpu];

    spin_lock(&queue->lock);
    thread->favoured = true;
    if (take_from_queue(queue, thread, thread->priority))
        push_at(queue, thread, place_of(thread));
    spin_unlock(&queue->lock);
}

// A favoured or promoted thread waits elsewhere than in the queue of its priority.
void scheduler_set_turn(struct thread *thread, u8 priority, u8 slice_ticks)
{
    struct run_queue *queue = &queues[cpu_id()];
    bool queued = false;

    KASSERT(thread->cpu == cpu_id() && thread->dispatcher != NULL);
    spin_lock(&queue->lock);
    thread->slice_ticks = slice_ticks;
    if (thread->priority != priority) {
        for (u32 i = PRIORITY_LOW; i < PRIORITY_COUNT && !queued; i++)
            queued = take_from_queue(queue, thread, i);
        thread->priority = priority;
        thread->dispatcher->urgency = 2u << priority;
        if (thread == percpu()->current && thread->state == THREAD_RUNNING)
            queue->running_priority = priority;
        if (queued)
            push_at(queue, thread, priority);
    }
    if (most_urgent(queue) > queue->running_priority)
        percpu()->need_resched = 1;
    spin_unlock(&queue->lock);
}

bool scheduler_hand_over(struct thread *to, u32 reason)
{
    return CO_CALL(struct run_queue, scheduler, hand_over, to, reason) == 1;
}

void schedule(u32 reason)
{
    percpu()->current->reason = (u8)reason;
    CO_CALL(struct run_queue, scheduler, schedule);
}

void scheduler_add(struct thread *thread)
{
    CO_CALL(struct run_queue, scheduler, ready, thread);
}

void scheduler_poked(void)
{
    CO_CALL(struct run_queue, scheduler, poked);
}

bool thread_park_masked(u64 deadline, u32 reason)
{
    struct thread *thread = thread_current();
    struct run_queue *queue = &queues[thread->cpu];

    spin_lock(&queue->lock);
    bool token = thread->wake_token;
    thread->wake_token = false;
    thread->woken = false;
    if (!token)
        thread->state = THREAD_PARKED;
    spin_unlock(&queue->lock);
    if (!token) {
        if (deadline != NO_DEADLINE)
            timer_start(&thread->timer, deadline);
        bool member = thread->member.generation != 0;
        if (member)
            co_thread_offline(&thread->member);
        schedule(reason);
        if (member && thread->member.generation == 0) // a wake-up may have come in between
            co_thread_online(&thread->member);
        timer_cancel(&thread->timer);
    }
    return token || thread->woken;
}

void thread_nap(u64 ticks)
{
    struct thread *thread = thread_current();
    struct run_queue *queue = &queues[thread->cpu];

    KASSERT(!percpu()->soft_masked);
    u8 masked = soft_mask();
    thread_join_generation(thread);
    spin_lock(&queue->lock);
    thread->woken = false;
    thread->state = THREAD_PARKED;
    spin_unlock(&queue->lock);
    timer_start(&thread->timer, timebase() + ticks);
    schedule(REASON_TIME);
    timer_cancel(&thread->timer);
    if (thread->woken)
        thread->wake_token = true;
    soft_mask_restore(masked);
}

bool thread_park_for(u64 deadline, u32 reason)
{
    KASSERT(!percpu()->soft_masked);
    u8 masked = soft_mask();
    bool woken = thread_park_masked(deadline, reason);
    soft_mask_restore(masked);
    return woken;
}

bool thread_park(u64 deadline)
{
    return thread_park_for(deadline, REASON_OTHER);
}

u32 thread_waker(void)
{
    return percpu()->in_interrupt ? 0 : percpu()->current->id;
}

// Queues a READY thread that is in no queue yet, and tells of it.
static inline __attribute__((always_inline)) void tell_and_add(struct thread *thread, u32 reason,
                                                               u32 by)
{
    trace_wake(thread->id, thread->cpu, by == WAKER_HERE ? thread_waker() : by, reason);
    HAPPENS(ready, thread, reason);
    scheduler_add(thread);
}

void scheduler_start(struct thread *thread)
{
    tell_and_add(thread, REASON_START, WAKER_HERE);
}

// Makes a parked thread ready. by_unpark: else its deadline did it, and leaves no token.
static void scheduler_wake(struct thread *thread, bool by_unpark, u32 reason, u32 by)
{
    struct run_queue *queue = &queues[thread->cpu];

    if (thread->dispatcher != NULL && thread->cpu != cpu_id()) {
        dispatcher_unpark(thread->dispatcher, reason);
        return;
    }
    spin_lock(&queue->lock);
    bool parked = thread->state == THREAD_PARKED;
    if (parked) {
        thread->woken = by_unpark;
        thread->state = THREAD_READY;
        if (thread->dispatcher != NULL)
            thread->dispatcher->asleep = false;
    } else if (by_unpark) {
        thread->wake_token = true;
    }
    spin_unlock(&queue->lock);
    if (parked)
        tell_and_add(thread, reason, by);
}

void thread_unpark_by(struct thread *thread, u32 reason, u32 by)
{
    scheduler_wake(thread, true, reason, by);
}

void thread_unpark_for(struct thread *thread, u32 reason)
{
    scheduler_wake(thread, true, reason, WAKER_HERE);
}

void thread_unpark(struct thread *thread)
{
    thread_unpark_for(thread, REASON_OTHER);
}

void thread_deadline(struct timer *timer)
{
    struct thread *thread = container_of(timer, struct thread, timer);

    scheduler_wake(thread, false, REASON_TIME, WAKER_HERE);
}

void thread_yield(void)
{
    u8 masked = soft_mask();
    schedule(REASON_YIELD);
    soft_mask_restore(masked);
}

// Sleeps until the next interrupt. An idle thread holds no object, so it is a member of no
// generation: as one it would hold back quiescence for as long as others keep it from running.
// H_CEDE is entered with EE off, so that nothing can come between the decision and the sleep, and
// returns with EE on (docs/design/platform.md).
// Samples that land here are idle time.
void thread_idle_loop(struct thread *idle)
{
    u64 turns = 0; // of which its run queue was told

    co_thread_offline(&idle->member);
    for (;;) {
        u8 masked = soft_mask();
        co_cpu_advance();
        if (idle->switches != turns) {
            turns = idle->switches;
            HAPPENS(idle);
        }
        soft_mask_restore(masked);
        hard_mask();
        HCALL(H_CEDE);
    }
}

static CO_METHOD s64 scheduler_get_num_children(struct co_rep *self)
{
    CO_HOME(self);
    return thread_table_coids(NULL, 0);
}

static CO_METHOD s64 scheduler_get_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    return thread_table_coids(out, max);
}

static const struct scheduler_ops ops = {
    {scheduler_get_num_children, scheduler_get_children}, ready, reschedule, poked, hand_over};
static struct co_class class = {
    .name = "Scheduler",
    .implementation = "PriorityRoundRobin",
    .size = sizeof(root) + sizeof(queues[0]),
    .distributed = true,
    .ops = &ops.base,
    .static_reps = queues,
    .static_rep_size = sizeof(queues[0]),
};

void scheduler_init(void)
{
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        spin_init(&queues[cpu].lock, "run queue", RANK_THREAD);
        queues[cpu].slice.fire = slice_over;
    }
    scheduler = service_create(&class, &root, NULL);
}

void scheduler_start_cpu(struct thread *first)
{
    struct run_queue *queue = &queues[cpu_id()];

    percpu()->run_queue = queue;
    percpu()->user_window = dispatcher_window(cpu_id());
    percpu()->call_chunks = call_chunks(cpu_id());
    percpu()->endpoint_cpu = cpu_id() * sizeof(struct endpoint_cpu);
    first->state = THREAD_RUNNING;
    percpu()->current = first;
    queue->running_priority = first->priority;
    queue->switched_at = timebase();
    co_thread_enter(&first->member);
}
