// SPDX-License-Identifier: MIT
// Prints the account of sleep locks.
#ifndef KOV_SLEEP_PRINT_H
#define KOV_SLEEP_PRINT_H

#include "locks/sleep_account.h"
#include "machine/snapshot.h"
#include "machine/workload.h"
#include "output/columns.h"

struct sleep_report {
    struct sleep_account account;
    struct snapshot snapshot;
    struct failures failures; // processes that were not logged to the end
    u64 nonsense;             // records that cannot be
    u64 timebase_hz;
};

// workload: NULL if none ran. timeline: for people, each change of a queue.
void sleep_show(const struct sleep_report *report, bool timeline,
                const struct workload_result *workload);

#endif
