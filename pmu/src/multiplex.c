// SPDX-License-Identifier: MIT
// Sums over slices.
#include <orrery/errors.h>
#include <pmu/multiplex.h>
#include <string.h>

void pmu_multiplex_begin(struct pmu_multiplex *multiplex, u32 items)
{
    memset(multiplex, 0, PMU_MULTIPLEX_BYTES(items));
    multiplex->items = items;
}

static bool room(u64 sum, u64 more)
{
    return more <= PMU_COUNT_MAX && sum <= PMU_COUNT_MAX - more;
}

static void add_slice(struct pmu_sums *sums, u64 time, u64 count)
{
    sums->slices++;
    sums->time += time;
    sums->count += count;
    sums->time_squares += (pmu_wide)time * time;
    sums->count_squares += (pmu_wide)count * count;
    sums->products += (pmu_wide)time * count;
}

s64 pmu_multiplex_slice(struct pmu_multiplex *multiplex, const struct pmu_group *group, u64 time,
                        const u64 counts[PMU_COUNTERS])
{
    if (!room(multiplex->time, time))
        return E_LIMIT;
    for (u32 i = 0; i < PMU_COUNTERS; i++) {
        u32 item = group->item[i];
        if (item == PMU_NO_ITEM)
            continue;
        if (item >= multiplex->items)
            return E_INVAL;
        if (!room(multiplex->item[item].count, counts[i]))
            return E_LIMIT;
    }
    multiplex->time += time;
    for (u32 i = 0; i < PMU_COUNTERS; i++) {
        if (group->item[i] != PMU_NO_ITEM)
            add_slice(&multiplex->item[group->item[i]], time, counts[i]);
    }
    return 0;
}
