// SPDX-License-Identifier: MIT
// One run of `kov monitor record`: compares what came of a monitor with what the machine says of
// it.
#ifndef KOV_MONITOR_RECORD_H
#define KOV_MONITOR_RECORD_H

#include "machine/workload.h"
#include "monitors/monitor_packets.h"

struct monitor_record_options {
    const char *folder;
    const char *pids;  // "P[/T],…"; NULL: what the monitor already tracks
    const char *kinds; // kinds of records to take
    u64 number;        // of a kept monitor; 0: makes a new one
    u64 bytes;         // of the ring of a new one
    double seconds;    // 0: 5, or as long as the workload runs
};

// Records, writes the folder, and prints what came. Returns KOV_FAILED with a message if that is
// not all that was recorded.
int monitor_record(const struct arguments *arguments, const struct monitor_record_options *options);

#endif
