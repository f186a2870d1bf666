// SPDX-License-Identifier: MIT
// Counters that threads read by themselves (user/pmu.h).
#include "scheduler.h"

#include <orrery/memory.h>
#include <string.h>
#include <orrery/ipc.h>
#include <user/pmu.h>

#define READ_COUNTERS (MODEL_COMMAND | MODEL_READ)

static const volatile struct model_page *page; // NULL: never opened
static s64 session;                            // 0: not open
static u32 items;
static u8 counter_of[SYS_PMU_ITEMS];

// By CPU, each changed by its own CPU, disabled: whose turn it is, and the dispatcher's counts when
// they were last added up.
static struct {
    struct thread *thread;
    u64 mark[MODEL_COUNTERS];
} cpus[ORRERY_MAX_CPUS];

static void (*next_hook)(struct thread *next);
static bool hooked; // for good: another hook may have come before this one since

// Reads what this dispatcher has counted. Disabled.
static void read_own(u64 now[MODEL_COUNTERS])
{
    const volatile struct model_cpu *slot = &page->cpu[user_cpu()];
    const volatile struct user_counters *window;
    u64 turns;

    __asm__ volatile("addi %0,13,%1" : "=b"(window) : "i"(R13_PMU));
    do {
        turns = window->turns;
        __asm__ volatile("twi 0,0,%0" ::"i"(READ_COUNTERS) : "memory");
        for (u32 i = 0; i < MODEL_COUNTERS; i++)
            now[i] = slot->value[i] - window->away[i];
    } while (window->turns != turns);
}

// Adds what was counted since the last time to the thread whose turn it is.
static void charge(void)
{
    struct thread *thread = cpus[user_cpu()].thread;
    u64 *mark = cpus[user_cpu()].mark, now[MODEL_COUNTERS];

    read_own(now);
    for (u32 i = 0; i < MODEL_COUNTERS; i++) {
        if (thread)
            thread->counted[i] += now[i] - mark[i];
        mark[i] = now[i];
    }
}

static void switched(struct thread *next)
{
    if (next_hook)
        next_hook(next);
    if (!__atomic_load_n(&session, __ATOMIC_RELAXED))
        return;
    charge();
    cpus[user_cpu()].thread = next;
}

void pmu_thread_leaves(void)
{
    if (__atomic_load_n(&session, __ATOMIC_RELAXED))
        charge();
    cpus[user_cpu()].thread = NULL;
}

// ---- user/pmu.h ---------------------------------------------------------------------------------

// The page stays mapped: all sessions together cost one address range.
static s64 map_page(s64 cap)
{
    struct sys_region region = {
        .bytes = MODEL_PAGE_BYTES, .kind = REGION_SHARED, .prot = PROT_R, .memory = (cap_t)cap};
    s64 error = page ? 0 : sys_region_create(0, &region);

    if (!error && !page)
        page = (const struct model_page *)region.address;
    sys_cap_drop((cap_t)cap);
    return error;
}

static s64 set_up(s64 opened)
{
    s64 cap = sys_pmu_count_open(opened, counter_of);
    s64 error = cap < 0 ? cap : map_page(cap);

    if (error) {
        sys_pmu_count_stop(opened);
        return error;
    }
    if (!hooked) {
        hooked = true;
        next_hook = user_switch_hook;
        user_on_switch(switched);
    }
    __atomic_store_n(&session, opened, __ATOMIC_RELEASE);
    return opened;
}

s64 pmu_open(const struct sys_pmu_counting *counting, char *message, u64 bytes)
{
    struct sys_pmu_counting readable = *counting;

    readable.flags |= SYS_PMU_READABLE;
    s64 opened = sys_pmu_count_start(&readable, message, bytes);
    if (opened < 0)
        return opened;
    items = counting->item_count;
    return set_up(opened);
}

s64 pmu_read(u64 *counts)
{
    if (!__atomic_load_n(&session, __ATOMIC_RELAXED))
        return E_STALE;
    u32 before = user_disable();
    struct thread *self = scheduler_here()->current;
    charge();
    cpus[user_cpu()].thread = self;
    for (u32 i = 0; i < items; i++)
        counts[i] = self->counted[counter_of[i]];
    user_enable(before);
    return 0;
}

s64 pmu_close(void)
{
    s64 closed = __atomic_exchange_n(&session, 0, __ATOMIC_ACQ_REL);

    return closed ? sys_pmu_count_stop(closed) : E_STALE;
}
