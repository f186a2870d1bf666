// SPDX-License-Identifier: MIT
// Events: a queue a dispatcher, and the dispatcher's sleep until there is one.
#include "events.h"

#include <kernel/irq.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <kernel/timer.h>
#include <string.h>
#include <trace/reasons.h>

#include "dispatcher.h"
#include "exception/user.h"
#include "process.h"
#include "thread.h"

void dispatcher_resume(struct process_rep *process, struct frame *frame);

// ---- posting ------------------------------------------------------------------------------------

// What changes a dispatcher's sleep is done by its own CPU alone, with interrupts masked, so that a
// call can hand the CPU over without a lock (ipc/fast_path.S). Others put it into
// that CPU's list, and ring.
static struct {
    struct spinlock lock;
    struct dispatcher *first;
} notices[ORRERY_MAX_CPUS] = {
    [0 ... ORRERY_MAX_CPUS - 1] = {.lock = SPINLOCK_INIT("dispatchers to look at", RANK_THREAD)},
};

static void notify_there(struct dispatcher *dispatcher, bool unpark, u32 reason)
{
    u32 cpu = dispatcher->cpu;

    spin_lock(&notices[cpu].lock);
    bool sent = dispatcher->notice_sent;
    dispatcher->unpark_sent |= unpark;
    if (!sent) {
        process_hold(dispatcher->process);
        dispatcher->notice_sent = true;
        dispatcher->notice_reason = (u8)reason;
        dispatcher->notice_by = thread_waker();
        dispatcher->notice_next = notices[cpu].first;
        notices[cpu].first = dispatcher;
    }
    spin_unlock(&notices[cpu].lock);
    if (!sent)
        cpu_poke(cpu);
}

static void notify_here(struct dispatcher *dispatcher, u32 reason, u32 by)
{
    u8 masked = soft_mask();

    if (dispatcher->asleep)
        thread_unpark_by(dispatcher->thread, reason, by);
    else if (dispatcher == percpu()->dispatcher)
        percpu()->user_work = 1;
    soft_mask_restore(masked);
}

void dispatcher_notify(struct dispatcher *dispatcher, u32 reason)
{
    if (dispatcher->cpu == cpu_id())
        notify_here(dispatcher, reason, WAKER_HERE);
    else
        notify_there(dispatcher, false, reason);
}

void dispatcher_unpark(struct dispatcher *dispatcher, u32 reason)
{
    notify_there(dispatcher, true, reason);
}

struct notice {
    bool unpark;
    u32 reason, by;
};

// Takes the first dispatcher out of this CPU's list. The caller takes over the list's reference to
// its process. Returns NULL if the list is empty.
static struct dispatcher *take_notice(struct notice *notice)
{
    struct dispatcher *dispatcher;
    u32 cpu = cpu_id();

    spin_lock(&notices[cpu].lock);
    dispatcher = notices[cpu].first;
    if (dispatcher != NULL) {
        notices[cpu].first = dispatcher->notice_next;
        *notice = (struct notice){dispatcher->unpark_sent, dispatcher->notice_reason,
                                  dispatcher->notice_by};
        dispatcher->notice_sent = dispatcher->unpark_sent = false;
    }
    spin_unlock(&notices[cpu].lock);
    return dispatcher;
}

void dispatcher_poked(void)
{
    struct dispatcher *dispatcher;
    struct notice notice;

    while ((dispatcher = take_notice(&notice)) != NULL) {
        struct process *process = dispatcher->process;
        if (notice.unpark)
            thread_unpark_by(dispatcher->thread, notice.reason, notice.by);
        notify_here(dispatcher, notice.reason, notice.by);
        process_put(process);
    }
}

// Tells the dispatcher's page that an event is there. The caller holds the lock.
static void has_news(struct dispatcher *dispatcher)
{
    dispatcher->has_events = true;
    dispatcher->page->pending = 1;
}

