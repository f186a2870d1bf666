// SPDX-License-Identifier: MIT
// The workloads, each in a file of its own.
#ifndef GUEST_WORKLOADS_H
#define GUEST_WORKLOADS_H

#include <guest/workload.h>

extern const struct workload workload_demo, workload_dref_storm, workload_trace_storm,
    workload_patch_storm, workload_churn, workload_contention, workload_idle, workload_crash;
#ifdef SANITIZE
extern const struct workload workload_violation;
#endif

// The time base when so many seconds will have passed; 0: never comes.
u64 workload_deadline(u64 seconds);

// Lines of the report: "key number", and "key.0x10 number" of an object.
void workload_report_number(struct workload_run *run, const char *key, u64 number);
void workload_report_object(struct workload_run *run, const char *key, coid_t coid, u64 number);

// For workloads that make nothing beforehand, or have nothing to say or to undo afterwards.
int workload_no_prepare(struct workload_run *run);
void workload_nothing(struct workload_run *run);

#endif
