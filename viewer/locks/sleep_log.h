// SPDX-License-Identifier: MIT
// Switches the logs of sleep locks in the machine on and off, and reads them into an account.
#ifndef KOV_SLEEP_LOG_H
#define KOV_SLEEP_LOG_H

#include "locks/sleep_account.h"
#include "machine/snapshot.h"
#include "symbols/programs.h"
#include "tools/pid_list.h"

// What to log.
struct sleep_choice {
    struct pid_list pids; // empty: all processes
    coid_t object;        // BlockedThreadQueues object of the only process; 0: all
};

struct sleep_report {
    struct sleep_account account;
    struct snapshot snapshot;
    struct programs *programs; // for names of locks
    struct failures failures;  // processes that could not be logged to the end
    u64 nonsense;              // records that are impossible, or for which there was no room
    u64 timebase_hz;
};

// Begins to log. *time is when, by the time base.
int sleep_log_begin(const struct sleep_choice *choice, u64 *time);
int sleep_log_end(void);
// Takes what was logged since the last call.
int sleep_log_read(struct sleep_report *report);
void sleep_report_free(struct sleep_report *report);

#endif