// Returns the reason for which an event wakes its dispatcher.
static u32 reason_of(const struct event *event)
{
    static const u8 reasons[EVENT_COUNT] = {[EVENT_CALL] = REASON_CALL,
                                            [EVENT_REPLY] = REASON_ANSWER,
                                            [EVENT_MESSAGE] = REASON_MESSAGE,
                                            [EVENT_FAULT_DONE] = REASON_PAGE};
    u32 type = (u32)event->type;

    return type < EVENT_COUNT && reasons[type] != 0 ? reasons[type] : REASON_EVENT;
}

bool dispatcher_post(struct dispatcher *dispatcher, struct posted_event *event)
{
    u32 reason = reason_of(&event->event); // once it is posted it may be gone

    KASSERT(dispatcher->magic == DISPATCHER_MAGIC);
    event->next = NULL;
    spin_lock(&dispatcher->lock);
    bool ending = dispatcher->ending;
    if (!ending) {
        if (dispatcher->first == NULL)
            dispatcher->first = event;
        else
            dispatcher->last->next = event;
        dispatcher->last = event;
        has_news(dispatcher);
    }
    spin_unlock(&dispatcher->lock);
    if (!ending)
        dispatcher_notify(dispatcher, reason);
    return !ending;
}

void dispatcher_kick(struct dispatcher *dispatcher, u64 bits)
{
    KASSERT(dispatcher->magic == DISPATCHER_MAGIC);
    spin_lock(&dispatcher->lock);
    dispatcher->kicks |= bits;
    has_news(dispatcher);
    spin_unlock(&dispatcher->lock);
    dispatcher_notify(dispatcher, REASON_EVENT);
}

void dispatcher_timer_due(struct dispatcher *dispatcher)
{
    KASSERT(dispatcher->magic == DISPATCHER_MAGIC);
    spin_lock(&dispatcher->lock);
    dispatcher->timer_due = true;
    has_news(dispatcher);
    spin_unlock(&dispatcher->lock);
    dispatcher_notify(dispatcher, REASON_TIME);
}

// ---- taking -------------------------------------------------------------------------------------

// Takes the first event into *event. *posted is its origin, or NULL for the kernel's own events.
// Returns whether there was one. Lock held.
static bool take_first(struct dispatcher *self, struct event *event, struct posted_event **posted)
{
    *posted = NULL;
    if (self->timer_due) {
        self->timer_due = false;
        *event = (struct event){.type = EVENT_TIMER};
    } else if (self->kicks != 0) {
        *event = (struct event){.type = EVENT_KICK, .id = self->kicks};
        self->kicks = 0;
    } else if (self->first != NULL) {
        *posted = self->first;
        *event = self->first->event;
        self->first = self->first->next;
    } else {
        return overflow_take(self, event);
    }
    return true;
}

static u64 bulk_bytes(const struct event *event)
{
    u64 bytes = event->info & 0xffff;

    return bytes <= MESSAGE_BYTES ? bytes : MESSAGE_BYTES;
}

bool dispatcher_poll(struct dispatcher *self, struct event *event)
{
    struct posted_event *posted;

    if (self->news == 0)
        return false;
    spin_lock(&self->lock);
    bool taken = take_first(self, event, &posted);
    self->has_events = self->first != NULL || self->kicks != 0 || self->timer_due;
    self->page->pending = self->news;
    spin_unlock(&self->lock);
    if (taken)
        self->events++;
    if (posted != NULL) {
        if (posted->bulk != NULL)
            memcpy(self->message, posted->bulk, bulk_bytes(event));
        if (posted->taken != NULL)
            posted->taken(posted, true);
    }
    return taken;
}

void dispatcher_drop_events(struct dispatcher *dispatcher)
{
    spin_lock(&dispatcher->lock);
    struct posted_event *event = dispatcher->first;
    dispatcher->first = NULL;
    spin_unlock(&dispatcher->lock);
    while (event != NULL) {
        struct posted_event *next = event->next;
        if (event->taken != NULL)
            event->taken(event, false);
        event = next;
    }
}

