// SPDX-License-Identifier: MIT
// A policy: a name, and a function from what is known to what is to be done (S004 §4.5.1). It is a
// file in this folder and a line in table.c. It sees a view, and never a log; it keeps nothing, so
// the same view leads to the same proposal: `kov sched why` runs it again from a decision's
// numbers.
#ifndef SCHED_POLICY_H
#define SCHED_POLICY_H

#include <orrery/sched.h>

#define VIEW_PROCESSES 128
#define VIEW_PAIRS 256

// A process that can be placed: it runs on one CPU, serves nobody, and is not pinned.
struct view_process {
    u32 pid, cpu, permille; // permille of a CPU, during the readings
};

// Any process, and how near it is to each CPU.
struct view_affinity {
    u32 pid;
    struct sched_affinity to[SCHED_CPUS];
};

struct view {
    u32 cpus;                               // of the machine
    u8 lengths[SCHED_READINGS][SCHED_CPUS]; // threads that ran or waited, the oldest reading first
    u32 count;
    struct view_process processes[VIEW_PROCESSES]; // in rising order of pids
    u32 affinity_count;
    struct view_affinity affinities[VIEW_PROCESSES]; // the same
    // Of the last block of readings: how long it was, and how long ago. SCHED_UNKNOWN: no calls are
    // known, as the policy wants none, or a reading failed.
    u16 pairs_ms, pairs_age_ms;
    u32 pair_count;
    // In falling order of `across`, and then of `calls`. Those that rest after a placement are left
    // out. Behind them come servers that were spread, for each CPU from which nobody calls them.
    struct sched_pair pairs[VIEW_PAIRS];
};

struct proposal {
    enum sched_action action;
    u32 pid, from, to;
    u32 pair; // that it is about; VIEW_PAIRS: none
};

struct policy {
    const char *name;
    // Returns whether there is something to be done, and what. NULL: there never is.
    bool (*decide)(const struct view *view, struct proposal *proposal);
    bool wants_calls; // else no calls are logged
};

extern const struct policy policy_balance, policy_calls;

const struct policy *policy_find(const char *name); // NULL: there is none

#endif
