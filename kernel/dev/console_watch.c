// SPDX-License-Identifier: MIT
// Processes that are told when something is printed. Whoever prints may hold any lock, so a timer
// tells them a moment later; what is printed meanwhile is told with it.
#include "console_device.h"

#include <kernel/kick_list.h>
#include <kernel/percpu.h>
#include <kernel/process.h>
#include <kernel/timer.h>
#include <orrery/sys.h>

#define GATHER_MICROSECONDS 10000

static struct kick_list watchers = KICK_LIST_INIT("watchers of the console");
static bool awaited; // since they were told last, some have asked

static void tell_watchers(struct timer *timer)
{
    (void)timer;
    kick_list_tell(&watchers);
}

// Only a CPU itself arms its timer.
static struct timer timers[ORRERY_MAX_CPUS] = {
    [0 ... ORRERY_MAX_CPUS - 1] = {.fire = tell_watchers}};

// Either this sees that somebody waits, or whoever begins to wait sees what has been printed.
void console_watch_printed(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&awaited, __ATOMIC_RELAXED) ||
        !__atomic_exchange_n(&awaited, false, __ATOMIC_RELAXED))
        return;
    struct timer *timer = &timers[cpu_id()];
    if (timer->deadline == 0)
        timer_start(timer, timebase() + microseconds_to_ticks(GATHER_MICROSECONDS));
}

s64 sys_console_await(u64 position, u64 bits)
{
    s64 error = kick_list_ask(&watchers, bits);

    if (error != 0)
        return error;
    __atomic_store_n(&awaited, true, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return console_ring_end() > position;
}

static void watcher_ends(struct process *process)
{
    kick_list_remove(&watchers, process);
}
PROCESS_END_HOOK(watcher_ends);
