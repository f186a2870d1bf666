// SPDX-License-Identifier: MIT
// Prints the account of sleep locks.
#ifndef KOV_SLEEP_PRINT_H
#define KOV_SLEEP_PRINT_H

#include "locks/sleep_log.h"
#include "machine/workload.h"
#include "output/columns.h"

// workload: NULL if none ran. timeline: for people, each change of a queue.
void sleep_show(const struct sleep_report *report, bool timeline,
                const struct workload_result *workload);

#endif
