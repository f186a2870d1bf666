// SPDX-License-Identifier: MIT
// Operations of who watches the machine.
#include "operations.h"

#include <orrery/errors.h>
#include <orrery/log.h>
#include <orrery/memory.h>
#include <orrery/monitors.h>
#include <orrery/pmu.h>
#include <orrery/sys.h>

#define RING_BYTES 8192
#define PERIOD 1000000

// ---- a monitor ----------------------------------------------------------------------------------

static s64 use_monitor(cap_t monitor)
{
    s64 error = sys_monitor_track(monitor, 0, 0, 1, 1U << SYS_MONITOR_FAULT);

    if (error == 0)
        error = sys_monitor_resume(monitor);
    s64 rings = error == 0 ? sys_monitor_map(monitor) : error;
    if (rings > 0)
        sys_cap_drop((cap_t)rings);
    sys_monitor_suspend(monitor);
    return rings < 0 ? rings : 0;
}

static s64 monitor(void)
{
    u64 bytes = RING_BYTES;
    s64 made = sys_monitor_create(&bytes);

    if (made < 0)
        return made;
    s64 error = use_monitor((cap_t)made);
    sys_monitor_terminate((cap_t)made);
    sys_cap_drop((cap_t)made);
    return error;
}

// ---- a log area ---------------------------------------------------------------------------------

static s64 log_calls(void)
{
    s64 memory = sys_memory_new("log", LOG_AREA_BYTES);

    if (memory < 0)
        return memory;
    s64 error = sys_log_area((cap_t)memory, 0);
    if (error >= 0)
        error = sys_log_enable(LOG_OF_CALLS, true);
    sys_log_close();
    sys_cap_drop((cap_t)memory);
    return error;
}

// ---- sessions -----------------------------------------------------------------------------------

static s64 sample(void)
{
    struct sys_sampling sampling = {.event_count = 1};
    char message[8];

    sampling.events[0] = (struct sys_sampled_event){
        .event = SYS_PMU_CYCLES, .filter = SYS_PMU_KERNEL | SYS_PMU_USER, .period = PERIOD};
    s64 session = sys_sampling_start(&sampling, message, sizeof(message));
    return session < 0 ? session : sys_sampling_stop(session);
}

static s64 count(void)
{
    struct sys_pmu_counting counting = {.item_count = 1, .set_count = 1};
    struct sys_pmu_event event;
    char message[8];
    s64 error = sys_pmu_event_get(0, &event);

    if (error != 0)
        return error;
    counting.items[0] =
        (struct sys_pmu_item){.event = event.event, .filter = SYS_PMU_KERNEL | SYS_PMU_USER};
    counting.shares[0] = 1;
    counting.slice_event = event.event;
    counting.flags = SYS_PMU_BY_PROCESS;
    s64 session = sys_pmu_count_start(&counting, message, sizeof(message));
    return session < 0 ? session : sys_pmu_count_stop(session);
}

static s64 trace(void)
{
    static u8 packet[65536];
    s64 error = sys_trace_take(true);

    if (error != 0)
        return error;
    error = sys_trace_state();
    s64 bytes = error == 0 ? sys_trace_read(0, true, packet, sizeof(packet)) : error;
    sys_trace_take(false);
    return bytes < 0 ? bytes : 0;
}

const struct operation watching[] = {
    {.name = "monitor", .run = monitor}, {.name = "log", .run = log_calls},
    {.name = "sampling", .run = sample}, {.name = "counting", .run = count},
    {.name = "trace", .run = trace},
};
const u32 watching_count = ARRAY_SIZE(watching);
