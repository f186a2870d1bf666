// SPDX-License-Identifier: MIT
// `kov locks --sleep`: queues of threads that wait for sleep locks.
#ifndef KOV_SLEEP_LOCKS_H
#define KOV_SLEEP_LOCKS_H

#include "tools/options.h"

// Logs for `seconds`. If that is 0, it logs as long as the workload runs, or 5 s without one.
// `pids` is a list of processes; NULL: all.
int sleep_locks_run(const struct arguments *arguments, double seconds, const char *pids);

// The options --timeline and --object.
extern const struct option sleep_locks_options[];

#endif
