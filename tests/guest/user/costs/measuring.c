// SPDX-License-Identifier: MIT
// Counts of events, and of DREFs.
#include "costs.h"

#include <co/manager.h>
#include <orrery/errors.h>
#include <orrery/pmu.h>
#include <orrery/pmu_model.h>
#include <orrery/sys.h>
#include <stdio.h>

#define WORDS 256

static s64 session;

// ---- counts of the five metrics -----------------------------------------------------------------

// Lock acquisition, contention, mispredictions, TLB misses, IPC: all of what they are made of,
// in one group.
static const u32 metrics[] = {
    MODEL_INSTRUCTIONS, MODEL_CYCLES,       MODEL_LARX,      MODEL_STCX,
    MODEL_BRANCHES,     MODEL_MISPREDICTED, MODEL_ITLB_MISS, MODEL_DTLB_MISS,
};

static void begin_counts(void)
{
    struct sys_pmu_counting counting = {.item_count = ARRAY_SIZE(metrics),
                                        .set_count = 1,
                                        .slice_event = MODEL_INSTRUCTIONS,
                                        .shares = {1}};
    char message[WORDS];
    for (u32 i = 0; i < ARRAY_SIZE(metrics); i++)
        counting.items[i] =
            (struct sys_pmu_item){.event = metrics[i], .filter = SYS_PMU_KERNEL | SYS_PMU_USER};
    session = sys_pmu_count_start(&counting, message, sizeof(message));
    if (session < 0)
        fail("counting: %s: %s", orrery_strerror(session), message);
}

static void end_counts(void)
{
    struct sys_pmu_count counts[ARRAY_SIZE(metrics)];
    u64 sums[ARRAY_SIZE(metrics)] = {0};
    sys_pmu_count_stop(session);
    for (u32 cpu = 0; sys_pmu_count_read(session, cpu, counts, sizeof(counts)) > 0; cpu++) {
        for (u32 i = 0; i < ARRAY_SIZE(metrics); i++)
            if (counts[i].measured != 0)
                sums[i] += (u64)((unsigned __int128)counts[i].count * counts[i].total /
                                 counts[i].measured);
    }
    for (u32 i = 0; i < ARRAY_SIZE(metrics); i++) {
        struct sys_pmu_event event;
        if (sys_pmu_event_get(metrics[i], &event) == 0)
            printf("COUNT %s %lu\n", event.name, sums[i]);
    }
}

static u64 no_events(void)
{
    return 0;
}

const struct measuring measuring_counts = {"counts", begin_counts, end_counts, no_events, true};

// ---- DREF counting ------------------------------------------------------------------------------

static u64 buffer[8192];

static u64 sum_of(s64 (*read)(u64 *cursor, void *buffer, u64 bytes))
{
    u64 sum = 0, cursor = 0;
    s64 bytes;
    while ((bytes = read(&cursor, buffer, sizeof(buffer))) > 0) {
        const struct sys_dref_count *counts = (const struct sys_dref_count *)buffer;
        for (u64 i = 0; i < (u64)bytes / sizeof(*counts); i++)
            sum += counts[i].invocations;
    }
    return sum;
}

// Of objects that are alive, of the kernel and of this process.
static u64 drefs(void)
{
    return sum_of(sys_dref_read) + sum_of(co_manager_dref_read);
}

static void check(s64 error)
{
    if (error != 0)
        fail("DREF counting: %s", orrery_strerror(error));
}

static void switch_drefs(bool on)
{
    check(sys_dref_enable(on));
    check(co_manager_dref_enable(on));
}

static void begin_drefs(void)
{
    switch_drefs(true);
}

static void end_drefs(void)
{
    switch_drefs(false);
}

static void begin_all_drefs(void)
{
    check(sys_dref_set_processes(true));
    switch_drefs(true);
}

static void end_all_drefs(void)
{
    switch_drefs(false);
    check(sys_dref_set_processes(false));
}

const struct measuring measuring_drefs = {"drefs", begin_drefs, end_drefs, drefs, false};
const struct measuring measuring_all_drefs = {"all-drefs", begin_all_drefs, end_all_drefs, drefs,
                                              false};
