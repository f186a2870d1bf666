// SPDX-License-Identifier: MIT
// Prints the account of sleep locks.
#ifndef KOV_SLEEP_PRINT_H
#define KOV_SLEEP_PRINT_H

#include "locks/sleep_log.h"
#include "machine/workload.h"
#include "output/columns.h"

// Shows the account. `workload` is NULL if none ran. With `timeline`, people also see each change
// of a queue.
void sleep_show(const struct sleep_report *report, bool timeline,
                const struct workload_result *workload);

#endif
