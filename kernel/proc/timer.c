// SPDX-License-Identifier: MIT
// Timers: per CPU a list by deadline on the decrementer. The TimerManager object is distributed:
// each CPU's representative is its list, so arming never touches another CPU's memory.
#include "scheduler.h"
#include "services.h"

#include <co/object.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/startup.h>
#include <kernel/softmask.h>
#include <kernel/timer.h>
#include <trace/events.h>

#define DECREMENTER_MAX 0x7fffffffUL

u64 timebase_hz;

struct timer_list;

struct timer_ops {
    struct co_ops base;
    s64 (*start)(struct timer_list *self, struct timer *timer, u64 deadline);
    s64 (*cancel)(struct timer_list *self, struct timer *timer);
    s64 (*expire)(struct timer_list *self);
};

struct timer_list {
    CO_REP(struct timer_ops);
    struct timer *first;
};

static struct timer_list lists[ORRERY_MAX_CPUS];
static struct co_root root;
static coid_t timer_manager;

static void set_decrementer(const struct timer_list *list)
{
    u64 now = timebase();
    u64 ticks = DECREMENTER_MAX;

    if (list->first != NULL)
        ticks = list->first->deadline > now ? list->first->deadline - now : 1;
    if (ticks > DECREMENTER_MAX)
        ticks = DECREMENTER_MAX;
    __asm__ volatile("mtdec %0" ::"r"(ticks));
}

static void take_out(struct timer_list *list, struct timer *timer)
{
    struct timer **link = &list->first;

    while (*link != timer)
        link = &(*link)->next;
    *link = timer->next;
    timer->deadline = 0;
}

static CO_METHOD s64 timer_list_start(struct timer_list *self, struct timer *timer, u64 deadline)
{
    CO_HOME(self);
    u8 masked = soft_mask();

    if (timer->deadline != 0) {
        KASSERT(timer->cpu == cpu_id());
        take_out(self, timer);
    }
    struct timer **link = &self->first;
    while (*link != NULL && (*link)->deadline <= deadline)
        link = &(*link)->next;
    timer->deadline = deadline == 0 ? 1 : deadline;
    timer->cpu = cpu_id();
    timer->next = *link;
    *link = timer;
    if (self->first == timer)
        set_decrementer(self);
    trace_timer_arm(deadline);
    soft_mask_restore(masked);
    return 0;
}

static CO_METHOD s64 cancel(struct timer_list *self, struct timer *timer)
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

static CO_METHOD s64 expire(struct timer_list *self)
{
    CO_HOME(self);
    u64 now = timebase();

    while (self->first != NULL && self->first->deadline <= now) {
        struct timer *timer = self->first;
        trace_timer_fire(timer->deadline, now - timer->deadline);
        self->first = timer->next;
        timer->deadline = 0;
        timer->fire(timer);
        now = timebase();
    }
    set_decrementer(self);
    return 0;
}

static const struct timer_ops ops = {CO_LEAF, timer_list_start, cancel, expire};
static struct co_class class = {
    .name = "TimerManager",
    .implementation = "DecrementerTimers",
    .size = sizeof(root) + sizeof(lists[0]),
    .distributed = true,
    .ops = &ops.base,
    .static_reps = lists,
    .static_rep_size = sizeof(lists[0]),
};

void timers_init(void)
{
    timer_manager = service_create(&class, &root, NULL);
}

void timer_start(struct timer *timer, u64 deadline)
{
    CO_CALL(struct timer_list, timer_manager, start, timer, deadline);
}

void timer_cancel(struct timer *timer)
{
    CO_CALL(struct timer_list, timer_manager, cancel, timer);
}

void timer_interrupt(void)
{
    percpu()->interrupts[0]++;
    CO_CALL(struct timer_list, timer_manager, expire);
}
