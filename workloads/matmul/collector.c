// SPDX-License-Identifier: MIT
// The collector polls a monitor of its own process, which needs no right, and never sleeps.
#include "matmul.h"

#include <orrery/monitors.h>
#include <orrery/sys.h>
#include <user/scheduler.h>
#include <user/thread.h>

#define RING_BYTES 0x40000

static struct collected all;
static struct thread *thread;
static cap_t monitor;
static bool ends; // atomic

static void count(const struct sys_monitor_record *record)
{
    all.records++;
    all.lost += record->lost;
    all.switches += record->kind == SYS_MONITOR_SWITCH;
    all.threads += record->kind == SYS_MONITOR_THREAD;
}

// Returns false if there was nothing.
static bool read_some(u32 cpu)
{
    static struct sys_monitor_record records[512];
    s64 bytes = sys_monitor_read(monitor, cpu, (u64)records, sizeof(records));
    all.reads++;
    for (u64 i = 0; bytes > 0 && i < (u64)bytes / sizeof(records[0]); i++)
        count(&records[i]);
    return bytes > 0;
}

static s64 collect(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&ends, __ATOMIC_ACQUIRE)) {
        for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
            read_some(cpu);
    }
    s64 error = sys_monitor_suspend(monitor);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        while (read_some(cpu))
            ;
    }
    return error;
}

s64 collector_start(void)
{
    const u64 kinds = 1u << SYS_MONITOR_SWITCH | 1u << SYS_MONITOR_THREAD;
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    u64 bytes = RING_BYTES;
    attributes.name = "collect";
    s64 made = sys_monitor_create(&bytes);
    if (made < 0)
        return made;
    monitor = (cap_t)made;
    s64 error = sys_monitor_track(monitor, 0, 0, 1, kinds);
    if (error == 0)
        error = sys_monitor_resume(monitor);
    return error == 0 ? thread_create(&thread, &attributes, collect, NULL) : error;
}

s64 collector_end(struct collected *collected)
{
    s64 error;
    __atomic_store_n(&ends, true, __ATOMIC_RELEASE);
    s64 joined = thread_join(thread, &error);
    *collected = all;
    return joined != 0 ? joined : error;
}
