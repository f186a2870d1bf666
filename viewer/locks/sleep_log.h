// SPDX-License-Identifier: MIT
// The logs of sleep locks: switched on and off in the machine, read into an account.
#ifndef KOV_SLEEP_LOG_H
#define KOV_SLEEP_LOG_H

#include "locks/sleep_account.h"
#include "machine/snapshot.h"
#include "symbols/programs.h"
#include "tools/pid_list.h"

// What is logged.
struct sleep_choice {
    struct pid_list pids; // none: all processes
    coid_t object;        // the BlockedThreadQueues object of the one process; 0: all
};

struct sleep_report {
    struct sleep_account account;
    struct snapshot snapshot;
    struct programs *programs; // for names of locks
    struct failures failures;  // processes that were not logged to the end
    u64 nonsense;              // records that cannot be, or for which there was no room
    u64 timebase_hz;
};

// time: since when, by the time base.
int sleep_log_begin(const struct sleep_choice *choice, u64 *time);
int sleep_log_end(void);
// Takes what has been logged since the last time.
int sleep_log_read(struct sleep_report *report);
void sleep_report_free(struct sleep_report *report);

#endif
