// SPDX-License-Identifier: MIT
// What the logs want.
#include "points.h"

#include <kernel/points.h>

#include "areas.h"
#include "fast.h"

struct observer log_observer;
static u32 switched_on; // characteristics
static u32 sides;       // of calls and answers that are looked at: bits of their events

bool log_is_on(u32 characteristic)
{
    return __atomic_load_n(&switched_on, __ATOMIC_RELAXED) >> characteristic & 1;
}

bool log_has_selector(u32 event)
{
    return event < LOG_CALL_SENT || event > LOG_ANSWER_TAKEN ||
           (__atomic_load_n(&sides, __ATOMIC_RELAXED) & 1u << event) != 0;
}

// Returns what log_observer wants for these characteristics.
static u64 wants(u32 characteristics)
{
    u32 looked_at = characteristics & LOG_BIT(LOG_OF_CALLS) ? sides : 0;
    u64 bits = characteristics;

    if ((looked_at & (LOG_BIT(LOG_CALL_SENT) | LOG_BIT(LOG_CALL_TAKEN))) != 0)
        bits |= LOG_CALLS;
    if ((looked_at & (LOG_BIT(LOG_ANSWER_SENT) | LOG_BIT(LOG_ANSWER_TAKEN))) != 0)
        bits |= LOG_ANSWERS;
    return bits;
}

// Changes what the fast path tells. Calls take the slow path meanwhile, as it has no handler for
// LOG_MAKING: they are told of on both paths or on none.
static void change_fast_path(u32 were, u32 characteristics, bool look)
{
    observer_wants(&log_observer, wants(were) | LOG_MAKING);
    __atomic_store_n(&switched_on, characteristics, __ATOMIC_RELEASE);
    if (look)
        __atomic_store_n(&sides, log_fast_prepare(), __ATOMIC_RELAXED);
    observer_wants(&log_observer, wants(characteristics));
}

void log_points_refresh(void)
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
    observer_wants(&log_observer, wants(characteristics));
}
