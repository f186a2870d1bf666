// SPDX-License-Identifier: MIT
// Computes how far off the count of an interval may be. The machine's error of a whole session
// (pmu/multiplex.h) is
//
//     E = T/t q sqrt(u n/(n-1) R) + 5 (1 - f)/f,
//     R = sum (c_j - t_j c/t)²,   f = t/T,   u = min(1, (1 - f)/f)
//
// over its n slices. R follows from E. R is the least that such a sum over these slices can be,
// whatever replaces c/t (exactly if all slices take the same time). So a session's R is at least
// that of its beginning plus that of the interval after it. The difference of two readings' R is
// therefore a bound of the interval's own R, and E with that bound is the interval's error.
#include "counts/count_error.h"

#include <math.h>

#define RARE 5
#define ROUNDINGS 1  // of the counts of both readings together
#define ROUNDED_UP 3 // the machine's E is at most so much larger than the formula's

// Returns Student's t, two-sided 99 %, for at least so many degrees of freedom. The steps are the
// machine's, so that R is the one that the machine had.
static double student(u64 freedom)
{
    static const struct {
        u32 freedom, quantile; // in 1/256
    } steps[] = {
        {1, 16297}, {2, 2541}, {3, 1496}, {4, 1179}, {5, 1033}, {6, 950},  {7, 896},   {8, 859},
        {9, 832},   {10, 812}, {11, 796}, {12, 782}, {13, 772}, {14, 763}, {15, 755},  {16, 748},
        {18, 737},  {20, 729}, {25, 714}, {30, 704}, {40, 693}, {60, 682}, {120, 671},
    };
    size_t i = 0;
    while (i + 1 < ARRAY_SIZE(steps) && steps[i + 1].freedom <= freedom)
        i++;
    return steps[i].quantile / 256.0;
}

static double fraction(const struct count *count)
{
    return (double)count->measured / (double)count->total;
}

// Returns the factor by which the deviation shrinks, because slices are drawn from rounds.
static double left(double part)
{
    return fmin(1, (1 - part) / part);
}

static double rare(double part)
{
    return RARE * (1 - part) / part;
}

// Returns R of a reading, from its error and the part of the error that is rounding.
static double squares(const struct count *count, double rounding)
{
    double part = fraction(count), slices = (double)count->slices;
    double spread = fmax(0, (double)count->error - rare(part) - rounding);
    double deviation = spread * part / student(count->slices - 1);
    return deviation * deviation * (slices - 1) / slices / left(part);
}

static bool has_squares(const struct count *count)
{
    return count->slices >= 2 && count->measured > 0 && count->measured < count->total &&
           count->error != COUNT_ERROR_UNKNOWN;
}

u64 count_error_between(const struct count *before, const struct count *after,
                        const struct count *between)
{
    u64 new = after->slices > before->slices ? after->slices - before->slices : 0;
    if (between->measured > 0 && between->measured == between->total)
        return ROUNDINGS;
    if (new < 2 || !has_squares(after) || between->measured == 0 ||
        between->measured > between->total)
        return COUNT_ERROR_UNKNOWN;
    double known = has_squares(before) ? squares(before, ROUNDED_UP) : 0;
    double bound = fmax(0, squares(after, 0) - known), slices = (double)new;
    double part = fraction(between);
    double spread = student(new - 1) * sqrt(left(part) * slices / (slices - 1) * bound);
    double error = ceil((spread + ROUNDINGS) / part + rare(part));
    return error < 0x1p63 ? (u64)error : COUNT_ERROR_UNKNOWN;
}