// ---- sleeping -----------------------------------------------------------------------------------

// Announces the sleep, unless there is something to do. Soft-masked.
static bool begin_sleep(struct dispatcher *self, u8 waiting)
{
    spin_lock(&self->lock);
    bool sleeps = self->news == 0;
    if (sleeps) {
        self->waiting = waiting;
        self->asleep = true;
    }
    spin_unlock(&self->lock);
    return sleeps;
}

// Returns whether an event has been put into its registers. Soft-masked.
static bool end_sleep(struct dispatcher *self)
{
    bool handed = self->handed;

    self->handed = self->asleep = false;
    self->waiting = 0;
    if (handed)
        self->events++;
    return handed;
}

// Leaves the generation: a sleeping dispatcher holds back none. Soft-masked.
static void leave_generation(struct dispatcher *self)
{
    if (self->thread->member.generation != 0)
        co_thread_exit(&self->thread->member);
}

// Sleeps until there is news. If another thread runs meanwhile, this does not return:
// dispatcher_resume goes on. Returns whether an event has been put into its registers. Soft-masked.
static bool sleep_once(struct dispatcher *self, u32 reason)
{
    if (!begin_sleep(self, DISPATCHER_WAITS))
        return false;
    leave_generation(self);
    thread_park_masked(NO_DEADLINE, reason);
    return end_sleep(self);
}

void dispatcher_wait(struct dispatcher *self, struct event *event, u32 reason)
{
    u8 masked = soft_mask();

    while (!dispatcher_poll(self, event)) {
        if (self->ending)
            dispatcher_end();
        ipc_before_sleep(self);
        if (sleep_once(self, reason))
            break;
    }
    soft_mask_restore(masked);
}

bool dispatcher_hand(struct dispatcher *to, const struct event *event, bool ready)
{
    bool waits = to->asleep && !to->has_events && !to->ending;

    if (waits) {
        *user_registers(to) = *event;
        to->asleep = false;
        to->handed = true;
        if (ready)
            thread_unpark_for(to->thread, reason_of(event));
    }
    return waits;
}

void dispatcher_switch(struct dispatcher *self, struct dispatcher *to, bool in_call,
                       struct event *event)
{
    bool handed = false;
    u32 woken_for = in_call ? REASON_CALL : REASON_ANSWER;
    u32 wait_for = in_call ? REASON_ANSWER : REASON_EVENT;

    if (begin_sleep(self, in_call ? DISPATCHER_CALLS : DISPATCHER_WAITS)) {
        leave_generation(self);
        if (!scheduler_hand_over(to->thread, in_call ? REASON_CALL : REASON_REPLY)) {
            thread_unpark_for(to->thread, woken_for);
            thread_park_masked(NO_DEADLINE, wait_for);
        }
        handed = end_sleep(self);
    } else {
        thread_unpark_for(to->thread, woken_for);
    }
    if (!handed)
        dispatcher_wait(self, event, wait_for);
}

// Continues a dispatcher that slept in dispatcher_wait, on an empty kernel stack (user_entry.S).
// Its work in the kernel was done when it fell asleep, and its event goes into its registers. A
// method of its Process, called by user_resume alone. Soft-masked; returns with EE off.
CO_METHOD void dispatcher_resume(struct process_rep *process, struct frame *frame)
{
    CO_HOME(process);
    struct dispatcher *self = percpu()->dispatcher;

    if (!end_sleep(self))
        dispatcher_wait(self, user_registers(self), REASON_EVENT);
    // What the fast path has not put into the frame is from some earlier time.
    frame->gpr[0] = frame->ctr = frame->xer = 0;
    soft_mask_restore(0);
    hard_mask();
    user_exit(frame);
}
