// SPDX-License-Identifier: MIT
// sys_pmu_ calls over struct machine.
#include "machine.h"

#include <orrery/errors.h>
#include <stdio.h>
#include <string.h>

s64 sys_pmu_event_get(u32 index, struct sys_pmu_event *event)
{
    if (index >= machine.counting.events)
        return E_NOENT;
    *event = (struct sys_pmu_event){
        .event = index + 3, .modelled = index % 2, .counters = UINT64_MAX, .unit = "model"};
    snprintf(event->name, sizeof(event->name), "event-%u", index);
    memset(event->meaning, 'm', sizeof(event->meaning) - 1);
    return 0;
}

s64 sys_pmu_count_start(const struct sys_pmu_counting *counting, char *message, u64 bytes)
{
    for (u32 i = 0; i < counting->item_count; i++)
        if (counting->items[i].event == MACHINE_CONFLICT) {
            snprintf(message, bytes, "item %u has no place", i);
            return E_LIMIT;
        }
    // As the machine does: what others count comes after all that is wrong with the request.
    bool full = __builtin_popcountl(machine.counting.running) == SYS_PMU_SESSIONS;
    if (machine.counting.busy || full || (machine.counting.alone && machine.counting.running != 0))
        return E_BUSY;
    machine.counting.asked = *counting;
    machine.counting.session++;
    machine.counting.running |= 1UL << machine.counting.session;
    return machine.counting.session;
}

static bool is_running(s64 session)
{
    return (machine.counting.running >> session & 1) != 0;
}

struct sys_pmu_count machine_count(u32 cpu, u32 item)
{
    return (struct sys_pmu_count){
        .count = item == 1 ? UINT64_MAX : 1000 * cpu + item,
        .measured = 10 + item,
        .total = 100,
        .slices = 7 * item,
        .time_squares = {item, 1000 + item},
        .count_squares = {2 * item, 2000 + item},
        .products = {3 * item, 3000 + item},
    };
}

s64 sys_pmu_count_read(s64 session, u32 cpu, struct sys_pmu_count *counts, u64 bytes)
{
    if (session > machine.counting.session)
        return E_STALE;
    if (cpu >= MACHINE_CPUS || bytes != machine.counting.asked.item_count * sizeof(*counts))
        return E_INVAL;
    for (u32 i = 0; i < machine.counting.asked.item_count; i++)
        counts[i] = machine_count(cpu, i);
    return (s64)bytes;
}

s64 sys_pmu_count_stop(s64 session)
{
    if (!is_running(session))
        return E_STALE;
    machine.counting.running &= ~(1UL << session);
    return 0;
}

s64 sys_pmu_count_trace(s64 session, u64 majors)
{
    if (!is_running(session))
        return E_STALE;
    bool turns = machine.sampling || machine.counting.running != 1UL << session;
    if (machine.counting.asked.item_count > SYS_PMU_TRACED || (machine.counting.alone && turns))
        return E_LIMIT;
    machine.counting.traced = majors;
    return 0;
}

// ---- tasks -------------------------------------------------------------------------------------

struct sys_pmu_count machine_task_count(u32 cpu, u32 n, u32 item)
{
    // The longest that there can be.
    if (n % 2 == 0)
        return (struct sys_pmu_count){.count = UINT64_MAX,
                                      .measured = UINT64_MAX,
                                      .total = UINT64_MAX,
                                      .slices = UINT64_MAX,
                                      .time_squares = {UINT64_MAX, UINT64_MAX},
                                      .count_squares = {UINT64_MAX, UINT64_MAX},
                                      .products = {UINT64_MAX, UINT64_MAX}};
    return (struct sys_pmu_count){.count = 100 * cpu + n, .measured = item, .total = item + 1};
}

static void fill_task(struct sys_pmu_task *task, u32 cpu, u32 n, u32 items)
{
    *task = (struct sys_pmu_task){
        .pid = n,
        .thread = n / 3,
        .record_bytes = (u32)(sizeof(*task) + items * sizeof(task->counts[0])),
        .flags = n % 8,
    };
    memset(task->name, n == 1 ? 0xff : 'n', sizeof(task->name) - 1);
    for (u32 i = 0; i < items; i++)
        task->counts[i] = machine_task_count(cpu, n, i);
}

s64 sys_pmu_count_tasks(s64 session, u32 cpu, u64 *cursor, void *buffer, u64 bytes)
{
    u32 items = machine.counting.asked.item_count;
    u64 record = sizeof(struct sys_pmu_task) + items * sizeof(struct sys_pmu_count), used = 0;
    if (session > machine.counting.session)
        return E_STALE;
    if (cpu >= MACHINE_CPUS || machine.counting.asked.flags == 0 || bytes < record)
        return E_INVAL;
    for (; *cursor < machine.counting.tasks && used + record <= bytes; (*cursor)++, used += record)
        fill_task((struct sys_pmu_task *)((u8 *)buffer + used), cpu, (u32)*cursor, items);
    return (s64)used;
}

s64 sys_pmu_exclude(u32 pid, bool excluded)
{
    struct machine_process *process = machine_process(pid);
    if (pid == 0)
        return E_INVAL;
    if (process == NULL)
        return E_NOENT;
    process->excluded = excluded;
    return 0;
}
