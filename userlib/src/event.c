// SPDX-License-Identifier: MIT
// Handles what the kernel tells this dispatcher (orrery/user.h): who in the library sees to it.
#include "check.h"
#include "dispatcher.h"
#include "exception.h"
#include "ipc.h"
#include "place.h"

#include <trace/reasons.h>

static void (*event_handlers[EVENT_COUNT])(const struct event *event);
static void (*kick_handlers[64])(void);
static struct event early; // EVENT_INSPECT that came before its handler; type 0: none
static u32 kick_next = KICK_FIRST_FREE;
static struct user_spin kick_lock;

s64 user_on_event(u32 type, void (*handler)(const struct event *event))
{
    if (type != EVENT_INSPECT && type != EVENT_CHILD && type != EVENT_OVERFLOW)
        return E_INVAL;
    if (event_handlers[type])
        return E_EXIST;
    u32 before = user_disable();
    event_handlers[type] = handler;
    if (early.type == type)
        handler(&early);
    user_enable(before);
    return 0;
}

s64 user_on_kick(void (*handler)(void))
{
    u32 before = user_disable();
    user_spin_lock(&kick_lock);
    s64 bit = kick_next < 64 ? (s64)kick_next++ : E_LIMIT;
    if (bit >= 0)
        __atomic_store_n(&kick_handlers[bit], handler, __ATOMIC_RELEASE);
    user_spin_unlock(&kick_lock);
    user_enable(before);
    return bit;
}

// ---- kinds of events ----------------------------------------------------------------------------

static void kicked(struct scheduler *scheduler, u64 bits)
{
    scheduler->stat.kicks++;
    scheduler_inbox(scheduler);
    for (bits &= ~(1ul << KICK_INBOX); bits; bits &= bits - 1) {
        void (*handler)(void) =
            __atomic_load_n(&kick_handlers[__builtin_ctzl(bits)], __ATOMIC_ACQUIRE);
        if (handler)
            handler();
    }
}

static void fault_blocked(struct scheduler *scheduler, struct thread *thread,
                          const struct event *event)
{
    thread->run = THREAD_BLOCKED;
    thread->blocked_for = 0; // nothing but its page
    thread->fault_token = event->id;
    thread->fault_address = event->badge;
    thread->fault_access = (u32)event->info;
    thread->next = scheduler->faulted;
    scheduler->faulted = thread;
}

static void fault_done(struct scheduler *scheduler, u64 token, s64 status)
{
    struct thread **link = &scheduler->faulted;
    while (*link && (*link)->fault_token != token)
        link = &(*link)->next;
    struct thread *thread = *link;
    if (!thread)
        return;
    *link = thread->next;
    if (status < 0)
        exception_no_page(thread, status);
    scheduler_ready(scheduler, thread, false);
}

void event_handle(const struct event *event)
{
    struct scheduler *scheduler = scheduler_here();
    scheduler->stat.events++;
    switch ((u32)event->type) {
    case EVENT_NONE:
        break;
    case EVENT_CALL:
    case EVENT_MESSAGE:
        ipc_arrived(scheduler, event);
        break;
    case EVENT_REPLY:
        ipc_replied(event);
        break;
    case EVENT_TIMER:
        scheduler->armed = UINT64_MAX;
        scheduler_timer(scheduler);
        break;
    case EVENT_KICK:
        kicked(scheduler, event->id);
        break;
    case EVENT_FAULT_DONE:
        fault_done(scheduler, event->id, (s64)event->badge);
        break;
    case EVENT_INSPECT:
    case EVENT_CHILD:
    case EVENT_OVERFLOW:
        if (event_handlers[event->type])
            event_handlers[event->type](event);
        else if (event->type == EVENT_INSPECT)
            // the monitor asks while the program starts: there is one question at a time
            early = *event;
        break;
    case EVENT_PLACE:
        place_changed();
        break;
    default:
        user_panic("event %lu on CPU %u, which cannot come here", event->type, scheduler->cpu);
    }
}

void event_poll(void)
{
    struct event event;
    for (event_get(&event); event.type != EVENT_NONE; event_get(&event))
        event_handle(&event);
}

// ---- upcalls ------------------------------------------------------------------------------------

// Tells of an overflow, and goes on with the thread that it interrupted: it has not left its CPU.
// Returns if there is more to do first.
static void overflow_upcall(struct scheduler *scheduler, const struct event *event)
{
    event_handle(event);
    if (!user_page(scheduler->cpu)->pending && scheduler->attention == 0)
        thread_resume(scheduler->current);
}

void event_upcall(const struct event *event)
{
    struct scheduler *scheduler = scheduler_here();
    if (event->type == EVENT_START)
        dispatcher_begin((u32)event->id);
    struct thread *thread = scheduler->current;
    CHECK(thread && thread->magic == THREAD_MAGIC);
    thread->state = user_page(scheduler->cpu)->save;
    thread->sp = 0;
    scheduler->stat.upcalls++;
    if (event->type == EVENT_OVERFLOW)
        overflow_upcall(scheduler, event);
    scheduler_leaves(scheduler, thread,
                     event->type == EVENT_FAULT_BLOCKED ? REASON_PAGE : REASON_PREEMPTED);
    if (event->type == EVENT_FAULT_BLOCKED) {
        fault_blocked(scheduler, thread, event);
    } else {
        if (event->type == EVENT_EXCEPTION)
            exception_handle(event, thread);
        else if (event->type != EVENT_OVERFLOW)
            event_handle(event);
        // It gets its next turn before its equals, unless its slice is over.
        scheduler->stat.preemptions++;
        scheduler_ready(scheduler, thread, !(scheduler->attention & ATTENTION_ROTATE));
    }
    if (user_page(scheduler->cpu)->pending) {
        scheduler->current = NULL;
        event_poll();
    }
    scheduler_dispatch();
}
