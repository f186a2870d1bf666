// SPDX-License-Identifier: MIT
// The list of workloads.
#include "workloads.h"

static const struct workload *const workloads[] = {
    &workload_demo,      &workload_dref_storm, &workload_trace_storm, &workload_patch_storm,
    &workload_churn,     &workload_contention, &workload_idle,        &workload_crash,
#ifdef SANITIZE
    &workload_violation,
#endif
};

const struct workload *workload_at(u32 index)
{
    return index < ARRAY_SIZE(workloads) ? workloads[index] : NULL;
}
