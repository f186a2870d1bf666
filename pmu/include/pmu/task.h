// SPDX-License-Identifier: MIT
// The task that counts: what runs on a CPU, as its host's scheduler reports it.
#ifndef PMU_TASK_H
#define PMU_TASK_H

#include <orrery/types.h>

struct user_counters;

struct pmu_task {
    u32 pid;    // of the process whose code the thread runs; 0: a thread of the kernel's own
    u32 thread; // id of the kernel thread
    bool idle;  // the CPU's idle thread
    const char *process; // name of the process, NULL: none
    const char *name;    // of the thread
    struct user_counters
        *window; // what the process sees of its counters there (orrery/user_counters.h), or NULL
};

#endif
