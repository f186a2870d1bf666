// SPDX-License-Identifier: MIT
// Parts of all that samples stand for, and how far off they are by chance.
#include "samples/share.h"

#include <math.h>

#define QUANTILE_99 2.576 // of the normal distribution, two-sided
#define CHANCE 0.005      // that a side of the interval leaves out

double overflows_a_sample(const struct overflow_counts *counts)
{
    u64 all =
        counts->overflows != 0 ? counts->overflows : counts->taken + counts->lost + counts->missed;
    return counts->taken == 0 || all < counts->taken ? 1 : (double)all / (double)counts->taken;
}

// Takes the number of samples as given, and how they divide as chance. The distribution is
// binomial, with as many samples of equal weight as would have the same error.
struct estimate share_of(double events, double all, double square)
{
    if (all <= 0)
        return (struct estimate){0, INFINITY};
    double part = events / all, samples = all * all / square;
    return (struct estimate){100 * part, 100 * QUANTILE_99 * sqrt(part * (1 - part) / samples)};
}

// Returns the largest part that could leave no sample by chance as the error.
struct estimate share_of_none(double all, double square)
{
    if (all <= 0)
        return (struct estimate){0, INFINITY};
    return (struct estimate){0, 100 * (1 - pow(CHANCE, square / (all * all)))};
}

struct estimate estimate_ratio(struct estimate above, struct estimate below, double scale)
{
    if (below.value <= 0)
        return (struct estimate){0, INFINITY};
    double value = scale * above.value / below.value;
    double error = hypot(scale * above.error, value * below.error) / below.value;
    return (struct estimate){value, error};
}

struct estimate estimate_change(struct estimate before, struct estimate after)
{
    return (struct estimate){after.value - before.value, hypot(before.error, after.error)};
}

bool estimate_is_chance(struct estimate change)
{
    return !(fabs(change.value) > change.error);
}
