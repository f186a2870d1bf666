// SPDX-License-Identifier: MIT
// One run of `kov monitor record`: what came of a monitor, against what the machine says of it.
#ifndef KOV_MONITOR_RECORD_H
#define KOV_MONITOR_RECORD_H

#include "machine/workload.h"
#include "monitors/monitor_packets.h"

struct monitor_record_wishes {
    const char *folder;
    const char *pids;  // "P[/T],…"; NULL: what the monitor tracks already
    const char *kinds; // to record of these
    u64 number;        // of a kept monitor; 0: one of its own
    u64 bytes;         // of a ring of its own
    double seconds;    // 0: 5, or as long as the workload runs
};

// Records, writes the folder, prints what came. KOV_FAILED, with a message, when it is not all that
// was recorded.
int monitor_record(const struct arguments *arguments, const struct monitor_record_wishes *wishes);

#endif
