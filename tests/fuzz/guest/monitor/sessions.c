// SPDX-License-Identifier: MIT
// Sampling and counting.
#include "monitor.h"

#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <orrery/pmu_model.h>
#include <orrery/sys.h>
#include <orrery/user.h>
#include <user/thread.h>

#define SESSION_US 20000
#define READS 16

static u32 some_event(void)
{
    return SYS_PMU_MODEL + (u32)(next_random() % MODEL_EVENTS);
}

void sample(void)
{
    bool model = next_random() % 2 != 0;
    struct sys_sampling sampling = {
        .callers = (u32)(next_random() % SYS_CALLERS_MAX),
        .event_count = 1,
        .flags = (model && next_random() % 2 != 0 ? SYS_SAMPLING_PRECISE : 0) |
                 (next_random() % 2 != 0 ? SYS_SAMPLING_TURNS : 0),
        .events = {{.event = model ? some_event() : SYS_PMU_CYCLES,
                    .filter = SYS_PMU_KERNEL | SYS_PMU_USER,
                    .period = model ? 10000 + next_random() % 100000 : 100000,
                    .randomise = 4}},
    };
    s64 session = sys_sampling_start(&sampling, some_buffer(), 512);

    if (session < 0) {
        thread_sleep_us(1000);
        return;
    }
    for (u32 i = 0; i < READS; i++) {
        thread_sleep_us(SESSION_US / READS);
        for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
            sys_sampling_read(session, cpu, 0, some_buffer(), BUFFER_BYTES);
    }
    sys_sampling_stop(session);
}

// Maps the unit's page, as a program that reads its own counters does, and lets it go again.
static void open_counters(s64 session)
{
    u8 counters[SYS_PMU_ITEMS];
    s64 memory = sys_pmu_count_open(session, counters);
    struct sys_region region = {
        .bytes = 4096, .kind = REGION_SHARED, .prot = PROT_R, .memory = (cap_t)memory};

    if (memory < 0)
        return;
    if (sys_region_create(0, &region) == 0)
        sys_region_destroy(region.address);
    sys_cap_drop((cap_t)memory);
}

void count(void)
{
    struct sys_pmu_counting counting = {
        .item_count = 2,
        .set_count = 1,
        .slice_event = SYS_PMU_MODEL + MODEL_INSTRUCTIONS,
        .flags = (u32)(next_random() % 8),
        .shares = {1},
        .items = {{.event = some_event(), .filter = SYS_PMU_KERNEL | SYS_PMU_USER},
                  {.event = some_event(), .filter = SYS_PMU_USER}},
    };
    s64 session = sys_pmu_count_start(&counting, some_buffer(), 512);

    if (session < 0) {
        thread_sleep_us(1000);
        return;
    }
    open_counters(session);
    thread_sleep_us(SESSION_US);
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        u64 cursor = 0;
        for (u32 i = 0; i < READS; i++) {
            if (sys_pmu_count_tasks(session, cpu, &cursor, some_buffer(), BUFFER_BYTES) <= 0)
                break;
        }
        sys_pmu_count_read(session, cpu, some_buffer(), BUFFER_BYTES);
    }
    sys_pmu_count_stop(session);
}

void leave_out(void)
{
    u32 pid = some_pid();

    sys_pmu_exclude(pid, true);
    thread_sleep_us(1000);
    sys_pmu_exclude(pid, false);
}
