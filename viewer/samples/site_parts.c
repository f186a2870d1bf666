// SPDX-License-Identifier: MIT
// Adds up sites of an event, CPU by CPU.
#include "samples/site_parts.h"

#include <math.h>

void site_parts_add(struct site_parts *parts, const struct site_sum *site)
{
    struct site_part *part = &parts->cpus[site->site.cpu];
    part->samples += site->samples;
    part->events += site->events;
    part->square += site->square;
    part->turns += sqrt(site_sum_turn_squares(site));
}

// Adds up the parts of all CPUs. Nothing has more in a turn than all samples together.
struct sample_sum site_parts_sum(const struct site_parts *parts, const struct site_parts *all,
                                 const struct site_sums *sums, u32 event)
{
    struct sample_share share = site_sums_share(sums, event);
    struct sample_sum sum = {0};
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        const struct site_part *part = &parts->cpus[cpu];
        double turns = fmin(part->turns, all->cpus[cpu].turns);
        struct sample_sum of_cpu = {.samples = part->samples,
                                    .events = part->events,
                                    .square = part->square,
                                    .turn_squares = turns * turns};
        sample_sum_weigh(&of_cpu, site_sums_overflows(sums, event, cpu));
        sample_sum_join(&sum, &of_cpu);
    }
    sample_sum_scale(&sum, &share);
    return sum;
}
