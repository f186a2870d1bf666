// SPDX-License-Identifier: MIT
// `kov stat -e`: counts hardware events for some seconds, or while a workload runs.
#ifndef KOV_STAT_EVENTS_H
#define KOV_STAT_EVENTS_H

#include "counts/count_request.h"

struct stat_events {
    const struct count_options *options;
    double duration; // seconds, 0: the default
    double interval; // seconds between prints; 0: print only once, in the end
    bool per_cpu;
    bool per_task;       // also a table of what options->tasks says
    const char *pids;    // list of processes whose counts alone are shown; NULL: all
    const char *exclude; // processes to leave out, also while the kernel works for them; NULL: none
};

// Returns KOV_USAGE if the machine lacks one of these CPUs (bit n: CPU n). `cpus` is their list as
// the user gave it.
int stat_check_cpus(const char *cpus, u32 mask);

int stat_events(const struct arguments *arguments, const struct stat_events *wanted);

#endif
