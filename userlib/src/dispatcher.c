// SPDX-License-Identifier: MIT
// Dispatchers come into being when a thread is first put on their CPU.
#include "dispatcher.h"

#include "check.h"
#include "policy.h"

#include <orrery/memory.h>
#include <orrery/sys.h>

static u64 dispatchers; // atomic: mask of CPUs
static struct user_spin start_lock;
static u32 cpu_count;
static const struct scheduler_policy *policy;

u64 user_dispatchers(void)
{
    return __atomic_load_n(&dispatchers, __ATOMIC_ACQUIRE);
}

u32 user_cpu_count(void)
{
    if (!cpu_count) {
        struct sys_info info;
        cpu_count = sys_info(&info) == 0 ? info.cpu_count : 1;
    }
    return cpu_count;
}

void dispatcher_policy(const struct scheduler_policy *of_new_ones)
{
    policy = of_new_ones;
}

static void scheduler_begin(u32 cpu)
{
    struct scheduler *scheduler = scheduler_of(cpu);
    scheduler->cpu = cpu;
    scheduler->armed = scheduler->slice_end = UINT64_MAX;
    scheduler->slice_us = POLICY_SLICE_US;
    scheduler->policy = policy;
    user_page(cpu)->switch_work[SWITCH_POLICY] = policy != NULL;
}

static u64 upcall_stack(u32 cpu)
{
    return USER_WINDOW + cpu * R13_WINDOW_SIZE + WINDOW_UPCALL_STACK_END - 128;
}

static s64 map_upcall_stack(u32 cpu)
{
    u64 base = USER_WINDOW + cpu * R13_WINDOW_SIZE;
    return user_pages(base + WINDOW_UPCALL_STACK, WINDOW_UPCALL_STACK_END - WINDOW_UPCALL_STACK) !=
                   NULL
               ? 0
               : E_NOMEM;
}

s64 dispatcher_first(void)
{
    u32 cpu = user_cpu();
    s64 error = map_upcall_stack(cpu);
    if (error)
        return error;
    user_page(cpu)->upcall_stack = upcall_stack(cpu);
    scheduler_begin(cpu);
    __atomic_store_n(&dispatchers, 1ul << cpu, __ATOMIC_RELEASE);
    return 0;
}

static s64 start(u32 cpu)
{
    if (user_dispatchers() >> cpu & 1)
        return 0;
    s64 error = map_upcall_stack(cpu);
    if (error)
        return error;
    error = sys_dispatcher_create(cpu, upcall_stack(cpu));
    if (error && error != E_EXIST) {
        sys_region_destroy(USER_WINDOW + cpu * R13_WINDOW_SIZE + WINDOW_UPCALL_STACK); // not now
        return error;
    }
    __atomic_fetch_or(&dispatchers, 1ul << cpu, __ATOMIC_RELEASE);
    return 0;
}

s64 user_dispatcher_start(u32 cpu)
{
    if (cpu >= ORRERY_MAX_CPUS || cpu >= user_cpu_count())
        return E_INVAL;
    if (user_dispatchers() >> cpu & 1)
        return 0;
    u32 before = user_disable();
    user_spin_lock(&start_lock);
    s64 error = start(cpu);
    user_spin_unlock(&start_lock);
    user_enable(before);
    return error;
}

typedef s64 (*cpu_start_function)(u32 cpu);
extern const cpu_start_function user_cpu_start_begin[], user_cpu_start_end[];

s64 dispatcher_cpu_start(u32 cpu)
{
    for (const cpu_start_function *function = user_cpu_start_begin; function < user_cpu_start_end;
         function++) {
        s64 error = (*function)(cpu);
        if (error)
            return error;
    }
    return 0;
}

void dispatcher_begin(u32 cpu)
{
    CHECK(cpu == user_cpu());
    user_page(cpu)->upcall_stack = upcall_stack(cpu);
    scheduler_begin(cpu);
    // Whoever made it may come to say so only later.
    __atomic_fetch_or(&dispatchers, 1ul << cpu, __ATOMIC_RELEASE);
    s64 error = dispatcher_cpu_start(cpu);
    if (error)
        user_panic("no dispatcher on CPU %u: %s", cpu, orrery_strerror(error));
    scheduler_inbox(scheduler_of(cpu));
    scheduler_dispatch();
}
