// SPDX-License-Identifier: MIT
// Means and ratios of repeated intervals, with their standard errors.
#include "analyses/trace_repeats.h"

#include <math.h>

#define NORMAL_99 2.5758293 // of the normal distribution, two-sided

// Returns the same of Student's distribution, from four degrees of freedom on: Abramowitz and
// Stegun, 26.7.5.
static double student_99(double freedom)
{
    const double z = NORMAL_99, square = z * z;
    double terms[] = {
        z * (square + 1) / 4,
        z * (5 * pow(square, 2) + 16 * square + 3) / 96,
        z * (3 * pow(square, 3) + 19 * pow(square, 2) + 17 * square - 15) / 384,
        z *
            (79 * pow(square, 4) + 776 * pow(square, 3) + 1482 * pow(square, 2) - 1920 * square -
             945) /
            92160,
    };
    double quantile = z;
    for (u32 i = 0; i < sizeof(terms) / sizeof(terms[0]); i++)
        quantile += terms[i] / pow(freedom, i + 1);
    return quantile;
}

// Returns the error of a mean. `squares` is the sum of the squared deviations.
static double error_of_mean(double squares, u32 count)
{
    return student_99(count - 1) * sqrt(squares / (count - 1) / count);
}

struct estimate repeats_mean(const u64 *values, u32 count, double scale)
{
    double sum = 0, squares = 0;
    for (u32 i = 0; i < count; i++)
        sum += (double)values[i];
    for (u32 i = 0; i < count; i++)
        squares += pow((double)values[i] - sum / count, 2);
    return (struct estimate){scale * sum / count, scale * error_of_mean(squares, count)};
}

// The deviations are those of `above` from what one would expect from `below` (Cochran, Sampling
// Techniques, chapter 6). Intervals with nothing below say nothing.
struct estimate repeats_ratio(const u64 *above, const u64 *below, u32 count, double scale)
{
    double over = 0, under = 0, squares = 0;
    u32 told = 0;
    for (u32 i = 0; i < count; i++) {
        over += (double)above[i];
        under += (double)below[i];
        told += below[i] != 0;
    }
    if (under == 0)
        return (struct estimate){NAN, INFINITY};
    if (told < REPEATS_MIN)
        return (struct estimate){scale * over / under, INFINITY};
    for (u32 i = 0; i < count; i++)
        squares += pow((double)above[i] - over / under * (double)below[i], 2);
    return (struct estimate){scale * over / under,
                             scale * error_of_mean(squares, told) * told / under};
}
