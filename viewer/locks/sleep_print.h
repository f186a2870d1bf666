// SPDX-License-Identifier: MIT
// Prints the account of sleep locks.
#ifndef KOV_SLEEP_PRINT_H
#define KOV_SLEEP_PRINT_H

#include "locks/sleep_account.h"
#include "machine/snapshot.h"
#include "output/json.h"

struct sleep_report {
    struct sleep_account account;
    struct snapshot snapshot;
    struct failures failures; // processes that were not logged to the end
    u64 nonsense;             // records that cannot be
    u64 timebase_hz;
};

void sleep_print(const struct sleep_report *report, bool timeline);
void sleep_json(struct json *json, const struct sleep_report *report);

#endif
