// SPDX-License-Identifier: MIT
// Adds up sites of an event: those of a row of a ranking, or of a function. It does so CPU by CPU,
// because each CPU has its own factor for overflows without a sample, and its own turns.
#ifndef KOV_SITE_PARTS_H
#define KOV_SITE_PARTS_H

#include "samples/site_sums.h"

// The part on one CPU. The sum of several sites in one turn is not known, but its root mean square
// is at most the sum of theirs. The error of chance is computed from that limit.
struct site_part {
    u64 samples, events;
    double square, turns; // turns: the root of the sum of the squares of turns
};

// All zero at first.
struct site_parts {
    struct site_part cpus[ORRERY_MAX_CPUS];
};

void site_parts_add(struct site_parts *parts, const struct site_sum *site);
// Adds up the parts of all CPUs, scaled. `all` has all samples of the event (SITE_ALL).
struct sample_sum site_parts_sum(const struct site_parts *parts, const struct site_parts *all,
                                 const struct site_sums *sums, u32 event);

#endif
