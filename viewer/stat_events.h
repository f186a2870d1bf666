// SPDX-License-Identifier: MIT
// `kov stat -e`: hardware events counted in a while, or while a workload ran.
#ifndef KOV_STAT_EVENTS_H
#define KOV_STAT_EVENTS_H

#include "count_request.h"

struct stat_events {
    const struct count_options *options;
    double duration; // seconds, 0: the default
    double interval; // seconds between prints, 0: only one in the end
    bool per_cpu;
};

int stat_events(const struct arguments *arguments, const struct stat_events *wanted);

#endif
