// SPDX-License-Identifier: MIT
// Scaled counts and their errors. Relative variances lie between 0 and 4. They are computed with 90
// binary places from exact sums, so that the difference of nearly equal squares is exact enough.
#include "estimate.h"

#define PLACES 90 // even: a root has half as many
#define FRACTION_PLACES 32

// Student's t, two-sided 99 %, in 1/256 rounded up, from this many degrees of freedom on.
static const struct {
    u16 freedom, quantile;
} quantiles[] = {
    {1, 16297}, {2, 2541}, {3, 1496}, {4, 1179}, {5, 1033}, {6, 950},  {7, 896},   {8, 859},
    {9, 832},   {10, 812}, {11, 796}, {12, 782}, {13, 772}, {14, 763}, {15, 755},  {16, 748},
    {18, 737},  {20, 729}, {25, 714}, {30, 704}, {40, 693}, {60, 682}, {120, 671},
};
#define STUDENT_PLACES 8
#define RARE 5

// Returns dividend × 2^places / divisor, rounded down. The divisor is below 2^127, and the quotient
// fits.
static pmu_wide divide(pmu_wide dividend, pmu_wide divisor, u32 places)
{
    pmu_wide quotient = 0;
    pmu_wide rest = 0;
    for (u32 bit = 0; bit < 128 + places; bit++) {
        rest = rest << 1 | dividend >> 127;
        dividend <<= 1;
        quotient <<= 1;
        if (rest >= divisor) {
            rest -= divisor;
            quotient |= 1;
        }
    }
    return quotient;
}

static u64 root(pmu_wide square)
{
    u64 found = 0;
    for (u32 bit = 64; bit-- != 0;) {
        u64 larger = found | 1UL << bit;
        if ((pmu_wide)larger * larger <= square)
            found = larger;
    }
    return found;
}

static u64 saturate(pmu_wide value)
{
    return value >> 64 != 0 ? ~0UL : (u64)value;
}

static u64 student(u64 freedom)
{
    u32 i = 0;
    while (i + 1 < ARRAY_SIZE(quantiles) && quantiles[i + 1].freedom <= freedom)
        i++;
    return quantiles[i].quantile;
}

// Returns u n/(n-1) sum (c_j/c - t_j/t)², at most 4, rounded up. The sum is computed from three
// products, each at most 1.
static pmu_wide relative_variance(const struct pmu_sums *sums, u64 all_time)
{
    if (sums->count == 0)
        return 0;
    pmu_wide counts = (pmu_wide)sums->count * sums->count;
    pmu_wide times = (pmu_wide)sums->time * sums->time;
    pmu_wide both = (pmu_wide)sums->count * sums->time;
    pmu_wide squares =
        divide(sums->count_squares, counts, PLACES) + divide(sums->time_squares, times, PLACES) + 2;
    pmu_wide twice = 2 * divide(sums->products, both, PLACES);
    pmu_wide spread = squares > twice ? squares - twice : 0;
    u64 unmeasured = all_time - sums->time;
    pmu_wide left =
        divide(unmeasured, unmeasured > sums->time ? unmeasured : sums->time, FRACTION_PLACES) + 1;
    spread += divide(spread, sums->slices - 1, 0) + 1;
    return ((spread * left) >> FRACTION_PLACES) + 1;
}

static u64 error_of(const struct pmu_sums *sums, u64 all_time, u64 scaled)
{
    pmu_wide deviation = (pmu_wide)root(relative_variance(sums, all_time)) + 1;
    pmu_wide spread =
        ((deviation * student(sums->slices - 1)) * scaled) >> (PLACES / 2 + STUDENT_PLACES);
    pmu_wide rare = divide((pmu_wide)RARE * (all_time - sums->time), sums->time, 0);
    return saturate(spread + 1 + rare + 1);
}

void pmu_multiplex_read(const struct pmu_multiplex *multiplex, u32 item,
                        struct pmu_estimate *estimate)
{
    const struct pmu_sums *sums = &multiplex->item[item];
    *estimate = (struct pmu_estimate){
        .count = sums->count,
        .error = PMU_ERROR_UNKNOWN,
        .measured = sums->time,
        .time = multiplex->time,
    };
    if (sums->slices == 0)
        return;
    if (sums->time == multiplex->time) {
        estimate->error = 0;
        return;
    }
    if (sums->time == 0)
        return;
    pmu_wide scaled = (pmu_wide)sums->count * multiplex->time + sums->time / 2;
    estimate->count = saturate(divide(scaled, sums->time, 0));
    if (sums->slices >= 2 && estimate->count != ~0UL)
        estimate->error = error_of(sums, multiplex->time, estimate->count);
}
