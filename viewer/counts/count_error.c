// SPDX-License-Identifier: MIT
// Computes how far off a scaled count may be, from the sums over the slices in which it was counted
// (pmu/multiplex.h has the formula and its limits):
//
//     E = C q sqrt(u n/(n-1) sum (c_j/c - t_j/t)²) + 5 (1 - f)/f,   f = t/T,  u = min(1, (1 - f)/f)
//
// Sums of an interval are the differences of two readings' sums, exactly. So an interval's error is
// what the machine would have had of a session that began with it.
//
// q is Student's t, 99 %, widened by 1 + 5 n^-0.8. Student's t alone is right for rates that are
// distributed normally. With ten slices or fewer it holds only 98 of 100 flat ones and 96 of 100
// that are mostly small: with one or the other, few slices may all be alike by chance. The factor
// was fitted to simulations, in which normal, flat, exponential and mostly small rates are then
// held in 99 of 100 cases for any number of slices (tests/unit/viewer/count_error.c repeats them).
#include "counts/count_error.h"

#include <float.h>
#include <math.h>

#define RARE 5
// Of the sum, which is the small difference of terms as large as 1: it is rounded up by that.
#define ROUNDING (8 * LDBL_EPSILON)

// Returns Student's t, two-sided 99 %, for at least so many degrees of freedom.
static long double student(u64 freedom)
{
    static const struct {
        u32 freedom, quantile; // in 1/256, rounded up
    } steps[] = {
        {1, 16297}, {2, 2541}, {3, 1496}, {4, 1179}, {5, 1033}, {6, 950},  {7, 896},   {8, 859},
        {9, 832},   {10, 812}, {11, 796}, {12, 782}, {13, 772}, {14, 763}, {15, 755},  {16, 748},
        {18, 737},  {20, 729}, {25, 714}, {30, 704}, {40, 693}, {60, 682}, {120, 671},
    };
    size_t i = 0;
    while (i + 1 < ARRAY_SIZE(steps) && steps[i + 1].freedom <= freedom)
        i++;
    return steps[i].quantile / 256.0L;
}

static long double quantile(u64 slices)
{
    return student(slices - 1) * (1 + 5 * powl((long double)slices, -0.8L));
}

// Returns sum (c_j/c - t_j/t)².
static long double unevenness(const struct count *count)
{
    const struct count_sums *sums = &count->sums;
    long double times = (long double)count->measured, counts = (long double)sums->counted;
    if (sums->counted == 0)
        return 0;
    long double squares = (long double)sums->count_squares / counts / counts +
                          (long double)sums->time_squares / times / times;
    long double twice = 2 * (long double)sums->products / counts / times;
    return fmaxl(0, squares - twice) + squares * ROUNDING;
}

u64 count_error(const struct count *count)
{
    if (count->measured > 0 && count->measured == count->total)
        return 0;
    if (count->slices < 2 || count->measured == 0 || count->measured > count->total)
        return COUNT_ERROR_UNKNOWN;
    long double slices = (long double)count->slices;
    long double missing =
        (long double)(count->total - count->measured) / (long double)count->measured; // (1 - f)/f
    long double variance = fminl(1, missing) * slices / (slices - 1) * unevenness(count);
    long double error =
        ceill((long double)count->count * quantile(count->slices) * sqrtl(variance) +
              RARE * missing) +
        1;
    return error < 0x1p63L ? (u64)error : COUNT_ERROR_UNKNOWN;
}
