// SPDX-License-Identifier: MIT
// The WorkloadManager object: a service that refers to the workloads' objects.
#ifndef WORKLOADS_WORKLOAD_MANAGER_H
#define WORKLOADS_WORKLOAD_MANAGER_H

#include <workloads/workload.h>

// Creates it at the first call. Returns 0 or an error. Thread context.
s64 workload_manager_create(void);
// Adds a run's objects to its references, or removes them.
void workload_manager_add(const struct workload_run *run);
void workload_manager_remove(const struct workload_run *run);

#endif
