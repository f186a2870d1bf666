// SPDX-License-Identifier: MIT
// Start-up of a process's objects: the tables for each CPU on which it gets a dispatcher, and
// faults in them.
#include <co/manager.h>
#include <co/quiesce.h>
#include <orrery/errors.h>
#include <orrery/memory.h>
#include <trace/events.h>
#include <user/lock.h>
#include <user/scheduler.h>
#include <user/time.h>
#include <user/thread.h>

#define VECTOR_DATA 0x300
#define DSISR_PROTECTION 0x08000000

// Reserves where entries and counts of this CPU can be. Nothing is there until objects are.
static s64 reserve_window(u32 cpu)
{
    struct sys_region region = {
        .address = USER_WINDOW + (u64)cpu * R13_WINDOW_SIZE + R13_LTT,
        .bytes = 2UL * R13_COUNTS - R13_LTT,
        .kind = REGION_COMMIT,
        .prot = PROT_R | PROT_W,
    };
    return sys_region_create(0, &region);
}

static s64 start_cpu(u32 cpu)
{
    static bool started; // the first one comes alone
    s64 error = reserve_window(cpu);
    if (error != 0)
        return error;
    if (started)
        return co_init_cpu(cpu);
    started = true;
    return co_init();
}
USER_CPU_START(2, start_cpu);

// Repairs faults of references to objects that are gone, in pages of COIDs that were given back.
static bool repair(const struct event *event, struct user_state *state)
{
    (void)state;
    return event->id == VECTOR_DATA && !(event->info & DSISR_PROTECTION) && co_fault(event->badge);
}

// A CPU without threads holds no reference but those of preempted ones.
static void switched(struct thread *next)
{
    if (next == NULL)
        co_cpu_advance();
    if (!trace_enabled(TRACE_MAJOR_USER))
        return;
    if (next == NULL)
        trace_user_switch(0, 0);
    else
        trace_user_switch(thread_id(next), thread_priority(next));
}

// Traces a wait for a mutex: who called the function that was called to take it.
static void waited(const struct mutex *mutex, u64 since)
{
    u64 callers[1 + 3] = {0};
    if (!trace_enabled(TRACE_MAJOR_LOCK))
        return;
    user_stack_walk_here(callers, ARRAY_SIZE(callers));
    trace_lock_contended((u64)mutex, 0, time_now() - since, callers[1], callers[2], callers[3]);
}

static s64 start_objects(void)
{
    mutex_on_wait(waited);
    user_on_switch(switched);
    return user_on_exception(repair);
}
USER_INIT(2, start_objects);
