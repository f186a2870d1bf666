// SPDX-License-Identifier: MIT
// What the scheduler tells the counting of events: which task runs.
// It asks no question while nobody counts by tasks:
// its points are nops, or branches that are there for something else, and are
// patched to branches meanwhile.
#ifndef KERNEL_PMU_TASK_POINTS_H
#define KERNEL_PMU_TASK_POINTS_H

#include <pmu/task.h>

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

// The scheduler's (kernel/proc/counted.c): the task that runs on this CPU. Soft-masked; what it
// points to is good until soft-unmasked.
void pmu_task_current(struct pmu_task *task);

#endif
