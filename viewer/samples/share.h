// SPDX-License-Identifier: MIT
// Parts of all that samples stand for, and how far off they are by chance. `kov locks` and rankings
// both use it, so they tell the same numbers of the same samples.
#ifndef KOV_SHARE_H
#define KOV_SHARE_H

#include <orrery/types.h>

// The error is half the width of a 99 % interval. INFINITY: not known.
struct estimate {
    double value, error;
};

// What a CPU counted about the samples of an event.
struct overflow_counts {
    u64 taken, lost, missed;
    u64 overflows; // counted by the unit; 0: it did not count them
};

// Returns how many overflows stand behind each sample, at least 1. It assumes that overflows
// without a sample, lost or merged with others, are spread like those with one.
double overflows_a_sample(const struct overflow_counts *counts);

// Returns the percentage that `events` are of `all`. `square` is the sum, over all samples, of the
// squares of what each sample stands for.
struct estimate share_of(double events, double all, double square);
// Returns the same if no sample is of these events. The error is not 0, since few samples say
// little.
struct estimate share_of_none(double all, double square);
// What shares are of: all that was not in the idle loop. How much the idle loop had is a part of
// all the time.
struct share_base {
    double busy, idle;               // events
    double busy_square, idle_square; // as for share_of
};
void share_base_add(struct share_base *base, bool idle, double events, double square);
// Returns a part's percentage. `sampled`: a sample is of these events.
struct estimate share_base_share(const struct share_base *base, bool idle, double events,
                                 bool sampled);
// Returns scale * above / below. Takes their errors as independent of each other.
struct estimate estimate_ratio(struct estimate above, struct estimate below, double scale);
// Returns after - before. Their errors must be independent of each other.
struct estimate estimate_change(struct estimate before, struct estimate after);
// So many of samples of equal weight hit something; both are whole numbers.
struct share_sample {
    double hits, samples;
};
#define SHARE_CHANCE 0.01 // a change that is less probable than this is none of chance
// Returns the change of a share in percent; the error is the longer side of Newcombe's interval.
// INFINITY: one of both has no samples.
struct estimate share_change(const struct share_sample *before, const struct share_sample *after);
// Returns how probable a difference of two shares is, if both are one: twice the smaller side of
// Fisher's exact test, at most 1.
double share_chance(const struct share_sample *before, const struct share_sample *after);
// So many samples of equal weight hit something, a whole number, in a time in which so many would
// for each event a second.
struct rate_sample {
    double hits, time;
};
// Returns how probable a difference of two rates is, if both are one: the hits of both together
// then divide by time alone, so it is twice the smaller side of the binomial distribution, at most
// 1. Of hits that scatter less than by chance, as overflows of a steady period, it tells too much.
double rate_chance(const struct rate_sample *before, const struct rate_sample *after);
// Returns whether a change is no more than chance makes. True if its error is not known.
bool estimate_is_chance(struct estimate change);

#endif
