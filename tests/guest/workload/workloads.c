// SPDX-License-Identifier: MIT
// The list of workloads.
#include "workloads.h"

static const struct workload *const workloads[] = {
    &workload_demo,  &workload_dref_storm, &workload_trace_storm, &workload_patch_storm,
    &workload_churn, &workload_contention, &workload_idle,        &workload_crash,
};

const struct workload *workload_at(u32 index)
{
    return index < ARRAY_SIZE(workloads) ? workloads[index] : NULL;
}

int workload_no_prepare(struct workload_run *run)
{
    (void)run;
    return 0;
}

void workload_nothing(struct workload_run *run)
{
    (void)run;
}
