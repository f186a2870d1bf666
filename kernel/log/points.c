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
static u32 sides;              // of calls and answers that are looked at: bits of their events

bool log_is_on(u32 characteristic)
{
    return __atomic_load_n(&switched_on, __ATOMIC_RELAXED) >> characteristic & 1;
}

bool log_looks_at(u32 event)
{
    return event < LOG_CALL_SENT || event > LOG_ANSWER_TAKEN ||
           (__atomic_load_n(&sides, __ATOMIC_RELAXED) & 1u << event) != 0;
}

static void patch_points(u32 were, u32 characteristics)
{
    u32 count = (u32)(log_points_end - log_points_start);

    KASSERT(count <= POINTS_MAX);
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
}

// Tells the fast path of calls what is told there; of services first.
static void tell_on_fast_path(u32 characteristics)
{
    u32 wanted = characteristics & LOG_BIT(LOG_OF_CALLS) ? sides : 0;

    switch_points_set(SERVICES_LOGGED, (characteristics & LOG_BIT(LOG_OF_SERVICE)) != 0);
    switch_points_set(CALLS_LOGGED,
                      (wanted & (LOG_BIT(LOG_CALL_SENT) | LOG_BIT(LOG_CALL_TAKEN))) != 0);
    switch_points_set(ANSWERS_LOGGED,
                      (wanted & (LOG_BIT(LOG_ANSWER_SENT) | LOG_BIT(LOG_ANSWER_TAKEN))) != 0);
}

// Changes what the fast path tells. Calls take the slow path meanwhile: they are told of on both
// paths or on none.
static void change_fast_path(u32 were, u32 characteristics, bool look)
{
    u32 making = LOG_BIT(LOG_MAKING);

    patch_points(were, were | making);
    __atomic_store_n(&switched_on, characteristics, __ATOMIC_RELEASE);
    patch_points(were | making, characteristics | making);
    if (look) {
        tell_on_fast_path(characteristics & ~LOG_BIT(LOG_OF_CALLS));
        __atomic_store_n(&sides, log_fast_prepare(), __ATOMIC_RELAXED);
    }
    tell_on_fast_path(characteristics);
    patch_points(characteristics | making, characteristics);
}

void log_points_look_again(void)
{
    change_fast_path(switched_on, switched_on, true);
}

void log_points_set(u32 characteristics)
{
    u32 were = switched_on, changed = characteristics ^ were;

    if (changed == 0)
        return;
    log_begin(characteristics & changed);
    if (changed & (LOG_BIT(LOG_OF_CALLS) | LOG_BIT(LOG_OF_SERVICE))) {
        change_fast_path(were, characteristics,
                         (characteristics & changed & LOG_BIT(LOG_OF_CALLS)) != 0);
        return;
    }
    // A thread that has passed a point, and goes on later, looks here once more.
    __atomic_store_n(&switched_on, characteristics, __ATOMIC_RELEASE);
    patch_points(were, characteristics);
}
