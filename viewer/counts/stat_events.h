// SPDX-License-Identifier: MIT
// `kov stat -e`: hardware events counted in a while, or while a workload ran.
#ifndef KOV_STAT_EVENTS_H
#define KOV_STAT_EVENTS_H

#include "counts/count_request.h"

struct stat_events {
    const struct count_options *options;
    double duration; // seconds, 0: the default
    double interval; // seconds between prints, 0: only one in the end
    bool per_cpu;
    bool per_task;       // a table by what options->tasks says, too
    const char *pids;    // only what these processes counted: a list; NULL: all
    const char *exclude; // processes to leave out, also while the kernel works for them; NULL: none
};

// KOV_USAGE when the machine has not all of these CPUs (bit n: CPU n);
// `cpus` is their list as it was given.
int stat_check_cpus(const char *cpus, u32 mask);

int stat_events(const struct arguments *arguments, const struct stat_events *wanted);

#endif
