// SPDX-License-Identifier: MIT
// What every thread is doing, for the report of a machine that has been stopped because it hangs.
// Nothing else runs, so nothing is locked; what cannot be read is left out.
#include <kernel/console.h>
#include <kernel/memory.h>
#include <kernel/symbols.h>
#include <kernel/unwind.h>

#include "dispatcher.h"
#include "exception/user.h"
#include "process.h"
#include "thread.h"

#define MAX_CALLERS 8
#define LR_SAVED 16 // in the caller's frame

static const char *const states[] = {
    [THREAD_RUNNING] = "running",
    [THREAD_PARKED] = "parked",
    [THREAD_READY] = "ready",
    [THREAD_ENDED] = "ended",
};

// Tells where a thread that has been switched away from goes on: thread_switch's frame is on top of
// its stack.
static void report_stack(const struct thread *thread)
{
    u64 chain, pc, offset, callers[MAX_CALLERS];

    if (safe_read_u64(&chain, (const u64 *)thread->stack_pointer) != 0 ||
        safe_read_u64(&pc, (const u64 *)(chain + LR_SAVED)) != 0)
        return;
    u32 count = stack_walk(pc, chain, 0, callers, MAX_CALLERS);
    const char *name = symbol_find(pc, &offset);
    kprintf("      in %s", name != NULL ? name : "?");
    for (u32 i = 0; i < count; i++) {
        name = symbol_find(callers[i], &offset);
        kprintf(" < %s", name != NULL ? name : "?");
    }
    kprintf("\n");
}

static u32 queued(const struct dispatcher *dispatcher)
{
    u32 count = 0;

    for (const struct posted_event *event = dispatcher->first; event != NULL; event = event->next)
        count++;
    return count;
}

static void report_dispatcher(const struct dispatcher *dispatcher)
{
    const struct frame *user = user_frame(dispatcher);
    const struct dispatcher_page *page = dispatcher->page;

    kprintf("      %s%s%s%s%s%u events, kicks %#lx, %s, upcalls %s%s, calls %lu\n",
            dispatcher->asleep ? "asleep, " : "",
            dispatcher->waiting == DISPATCHER_CALLS ? "in a call, " : "",
            dispatcher->handed ? "handed, " : "", dispatcher->ending ? "ending, " : "",
            dispatcher->has_events ? "news: " : "", queued(dispatcher), dispatcher->kicks,
            dispatcher->timer_due ? "timer due" : "timer not due",
            page->disabled != 0 ? "disabled" : "enabled", page->pending != 0 ? ", pending" : "",
            ipc_calls(&dispatcher->ipc));
    if (dispatcher->timer.deadline != 0)
        kprintf("      timer %ld ticks from now\n", (s64)(dispatcher->timer.deadline - timebase()));
    kprintf("      user pc %#lx lr %#lx r0 %#lx r1 %#lx\n", user->pc, user->lr, user->gpr[0],
            user->gpr[1]);
}

void thread_report(const struct thread *thread)
{
    kprintf("  %5u %-20s CPU %u, priority %u, %s%s, %lu switches, %lu ticks\n", thread->id,
            thread->name, thread->cpu, thread->priority, states[thread->state],
            thread->wake_token ? " with a token" : "", thread->switches, thread->run_ticks);
    bool empty = thread->dispatcher != NULL && thread->dispatcher->waiting != 0;
    if (thread->state != THREAD_RUNNING && thread->stack_pointer != 0 && !empty)
        report_stack(thread);
    if (thread->dispatcher != NULL)
        report_dispatcher(thread->dispatcher);
}
