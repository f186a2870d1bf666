// SPDX-License-Identifier: MIT
// How many events samples stand for, and how far off that is by chance. Where events take turns the
// samples are those of some turns: what they stand for is scaled to all of the time, and the error
// grows by how different the turns were.
#ifndef KOV_SAMPLE_SUM_H
#define KOV_SAMPLE_SUM_H

#include <orrery/types.h>
#include <stdbool.h>

struct sample;
struct count;

// Of one event, on any CPUs.
struct sample_sum {
    u64 samples;
    u64 events;    // that they stand for
    double square; // sum of the squares of what each stands for, for samples_error
    // Until it is scaled: the same of what each turn's together stand for, but for the latest of
    // each CPU, which may get more.
    double turn_squares;
    struct {
        u32 turn;
        double events;
    } latest[ORRERY_MAX_CPUS];
};

// How much of the time an event was sampled.
struct sample_share {
    u64 measured, total; // instructions while it was, and in all; total 0: all of the time
    u64 turns;           // in which it was
};

// Samples of a CPU come in the order of time.
void sample_sum_add(struct sample_sum *sum, const struct sample *sample);
void sample_sum_join(struct sample_sum *sum, const struct sample_sum *other);
// Each sample stands for `factor` times as much.
void sample_sum_weigh(struct sample_sum *sum, double factor);
// From samples to all of the time; nothing is added any more.
void sample_sum_scale(struct sample_sum *sum, const struct sample_share *share);

void sample_share_add(struct sample_share *share, const struct sample_share *other);
// 0…1; 1 where nothing is known.
double sample_share_part(const struct sample_share *share);

// Half of the interval around an estimate of events that holds their number in 99 of 100 cases, as
// far as chance goes, from a sum's square. In events.
double samples_error(double square);
// A scaled sum in place of a count; its error is not known without samples.
struct count sample_sum_count(const struct sample_sum *sum);

#endif
