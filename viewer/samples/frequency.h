// SPDX-License-Identifier: MIT
// Keeps events at a number of samples a second, as `--frequency` asks, by choosing and correcting
// their thresholds. A threshold is one for all CPUs: the CPU on which the event comes most often
// has that many samples, the others have fewer.
#ifndef KOV_FREQUENCY_H
#define KOV_FREQUENCY_H

#include "output/document.h"
#include "samples/sampling.h"

struct frequency_event {
    u64 asked;             // the last period that we asked for
    u64 received;          // samples, at the last correction
    double hertz, lowest;  // samples a second that are meant now, and the fewest so far: fewer than
                           // the request's if the machine does not keep up
    u64 overflows, unseen; // since the last verdict: with and without a sample, and those without
    u32 clean;             // verdicts since too many were without
    bool flooded;          // at the last correction
    double rate;           // a second until the last correction, on the busiest CPU; -1: not known
};

struct frequency_counts {
    u64 overflows, taken, measured, total;
};

struct frequency {
    const struct sampling_request *request;
    bool begun;
    u32 corrections;
    double last; // by clock_now(): the last correction
    u64 since;   // time base of it
    struct frequency_event events[SAMPLED_EVENTS_MAX];
    struct frequency_counts before[ORRERY_MAX_CPUS][SAMPLED_EVENTS_MAX]; // at the last correction
};

// The least threshold of an event is so small a part of threshold_default.
#define FREQUENCY_LEAST_PART 1000
u64 frequency_least(const struct sampling_request *request, u32 index);
double frequency_seconds(u64 ticks);

// Returns the threshold after `overflows` of `period` in `seconds` on one CPU. It is `period` if
// the rate is near enough. A threshold that was much too large comes down in steps, because the few
// overflows say little. It is at least `minimum` and at most SYS_PERIOD_MAX.
u64 frequency_next(u64 period, u64 overflows, double seconds, double hertz, u64 minimum);

// Counts the events that are kept at the request's frequency for 200 ms, and sets their thresholds.
// Those that cannot be counted now, or come with a workload that does not run yet, begin with a
// guess from threshold_default. Returns an exit code.
int frequency_choose(const struct event_list *list, struct sampling_request *request);

// Begins with the session that samples_begin has begun.
void frequency_begin(struct frequency *frequency, const struct sampling_request *request);
// Corrects the thresholds if it is time, or if far too many samples have come. To be called some
// ten times a second from when the workload has begun. An event of which samples are lost or missed
// gets a lower rate until hardly any are. Returns an exit code.
int frequency_attend(struct frequency *frequency, struct sample_set *set);

// Returns whether, until the last correction, the event came less than half as often as was meant,
// though its threshold was the least. Or prints a line that says so.
bool frequency_is_rare_now(const struct frequency *frequency, const struct sample_set *set,
                           u32 index);
void frequency_print_rare_now(const struct frequency *frequency, const struct sample_set *set,
                              u32 index);
// Print a line for each event that was so rare in the whole session, and for each that had a lower
// rate because samples were lost or missed; or put them into arrays "too_rare" and "lowered".
void frequency_print(const struct frequency *frequency, const struct sample_set *set);
void frequency_put(json_t *json, const struct frequency *frequency, const struct sample_set *set);

#endif
