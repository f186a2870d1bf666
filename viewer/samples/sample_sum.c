// SPDX-License-Identifier: MIT
// Sums of samples. There are n turns; the samples of turn j stand for w_j events, those of all
// turns for w. The error has two parts. One is the sum of the squares of single samples, since
// whole turns were drawn by lot. The other is that of the machine's own estimates
// (pmu/multiplex.h): u n/(n-1) sum (w_j - w/n)², where u = min(1, (1 - f)/f) and f is the part of
// the time that was sampled. The second part contains the first once more, which is on the safe
// side.
#include "samples/sample_sum.h"
#include "counts/counts.h"
#include "samples/samples.h"

#include <math.h>

#define QUANTILE_99 2.576 // of the normal distribution, two-sided

void sample_sum_add_to_turn(struct sample_sum *sum, u32 cpu, u32 turn, double events)
{
    cpu %= ORRERY_MAX_CPUS;
    if (turn != sum->latest[cpu].turn) {
        sum->turn_squares += sum->latest[cpu].events * sum->latest[cpu].events;
        sum->latest[cpu].turn = turn;
        sum->latest[cpu].events = 0;
    }
    sum->latest[cpu].events += events;
}

void sample_sum_add(struct sample_sum *sum, const struct sample *sample)
{
    double weight = (double)sample->weight;
    sample_sum_add_to_turn(sum, sample->cpu, SYS_SAMPLE_TURN_OF(sample->flags), weight);
    sum->samples++;
    sum->events += sample->weight;
    sum->square += weight * weight;
}

static double all_turn_squares(const struct sample_sum *sum)
{
    double squares = sum->turn_squares;
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        squares += sum->latest[cpu].events * sum->latest[cpu].events;
    return squares;
}

void sample_sum_join(struct sample_sum *sum, const struct sample_sum *other)
{
    sum->samples += other->samples;
    sum->events += other->events;
    sum->square += other->square;
    sum->turn_squares += all_turn_squares(other);
}

void sample_sum_weigh(struct sample_sum *sum, double factor)
{
    sum->events = (u64)llround((double)sum->events * factor);
    sum->square *= factor * factor;
    sum->turn_squares *= factor * factor;
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        sum->latest[cpu].events *= factor;
}

static double between_turns(const struct sample_sum *sum, const struct sample_share *share)
{
    double part = sample_share_part(share), turns = (double)share->turns;
    double events = (double)sum->events, squares = all_turn_squares(sum);
    double spread = squares; // of one turn no more is known
    if (share->turns >= 2)
        spread = fmax(0, squares - events * events / turns) * turns / (turns - 1);
    return spread * fmin(1, (1 - part) / part);
}

void sample_sum_scale(struct sample_sum *sum, const struct sample_share *share)
{
    double part = sample_share_part(share);
    if (part == 1)
        return;
    sum->square = (sum->square + between_turns(sum, share)) / (part * part);
    sum->events = (u64)llround((double)sum->events / part);
}

void sample_share_add(struct sample_share *share, const struct sample_share *other)
{
    share->measured += other->measured;
    share->total += other->total;
    share->turns += other->turns;
}

double sample_share_part(const struct sample_share *share)
{
    if (share->measured == 0 || share->measured >= share->total)
        return 1;
    return (double)share->measured / (double)share->total;
}

double samples_error(double square)
{
    return QUANTILE_99 * sqrt(square);
}

struct count sample_sum_count(const struct sample_sum *sum)
{
    return (struct count){
        .count = sum->events,
        .measured = 1,
        .total = 1,
        .error = sum->samples == 0 ? COUNT_ERROR_UNKNOWN : (u64)ceil(samples_error(sum->square)),
    };
}
