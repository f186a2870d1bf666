// SPDX-License-Identifier: MIT
// Parts of all that samples stand for, and how far off they are by chance: one place for `kov
// locks` and for rankings, so that both tell the same numbers of the same samples.
#ifndef KOV_SHARE_H
#define KOV_SHARE_H

#include <orrery/types.h>

// The error is the half width of a 99 % interval; INFINITY: not known.
struct estimate {
    double value, error;
};

// What a CPU counted about the samples of an event.
struct overflow_counts {
    u64 taken, lost, missed;
    u64 overflows; // as the unit counted them; 0: it did not
};

// How many overflows stand behind each sample, at least 1. Overflows that left no sample, lost or
// merged with others, are taken to be spread as those that did.
double overflows_a_sample(const struct overflow_counts *counts);

// Which part of `all` these events are, in percent. square: of all samples together, the sum of the
// squares of what each stands for.
struct estimate share_of(double events, double all, double square);
// The same where none of the samples is of these events: its error is not 0, since few samples say
// little.
struct estimate share_of_none(double all, double square);
// scale * above / below; errors are taken as independent of each other.
struct estimate estimate_ratio(struct estimate above, struct estimate below, double scale);
// after - before, whose errors are independent of each other.
struct estimate estimate_change(struct estimate before, struct estimate after);
// Is a change no more than chance makes? Yes where its error is not known.
bool estimate_is_chance(struct estimate change);

#endif
