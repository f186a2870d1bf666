// SPDX-License-Identifier: MIT
// Timers: per CPU a heap by deadline on the decrementer. The TimerManager object is distributed:
// each CPU's representative is its heap, so arming never touches another CPU's memory.
#include "scheduler.h"
#include "services.h"
#include "timer_heap.h"

#include <co/object.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/startup.h>
#include <kernel/softmask.h>
#include <kernel/timer.h>
#include <trace/events.h>

#define DECREMENTER_MAX 0x7fffffffUL

u64 timebase_hz;

struct timer_queue;

struct timer_ops {
    struct co_ops base;
    s64 (*start)(struct timer_queue *self, struct timer *timer, u64 deadline);
    s64 (*cancel)(struct timer_queue *self, struct timer *timer);
    s64 (*expire)(struct timer_queue *self);
};

struct timer_queue {
    CO_REP(struct timer_ops);
    struct timer_heap heap;
};

static struct timer_queue queues[ORRERY_MAX_CPUS];
static struct co_root root;
static coid_t timer_manager;

static void set_decrementer(const struct timer_queue *queue)
{
    u64 now = timebase();
    u64 ticks = DECREMENTER_MAX;

    const struct timer *first = queue->heap.first;
    if (first != NULL)
        ticks = first->deadline > now ? first->deadline - now : 1;
    if (ticks > DECREMENTER_MAX)
        ticks = DECREMENTER_MAX;
    __asm__ volatile("mtdec %0" ::"r"(ticks));
}

static void take_out(struct timer_queue *queue, struct timer *timer)
{
    timer_heap_remove(&queue->heap, timer);
    timer->deadline = 0;
}

static CO_METHOD s64 timer_queue_start(struct timer_queue *self, struct timer *timer, u64 deadline)
{
    CO_HOME(self);
    u8 masked = soft_mask();

    if (timer->deadline != 0) {
        KASSERT(timer->cpu == cpu_id());
        take_out(self, timer);
    }
    timer->deadline = deadline == 0 ? 1 : deadline;
    timer->cpu = cpu_id();
    timer_heap_add(&self->heap, timer);
    if (self->heap.first == timer)
        set_decrementer(self);
    trace_timer_arm(deadline);
    soft_mask_restore(masked);
    return 0;
}

static CO_METHOD s64 cancel(struct timer_queue *self, struct timer *timer)
{
    CO_HOME(self);
    u8 masked = soft_mask();

    if (timer->deadline != 0) {
        KASSERT(timer->cpu == cpu_id());
        take_out(self, timer);
    }
    soft_mask_restore(masked);
    return 0;
}

static CO_METHOD s64 expire(struct timer_queue *self)
{
    CO_HOME(self);
    u64 now = timebase();

    while (self->heap.first != NULL && self->heap.first->deadline <= now) {
        struct timer *timer = self->heap.first;
        trace_timer_fire(timer->deadline, now - timer->deadline);
        take_out(self, timer);
        timer->fire(timer);
        now = timebase();
    }
    set_decrementer(self);
    return 0;
}

static const struct timer_ops ops = {CO_LEAF, timer_queue_start, cancel, expire};
static struct co_class class = {
    .name = "TimerManager",
    .implementation = "DecrementerTimers",
    .size = sizeof(root) + sizeof(queues[0]),
    .distributed = true,
    .ops = &ops.base,
    .static_reps = queues,
    .static_rep_size = sizeof(queues[0]),
};

void timers_init(void)
{
    timer_manager = service_create(&class, &root, NULL);
}

void timer_start(struct timer *timer, u64 deadline)
{
    CO_CALL(struct timer_queue, timer_manager, start, timer, deadline);
}

void timer_cancel(struct timer *timer)
{
    CO_CALL(struct timer_queue, timer_manager, cancel, timer);
}

void timer_interrupt(void)
{
    percpu()->interrupts[0]++;
    CO_CALL(struct timer_queue, timer_manager, expire);
}
