// SPDX-License-Identifier: MIT
// The points of the logs, patched while what they tell is wanted.
#include "points.h"

#include <kernel/panic.h>
#include <kernel/patch.h>

#include "areas.h"
#include "fast.h"
#include "proc/switch_points.h"

struct log_point {
    u32 *place;
    u32 *target;
    u64 characteristics;
};
extern const struct log_point log_points_start[], log_points_end[]; // boot/orrery.ld

#define POINTS_MAX 32
static u32 before[POINTS_MAX]; // instructions in place of which there are branches now
static u32 switched_on;        // characteristics

bool log_is_on(u32 characteristic)
{
    return __atomic_load_n(&switched_on, __ATOMIC_RELAXED) >> characteristic & 1;
}

static void tell_of_fast_calls(bool on)
{
    if (on)
        log_fast_prepare();
    switch_points_set(CALLS_LOGGED, on);
}

void log_points_set(u32 characteristics)
{
    u32 count = (u32)(log_points_end - log_points_start), were = switched_on;

    KASSERT(count <= POINTS_MAX);
    if (characteristics == were)
        return;
    log_begin(characteristics & ~were);
    // A thread that has passed a point, and goes on later, looks here once more.
    __atomic_store_n(&switched_on, characteristics, __ATOMIC_RELEASE);
    patch_begin();
    for (u32 i = 0; i < count; i++) {
        const struct log_point *point = &log_points_start[i];
        bool on = (characteristics & point->characteristics) != 0;
        if (on == ((were & point->characteristics) != 0))
            continue;
        if (on)
            before[i] = *point->place;
        patch_word(point->place, on ? ppc_branch(point->place, point->target) : before[i]);
    }
    patch_end();
    if ((characteristics ^ were) & LOG_BIT(LOG_OF_CALLS))
        tell_of_fast_calls(characteristics & LOG_BIT(LOG_OF_CALLS));
}
