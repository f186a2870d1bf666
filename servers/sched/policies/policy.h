// SPDX-License-Identifier: MIT
// A policy: a name, and a function from what is known to what is to be done (S004 §4.5.1). It is a
// file in this folder and a line in table.c. It sees a view, and never a log; it keeps nothing, so
// the same view leads to the same wish: `kov sched why` runs it again from a decision's numbers.
#ifndef SCHED_POLICY_H
#define SCHED_POLICY_H

#include <orrery/sched.h>

#define VIEW_PROCESSES 128

// A process that can be placed: it runs on one CPU, serves nobody, and is not pinned.
struct view_process {
    u32 pid, cpu, permille; // permille of a CPU, during the readings
};

struct view {
    u32 cpus;                               // of the machine
    u8 lengths[SCHED_READINGS][SCHED_CPUS]; // threads that ran or waited, the oldest reading first
    u32 count;
    struct view_process processes[VIEW_PROCESSES]; // in rising order of pids
};

struct wish {
    u32 pid, from, to;
};

struct policy {
    const char *name;
    // Returns whether there is something to be done, and what. NULL: there never is.
    bool (*decide)(const struct view *view, struct wish *wish);
};

extern const struct policy policy_balance;

const struct policy *policy_find(const char *name); // NULL: there is none

#endif
