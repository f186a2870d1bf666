// SPDX-License-Identifier: MIT
// The service thread of each CPU reaps objects and keeps the trace's heartbeat. It is made when
// there is something to do. And: work for one CPU that another one asks for.
#include <co/object.h>
#include <co/platform.h>
#include <co/quiesce.h>
#include <orrery/process.h>
#include <user/lock.h>
#include <user/objects.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

static struct service {
    bool made;             // atomic: the thread is there, or on its way
    struct thread *thread; // set by itself, before its first look
    u64 period, next;      // of the heartbeat; 0: none
    void (*tick)(void);
    // Work shipped here: set by its sender, cleared when it has been done.
    void (*function)(void *);
    void *argument;
} services[ORRERY_MAX_CPUS] __attribute__((aligned(128)));

static struct mutex shipping; // one piece of work at a time
static s64 poke_bit = -1, ship_bit = -1;
static u64 (*reap)(void);

// ---- the thread --------------------------------------------------------------------------------

// Calls tick() if it is due. Returns when the heartbeat is due next.
static u64 beat(struct service *service)
{
    u64 next = UINT64_MAX;
    u32 before = user_disable();
    if (service->period != 0) {
        u64 now = time_now();
        if (now >= service->next) {
            service->tick();
            service->next = now + service->period;
        }
        next = service->next;
    }
    user_enable(before);
    return next;
}

static s64 __attribute__((noreturn)) service_main(void *argument)
{
    struct service *service = argument;
    // Known before the first look at what is to be done: whoever adds to it later wakes us.
    __atomic_store_n(&service->thread, thread_current(), __ATOMIC_SEQ_CST);
    for (;;) {
        u64 ticks = reap();
        u64 deadline = ticks != 0 ? time_now() + ticks : UINT64_MAX;
        u64 next = beat(service);
        thread_park(next < deadline ? next : deadline);
    }
}

s64 co_platform_reaper_start(u32 cpu, u64 (*work)(void))
{
    (void)cpu;
    __atomic_store_n(&reap, work, __ATOMIC_RELEASE);
    return 0;
}

_Static_assert(ORRERY_MAX_CPUS <= 10, "a digit names a CPU");

// Makes a CPU's thread. Perhaps in an upcall, where nothing may use floating point, as printf does.
static bool make(u32 cpu)
{
    const char name[] = {'s', 'e', 'r', 'v', 'i', 'c', 'e', '/', (char)('0' + cpu), '\0'};
    struct thread_attributes attributes = {.name = name,
                                           .cpu = cpu,
                                           .priority = THREAD_PRIORITY_LIBRARY,
                                           .stack_bytes = 0x4000,
                                           .detached = true,
                                           .pinned = true};
    struct service *service = &services[cpu];
    if (__atomic_exchange_n(&service->made, true, __ATOMIC_ACQ_REL))
        return true;
    if (thread_create(NULL, &attributes, service_main, service) == 0)
        return true;
    __atomic_store_n(&service->made, false, __ATOMIC_RELEASE);
    return false;
}

// Wakes a CPU's thread, or makes it. Returns false if there is none, and no memory for one.
static bool wake(u32 cpu)
{
    struct thread *thread = __atomic_load_n(&services[cpu].thread, __ATOMIC_ACQUIRE);
    if (thread != NULL)
        thread_unpark(thread);
    return thread != NULL || (__atomic_load_n(&reap, __ATOMIC_ACQUIRE) != NULL && make(cpu));
}

bool co_platform_reaper_wake(u32 cpu)
{
    return wake(cpu);
}

void service_set_heartbeat(u32 cpu, u64 period, void (*tick)(void))
{
    struct service *service = &services[cpu];
    if (period == service->period)
        return;
    service->tick = tick;
    service->next = time_now() + period;
    service->period = period;
    if (period != 0 && !wake(cpu))
        service->period = 0; // until the next try
}

// ---- other CPUs --------------------------------------------------------------------------------

static void poked(void)
{
    co_cpu_advance();
}

void co_platform_poke(u32 cpu)
{
    if (poke_bit >= 0)
        sys_dispatcher_kick(cpu, 1UL << poke_bit);
}

static void run_shipped(void)
{
    struct service *service = &services[user_cpu()];
    void (*function)(void *) = __atomic_load_n(&service->function, __ATOMIC_ACQUIRE);
    if (function == NULL)
        return;
    function(service->argument);
    __atomic_store_n(&service->function, NULL, __ATOMIC_RELEASE);
}

static void ship(u32 cpu, void (*function)(void *), void *argument)
{
    struct service *service = &services[cpu];
    mutex_lock(&shipping);
    service->argument = argument;
    __atomic_store_n(&service->function, function, __ATOMIC_RELEASE);
    sys_dispatcher_kick(cpu, 1UL << ship_bit);
    // Mostly over in microseconds; the other CPU may have been taken from the process, though.
    for (u64 us = 20; __atomic_load_n(&service->function, __ATOMIC_ACQUIRE) != NULL;
         us = us < 2000 ? us * 2 : us)
        thread_sleep_us(us);
    mutex_unlock(&shipping);
}

bool service_run_on(u32 cpu, void (*function)(void *), void *argument)
{
    if (!(user_dispatchers() >> cpu & 1))
        return false;
    u32 before = user_disable();
    bool here = user_cpu() == cpu;
    if (here)
        function(argument);
    user_enable(before);
    if (!here)
        ship(cpu, function, argument);
    return true;
}

// ---- start-up ----------------------------------------------------------------------------------

static s64 start_kicks(void)
{
    poke_bit = user_on_kick(poked);
    ship_bit = user_on_kick(run_shipped);
    return poke_bit < 0 ? poke_bit : ship_bit < 0 ? ship_bit : 0;
}
USER_INIT(1, start_kicks);
