// SPDX-License-Identifier: MIT
// The counters of a session in the kernel's trace. Thread context; who owns the session serialises.
#ifndef KERNEL_PMU_COUNTING_TRACE_H
#define KERNEL_PMU_COUNTING_TRACE_H

#include <pmu/counting_request.h>

// As sys_pmu_count_trace, of the session that runs, by this plan.
s64 counting_trace_set(const struct counting_plan *plan, u64 majors);
// Before the session's counters stop: not any more.
void counting_trace_end(void);

#endif
