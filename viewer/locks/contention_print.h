// SPDX-License-Identifier: MIT
// Shows contention for spin locks, as a table, as JSON or as CSV.
#ifndef KOV_CONTENTION_PRINT_H
#define KOV_CONTENTION_PRINT_H

#include "locks/contention.h"
#include "machine/workload.h"
#include "samples/frequency.h"

struct contention_view {
    const struct contention *contention;
    const struct sampling_request *request;
    const struct frequency *frequency;
    const struct sample_set *samples;
    const struct workload_result *workload; // NULL: none ran
    double seconds;
    u64 max_rows; // 0: all
};

void contention_show(const struct contention_view *view);

#endif
