// SPDX-License-Identifier: MIT
// The machine's monitors: sys_monitor_ calls over struct machine.
#include "machine.h"

#include <orrery/errors.h>
#include <orrery/ipc.h>
#include <orrery/monitors.h>
#include <string.h>

#define FIRST_CAPABILITY 100

static struct machine_monitor *monitor_of(cap_t capability)
{
    u64 index = (u64)capability - FIRST_CAPABILITY;

    return index < MACHINE_MONITORS && machine.monitors[index].used ? &machine.monitors[index]
                                                                    : NULL;
}

s64 sys_monitor_create(u64 *bytes)
{
    u32 used = 0;

    for (u32 i = 0; i < MACHINE_MONITORS; i++)
        used += machine.monitors[i].used;
    if (used == MACHINE_MONITORS || (machine.monitors_max != 0 && used >= machine.monitors_max))
        return E_LIMIT;
    for (u32 i = 0;; i++) {
        if (machine.monitors[i].used)
            continue;
        machine.monitors[i] = (struct machine_monitor){.used = true, .bytes = *bytes};
        machine.capabilities++;
        return FIRST_CAPABILITY + i;
    }
}

static s64 run(cap_t capability, bool on)
{
    struct machine_monitor *monitor = monitor_of(capability);

    if (monitor == NULL)
        return E_INVAL;
    monitor->running = on;
    return 0;
}

s64 sys_monitor_resume(cap_t capability)
{
    return run(capability, true);
}

s64 sys_monitor_suspend(cap_t capability)
{
    return run(capability, false);
}

// Of a CPU: record n at time n, of the id 1000 + CPU.
s64 sys_monitor_read(cap_t capability, u32 cpu, u64 address, u64 bytes)
{
    struct machine_monitor *monitor = monitor_of(capability);
    struct sys_monitor_record *records = (struct sys_monitor_record *)address;
    u64 count = 0;

    if (monitor == NULL || cpu >= MACHINE_CPUS)
        return E_INVAL;
    u64 unread = monitor->fired[cpu] - monitor->lost[cpu] - monitor->read[cpu];
    for (; count < unread && (count + 1) * sizeof(*records) <= bytes; count++)
        records[count] = (struct sys_monitor_record){
            .time = monitor->read[cpu] + count,
            .id = 1000 + cpu,
            .kind = 0xff,
            .reason = 0xff,
            .lost = 0xffff,
            .word = {UINT64_MAX, UINT64_MAX},
        };
    monitor->read[cpu] += count;
    return (s64)(count * sizeof(*records));
}

s64 sys_monitor_stat(cap_t capability, u32 cpu, struct sys_monitor_stat *stat)
{
    struct machine_monitor *monitor = monitor_of(capability);

    if (monitor == NULL || cpu >= MACHINE_CPUS)
        return E_INVAL;
    *stat = (struct sys_monitor_stat){
        .running = monitor->running,
        .cpu = cpu,
        .bytes = monitor->bytes,
        .fired = monitor->fired[cpu],
        .lost = monitor->lost[cpu],
        .unread = monitor->fired[cpu] - monitor->lost[cpu] - monitor->read[cpu],
        .cost = 7,
    };
    return 0;
}

s64 sys_monitor_track_pid(cap_t capability, u32 pid, u32 thread, u32 id, u64 kinds)
{
    struct machine_monitor *monitor = monitor_of(capability);

    (void)id;
    (void)thread;
    if (monitor == NULL || kinds == 0 || (kinds & ~SYS_MONITOR_KINDS_MASK) != 0)
        return E_INVAL;
    if (pid != 0 && machine_process(pid) == NULL)
        return E_NOENT;
    monitor->tracked++;
    return 0;
}

s64 sys_monitor_untrack(cap_t capability, u32 pid, u32 thread)
{
    struct machine_monitor *monitor = monitor_of(capability);

    (void)thread;
    if (monitor == NULL)
        return E_INVAL;
    if (monitor->tracked == 0 || (pid != 0 && machine_process(pid) == NULL))
        return E_NOENT;
    monitor->tracked--;
    return 0;
}

s64 sys_monitor_terminate(cap_t capability)
{
    struct machine_monitor *monitor = monitor_of(capability);

    if (monitor == NULL)
        return E_INVAL;
    monitor->used = false;
    return 0;
}

s64 sys_cap_drop(cap_t capability)
{
    (void)capability;
    machine.capabilities--;
    return 0;
}
