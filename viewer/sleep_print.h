// SPDX-License-Identifier: MIT
// Prints the account of sleep locks.
#ifndef KOV_SLEEP_PRINT_H
#define KOV_SLEEP_PRINT_H

#include "json.h"
#include "sleep_account.h"
#include "snapshot.h"

// A process that was not logged to the end.
struct sleep_failure {
    u32 pid;
    s32 error;
    char *message;
};

struct sleep_report {
    struct sleep_account account;
    struct snapshot snapshot;
    struct sleep_failure *failures;
    size_t failure_count, failure_capacity;
    u64 nonsense; // records that cannot be
    u64 timebase_hz;
};

void sleep_print(const struct sleep_report *report, bool timeline);
void sleep_json(struct json *json, const struct sleep_report *report);

#endif
