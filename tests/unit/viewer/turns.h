// SPDX-License-Identifier: MIT
// A counter that groups of events have in turns, as the machine counts it, with what really
// happened. Include "unit.h" before it.
#ifndef TURNS_H
#define TURNS_H

#include "counts/counts.h"

#include <estimate.h>
#include <math.h>
#include <string.h>

#define GROUPS 5

struct sums {
    _Alignas(16) u8 bytes[PMU_MULTIPLEX_BYTES(1)];
};

static inline struct pmu_multiplex *multiplex(struct sums *sums)
{
    return (struct pmu_multiplex *)sums->bytes;
}

// As the machine tells it.
static inline struct count read_sums(struct sums *sums)
{
    const struct pmu_sums *item = &multiplex(sums)->item[0];
    struct count count = {.measured = item->time,
                          .total = multiplex(sums)->time,
                          .slices = item->slices,
                          .sums = {.time_squares = item->time_squares,
                                   .count_squares = item->count_squares,
                                   .products = item->products,
                                   .counted = item->count}};
    count_scale(&count);
    return count;
}

// How the events of a slice are distributed.
enum rates { ALIKE, FLAT, FLAT_FROM_NONE, NORMAL, MOSTLY_SMALL, EXPONENTIAL, RATES };

static inline double uniform(u64 *random)
{
    return ((double)(unit_random(random) >> 11) + 0.5) * 0x1p-53;
}

static inline u64 events_of(u64 time, enum rates rates, u64 *random)
{
    double one = uniform(random), two = uniform(random);
    const double factor[RATES] = {
        [ALIKE] = 1,
        [FLAT] = 1 + one,
        [FLAT_FROM_NONE] = 8 * one,
        [NORMAL] = fmax(0, 1 + 0.2 * sqrt(-2 * log(one)) * cos(2 * M_PI * two)),
        [MOSTLY_SMALL] = 1 + 3 * one * one,
        [EXPONENTIAL] = -log(one),
    };
    return (u64)((double)time / 10 * factor[rates]);
}

// Rounds of one slice a group, in an order drawn by lot; our item is in group 0. fresh: counts the
// same; or NULL. Returns what really happened.
static inline u64 run_rounds(struct sums *all, struct sums *fresh, u32 rounds, enum rates rates,
                             u64 *random)
{
    struct pmu_group counted = {0}, other;
    u64 truth = 0, counts[PMU_COUNTERS] = {0};
    memset(counted.item, PMU_NO_ITEM, sizeof(counted.item));
    other = counted;
    counted.item[3] = 0;
    for (u32 round = 0; round < rounds; round++) {
        u32 turn = (u32)(unit_random(random) % GROUPS);
        for (u32 slice = 0; slice < GROUPS; slice++) {
            u64 time = 10000 + unit_random(random) % 5000;
            const struct pmu_group *group = slice == turn ? &counted : &other;
            counts[3] = events_of(time, rates, random);
            truth += counts[3];
            assert_int_equal(pmu_multiplex_slice(multiplex(all), group, time, counts), 0);
            if (fresh != NULL)
                assert_int_equal(pmu_multiplex_slice(multiplex(fresh), group, time, counts), 0);
        }
    }
    return truth;
}

#endif
