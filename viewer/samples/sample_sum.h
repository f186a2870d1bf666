// SPDX-License-Identifier: MIT
// How many events samples stand for, and how far off that is by chance. If events take turns, the
// samples are those of some turns. What they stand for is then scaled to all of the time, and the
// error grows by how different the turns were.
#ifndef KOV_SAMPLE_SUM_H
#define KOV_SAMPLE_SUM_H

#include <orrery/types.h>
#include <stdbool.h>

struct sample;
struct count;

// Of one event, on one or more CPUs.
struct sample_sum {
    u64 samples;
    u64 events;    // that they stand for
    double square; // sum of the squares of what each sample stands for, for samples_error
    // The sum of the squares of what the samples of each turn stand for together. Until the sum is
    // scaled, the latest turn of each CPU is not in it, since it may get more.
    double turn_squares;
    struct {
        u32 turn;
        double events;
    } latest[ORRERY_MAX_CPUS];
};

// How much of the time an event was sampled.
struct sample_share {
    u64 measured, total; // instructions while it was sampled, and in all; total 0: all of the time
    u64 turns;           // number of turns in which it was sampled
};

// Adds a sample. The samples of a CPU come in the order of time.
void sample_sum_add(struct sample_sum *sum, const struct sample *sample);
// Adds what samples of a turn stand for to its turn alone: the caller adds it to the rest of the
// sum.
void sample_sum_add_to_turn(struct sample_sum *sum, u32 cpu, u32 turn, double events);
void sample_sum_join(struct sample_sum *sum, const struct sample_sum *other);
// Makes each sample stand for `factor` times as much.
void sample_sum_weigh(struct sample_sum *sum, double factor);
// Scales from samples to all of the time. Nothing may be added after that.
void sample_sum_scale(struct sample_sum *sum, const struct sample_share *share);

void sample_share_add(struct sample_share *share, const struct sample_share *other);
// Returns 0…1; 1 if nothing is known.
double sample_share_part(const struct sample_share *share);

// Returns half the width of a 99 % interval around an estimated number of events, from a sum's
// square. It takes account of chance only.
double samples_error(double square);
// Returns a scaled sum as a count. Without samples its error is not known.
struct count sample_sum_count(const struct sample_sum *sum);

#endif
