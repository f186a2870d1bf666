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

// Returns the largest part that could leave no sample by chance as the error.
struct estimate share_of_none(double all, double square)
{
    if (all <= 0)
        return (struct estimate){0, INFINITY};
    return (struct estimate){0, 100 * (1 - pow(CHANCE, square / (all * all)))};
}

// Takes the number of samples as given, and how they divide as chance. The distribution is
// binomial, with as many samples of equal weight as would have the same error.
struct estimate share_of(double events, double all, double square)
{
    if (all <= 0)
        return (struct estimate){0, INFINITY};
    double part = events / all, samples = all * all / square;
    if (events >= all) // few samples do not tell that nothing else happens
        return (struct estimate){100, share_of_none(all, square).error};
    return (struct estimate){100 * part, 100 * QUANTILE_99 * sqrt(part * (1 - part) / samples)};
}

void share_base_add(struct share_base *base, bool idle, double events, double square)
{
    *(idle ? &base->idle : &base->busy) += events;
    *(idle ? &base->idle_square : &base->busy_square) += square;
}

struct estimate share_base_share(const struct share_base *base, bool idle, double events,
                                 bool sampled)
{
    double all = base->busy + (idle ? base->idle : 0);
    double square = base->busy_square + (idle ? base->idle_square : 0);
    return sampled ? share_of(events, all, square) : share_of_none(all, square);
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

// ---- exact comparison --------------------------------------------------------------------------

// Wilson's interval of `hits` of `samples` ends so far below and above the part.
static void wilson_ends(const struct share_sample *of, double *below, double *above)
{
    double z = QUANTILE_99, n = of->samples, part = of->hits / n;
    double middle = (part + z * z / (2 * n)) / (1 + z * z / n);
    double half = z * sqrt(part * (1 - part) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    *below = part - (middle - half);
    *above = middle + half - part;
}

struct estimate share_change(const struct share_sample *before, const struct share_sample *after)
{
    double below[2], above[2];
    if (!(before->samples >= 1 && after->samples >= 1))
        return (struct estimate){0, INFINITY};
    wilson_ends(before, &below[0], &above[0]);
    wilson_ends(after, &below[1], &above[1]);
    double value = after->hits / after->samples - before->hits / before->samples;
    double error = fmax(hypot(below[1], above[0]), hypot(above[1], below[0]));
    return (struct estimate){100 * value, 100 * error};
}

static double log_choose(double of, double chosen)
{
    return lgamma(of + 1) - lgamma(chosen + 1) - lgamma(of - chosen + 1);
}

// Returns the probability that `after` has its hits or more of them, where only chance divides all
// hits between the two (hypergeometric). Terms fall from the first on, or it is no small tail.
static double upper_tail(const struct share_sample *before, const struct share_sample *after)
{
    double hits = before->hits + after->hits, all = before->samples + after->samples;
    double most = fmin(hits, after->samples), sum = 0;
    double term = exp(log_choose(after->samples, after->hits) +
                      log_choose(before->samples, before->hits) - log_choose(all, hits));
    for (double k = after->hits; k <= most && term > 0; k++) {
        sum += term;
        if (sum > 0.5 || term < 1e-9 * sum)
            break;
        term *= (hits - k) / (k + 1) * (after->samples - k) / (before->samples - hits + k + 1);
    }
    return fmin(sum, 1);
}

double share_chance(const struct share_sample *before, const struct share_sample *after)
{
    if (!(before->samples >= 1 && after->samples >= 1))
        return 1;
    bool more = after->hits * before->samples > before->hits * after->samples;
    return fmin(1, 2 * (more ? upper_tail(before, after) : upper_tail(after, before)));
}

// Returns the probability of `least` or more of `hits`, each with the same probability. Terms fall
// from the first on, or it is no small tail.
static double binomial_tail(double least, double hits, double probability)
{
    double sum = 0, odds = probability / (1 - probability);
    double term = exp(log_choose(hits, least) + least * log(probability) +
                      (hits - least) * log1p(-probability));
    for (double k = least; k <= hits && term > 0; k++) {
        sum += term;
        if (sum > 0.5 || term < 1e-9 * sum)
            break;
        term *= (hits - k) / (k + 1) * odds;
    }
    return fmin(sum, 1);
}

double rate_chance(const struct rate_sample *before, const struct rate_sample *after)
{
    double hits = before->hits + after->hits, part = after->time / (before->time + after->time);
    if (!(before->time > 0 && after->time > 0 && part > 0 && part < 1 && hits >= 1))
        return 1;
    bool more = after->hits > hits * part;
    return fmin(1, 2 * (more ? binomial_tail(after->hits, hits, part)
                             : binomial_tail(before->hits, hits, 1 - part)));
}

bool estimate_is_chance(struct estimate change)
{
    return !(fabs(change.value) > change.error);
}
