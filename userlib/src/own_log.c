// SPDX-License-Identifier: MIT
// What the library tells a scheduler in the process's own logs (S004 §4.4): how many threads are
// ready at each switch, how long each domain had the CPU, and the program's own events. A CPU's log
// has one writer: the CPU's own dispatcher, disabled.
#include "scheduler.h"

#include <log/handler.h>
#include <user/log_event.h>
#include <user/own_log.h>

#define READY_MAX 256 // threads that are counted at a switch, so that it takes a bounded time

static struct own_log {
    struct log_cpu logs; // areas[0] is NULL while there is no log
    u32 domain;          // of threads that have none of their own
    u32 served;          // the domain whose service goes on; 0: nobody's
    u64 since;           // when it began
} __attribute__((aligned(128))) cpus[ORRERY_MAX_CPUS];

u64 log_cpus;

static struct user_spin hook_lock;
static void (*next_hook)(struct thread *next);
static bool hooked;

u64 log_timebase(void)
{
    return time_now();
}

static u32 domain_of(const struct own_log *own, const struct thread *thread)
{
    u32 domain = __atomic_load_n(&thread->log_domain, __ATOMIC_RELAXED);

    return domain != 0 ? domain : own->domain;
}

// ---- what is told -------------------------------------------------------------------------------

static u32 count_ready(const struct scheduler *scheduler)
{
    u32 count = 0;

    for (u32 mask = scheduler->ready_mask; mask != 0; mask &= mask - 1) {
        const struct thread *thread = scheduler->ready[__builtin_ctz(mask)].head;
        for (; thread && count < READY_MAX; thread = thread->next)
            count++;
    }
    return count;
}

static void change_service(struct own_log *own, u32 domain)
{
    u64 now = time_now(), ticks = now - own->since;

    if (own->served == domain)
        return;
    log_leaves(&own->logs, LOG_SERVICE_TIME, own->served,
               ticks < UINT32_MAX ? (u32)ticks : UINT32_MAX);
    log_enters(&own->logs, LOG_SERVICE_TIME, domain);
    own->served = domain;
    own->since = now;
}

static void switched(struct thread *next)
{
    struct own_log *own = &cpus[user_cpu()];

    if (next_hook)
        next_hook(next);
    if (!own->logs.areas[0])
        return;
    log_run_queue(&own->logs, next ? 1 + count_ready(scheduler_here()) : 0);
    change_service(own, next ? domain_of(own, next) : 0);
}

s64 log_event_tell(u32 number, u32 correspondent, u32 counter)
{
    if (number == LOG_SERVICE_TIME || number >= LOG_EVENTS || correspondent >= LOG_DOMAINS)
        return E_INVAL;
    u32 before = user_disable();
    struct own_log *own = &cpus[user_cpu()];
    bool there = own->logs.areas[0] != NULL;
    if (there)
        log_happens(&own->logs, number, domain_of(own, thread_current()), correspondent, counter);
    user_enable(before);
    return there ? 0 : E_NOENT;
}

// ---- beginning and end --------------------------------------------------------------------------

// Hooks into switches before the hook that is there, and unhooks when no log is left. If another
// hook has come before ours since, ours stays. Disabled.
static void set_cpus(u64 mask)
{
    __atomic_store_n(&log_cpus, mask, __ATOMIC_RELAXED);
    if (mask != 0 && !hooked) {
        next_hook = user_switch_hook;
        user_on_switch(switched);
        hooked = true;
    } else if (mask == 0 && user_switch_hook == switched) {
        user_on_switch(next_hook);
        hooked = false;
    }
}

static void set_log(u8 *area, u32 domain)
{
    u32 before = user_disable();
    u64 bit = 1UL << user_cpu();
    struct own_log *own = &cpus[user_cpu()];

    *own = (struct own_log){.logs.areas = {area}, .domain = domain};
    user_spin_lock(&hook_lock);
    set_cpus(area ? log_cpus | bit : log_cpus & ~bit);
    user_spin_unlock(&hook_lock);
    user_enable(before);
}

void own_log_begin(u8 *area, u32 domain)
{
    set_log(area, domain);
}

// Nobody on this CPU is in the handler, as this thread runs enabled.
void own_log_end(void)
{
    set_log(NULL, 0);
}

// ---- domains ------------------------------------------------------------------------------------

s64 own_log_domain(u32 id, u32 domain)
{
    s64 result = E_NOENT;

    if (domain >= LOG_DOMAINS)
        return E_INVAL;
    u32 before = user_disable();
    thread_all_lock();
    for (struct thread *thread = thread_all_first(); thread; thread = thread->all_next) {
        if (thread->id != id)
            continue;
        __atomic_store_n(&thread->log_domain, domain, __ATOMIC_RELAXED);
        result = 0;
    }
    thread_all_unlock();
    user_enable(before);
    return result;
}
