// SPDX-License-Identifier: MIT
// `kov locks --sleep`: queues of threads that wait for sleep locks.
#ifndef KOV_SLEEP_LOCKS_H
#define KOV_SLEEP_LOCKS_H

#include "tools/options.h"

// Logs for `seconds`, 0: as long as the workload runs, or 5 s without one.
// pids: a list of processes, NULL: all.
int sleep_locks_run(const struct arguments *arguments, double seconds, const char *pids);

// Options of its own: --timeline, --object.
extern const struct option sleep_locks_options[];

#endif
