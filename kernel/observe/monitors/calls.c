// SPDX-License-Identifier: MIT
// The calls of orrery/monitors.h.
#include <kernel/capability.h>
#include <kernel/memory.h>
#include <kernel/process.h>
#include <syscalls/objects.h>

#include "monitor.h"
#include "sensor.h"

// Returns the smallest valid size >= bytes.
static u64 ring_bytes(u64 bytes)
{
    u64 size = SYS_MONITOR_BYTES_MIN;

    while (size < bytes)
        size *= 2;
    return size;
}

s64 sys_monitor_create(u64 *bytes)
{
    s64 error;

    if (*bytes < SYS_MONITOR_BYTES_MIN || *bytes > SYS_MONITOR_BYTES_MAX)
        return E_INVAL;
    if (!memory_for_caller())
        return E_NOMEM;
    struct monitor *monitor = monitor_create(ring_bytes(*bytes), &error);
    if (monitor == NULL)
        return error;
    *bytes = ring_bytes(*bytes);
    HELD(capability)
    struct capability capability = {.type = CAPABILITY_MONITOR, .object = monitor};
    return capability_add(process_capabilities(process_current()), &capability);
}

s64 call_monitor_resume(struct monitor *monitor)
{
    return MONITOR_CALL(monitor, run, true);
}

s64 call_monitor_suspend(struct monitor *monitor)
{
    return MONITOR_CALL(monitor, run, false);
}

s64 call_monitor_read(struct monitor *monitor, u32 cpu, u64 address, u64 bytes)
{
    return MONITOR_CALL(monitor, read, cpu, address, bytes);
}

s64 call_monitor_stat(struct monitor *monitor, u32 cpu, struct sys_monitor_stat *stat)
{
    return MONITOR_CALL(monitor, stat, cpu, stat);
}

s64 call_monitor_map(struct monitor *monitor)
{
    return MONITOR_CALL(monitor, map);
}

s64 call_monitor_take(struct monitor *monitor, u32 cpu, u64 records)
{
    return MONITOR_CALL(monitor, take, cpu, records);
}

s64 call_monitor_track(struct monitor *monitor, struct process *process, u32 thread, u32 id,
                       u64 kinds)
{
    return MONITOR_CALL(monitor, track, process, thread, id, kinds);
}

s64 call_monitor_track_pid(struct monitor *monitor, u32 pid, u32 thread, u32 id, u64 kinds)
{
    HELD(process) struct process *process = pid != 0 ? process_get(pid) : NULL;

    if (pid != 0 && process == NULL)
        return E_NOENT;
    return MONITOR_CALL(monitor, track, process, thread, id, kinds);
}

s64 call_monitor_untrack(struct monitor *monitor, u32 pid, u32 thread)
{
    return MONITOR_CALL(monitor, untrack, pid, thread);
}

s64 call_monitor_terminate(struct monitor *monitor)
{
    return MONITOR_CALL(monitor, terminate);
}
