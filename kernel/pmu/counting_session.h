// SPDX-License-Identifier: MIT
// A session of counting on its CPUs: its begin and its end. Thread context, no spin lock held,
// by who has the root's mutex.
#ifndef KERNEL_PMU_COUNTING_SESSION_H
#define KERNEL_PMU_COUNTING_SESSION_H

#include <kernel/timer.h>
#include <kernel/wait.h>
#include <pmu/counting_cpu.h>

#include "counting.h"

struct counting_rep {
    struct pmu_counting counting;
    struct counting_cpu cpu;
    struct timer timer;
    struct pmu_multiplex *multiplex; // NULL: the session does not count here
    struct task_table *tasks;        // NULL: nor tasks
};

struct counting_root {
    struct co_root root;
    struct mutex mutex; // of all that follows
    bool running;
    s64 session; // the latest, from 1
    u32 owner;   // pid of who has started it, 0: the kernel, or it has ended
    u64 cpus;
    struct counting_plan plan;
};

extern struct counting_rep counting_reps[ORRERY_MAX_CPUS];

// By the plan in root, on its CPUs, for its owner; the unit has been acquired. All begin, or none:
// 0, E_NOMEM, or an error of counting_cpu_begin, with the unit released and no owner.
s64 counting_session_begin(struct counting_root *root);
// The session that runs: nothing counts any more, the unit is released.
// What was counted can still be read.
void counting_session_end(struct counting_root *root);
// The next tick of this CPU. Soft-masked.
void counting_rep_set_timer(struct counting_rep *here);

#endif
