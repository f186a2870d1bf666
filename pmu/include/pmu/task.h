// SPDX-License-Identifier: MIT
// What the scheduler tells the counting of events: which task runs. It asks no question while nobody counts by tasks:
// its points are nops, or branches that are there for something else, and are patched to branches meanwhile.
#ifndef PMU_TASK_H
#define PMU_TASK_H

#include <orrery/types.h>

struct user_counters;

struct pmu_task {
    u32 pid;    // of the process that the thread runs code of; 0: a thread of the kernel's own
    u32 thread; // id of the kernel thread
    bool idle;  // the CPU's idle thread
    const char *process; // name of the process, NULL: none
    const char *name;    // of the thread
    struct user_counters
        *window; // what the process sees of its counters there (orrery/user_counters.h), or NULL
};

// One nop, patched to a branch to label while tasks are counted. .task_points tells where.
#define PMU_TASK_POINT(label)                                                                      \
    __asm__ goto("1: nop\n"                                                                        \
                 ".pushsection .task_points,\"a\",@progbits\n"                                     \
                 ".balign 8\n"                                                                     \
                 ".quad 1b, %l[" #label "]\n"                                                      \
                 ".popsection"                                                                     \
                 :                                                                                 \
                 :                                                                                 \
                 :                                                                                 \
                 : label)

// The CPU goes from one task to another. Behind a point; soft-masked, no lock held.
void pmu_task_switch(const struct pmu_task *from, const struct pmu_task *to);

// The scheduler's (kernel/proc/counted.c): the task that runs on this CPU. Soft-masked; what it points to is good until
// soft-unmasked.
void pmu_task_current(struct pmu_task *task);

#endif
