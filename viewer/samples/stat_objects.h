// SPDX-License-Identifier: MIT
// `kov stat -e --per-object`: hardware events by object, estimated from samples. sampling_options
// says by what to sample.
#ifndef KOV_STAT_OBJECTS_H
#define KOV_STAT_OBJECTS_H

#include "tools/kov.h"

struct stat_objects {
    double duration;  // seconds, 0: the default
    double interval;  // seconds between prints; 0: print only once, in the end
    u64 max_rows;     // of a table, 0: all
    const char *cpus; // "0-2,5", NULL: all
};

int stat_objects(const struct arguments *arguments, const struct stat_objects *wanted);

#endif
