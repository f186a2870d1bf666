// SPDX-License-Identifier: MIT
// The list of workloads: each puts itself on it (WORKLOAD).
#include "registry.h"

extern const struct workload *const workloads_start[], *const workloads_end[]; // boot/orrery.ld

const struct workload *workload_at(u32 index)
{
    return index < workloads_end - workloads_start ? workloads_start[index] : NULL;
}
