// SPDX-License-Identifier: MIT
// What the server sched tells of its decisions (docs/scheduler.md): to the questions MONITOR_SCHED
// (orrery/monitor.h), and so to the DCI server. Each decision has the numbers that led to it.
#ifndef ORRERY_SCHED_H
#define ORRERY_SCHED_H

#include <orrery/process.h>

#define SCHED_POLICY_BYTES 16 // of a name, with its NUL
#define SCHED_CPUS 8          // ORRERY_MAX_CPUS
#define SCHED_READINGS 5      // of run queues, that a decision is made of
#define SCHED_CANDIDATES 4    // of a decision
#define SCHED_DECISIONS 256   // the last ones, which are kept
#define SCHED_READING_MS 20   // between two
#define SCHED_PROGRAM "sched" // the name of its process, which has RIGHT_PLACE

// A process that could be placed.
struct sched_candidate {
    u32 pid;
    u32 permille; // of a CPU, during the readings
};

struct sched_decision {
    u64 time;   // time base
    u64 number; // from 1
    u32 pid, from, to;
    s32 result; // of sys_place
    u32 cpus;   // of the machine
    u32 candidate_count;
    // Threads that ran or waited, by reading, the oldest first, and CPU.
    u8 lengths[SCHED_READINGS][SCHED_CPUS];
    // Those on the CPU `from` that have run most, in falling order.
    struct sched_candidate candidates[SCHED_CANDIDATES];
    char policy[SCHED_POLICY_BYTES];
    char name[PROCESS_NAME_MAX]; // of the process
};
_Static_assert(sizeof(struct sched_decision) == 160, "ABI");

// The answer to MONITOR_SCHED begins with this; the decisions follow, the oldest first.
struct sched_state {
    char policy[SCHED_POLICY_BYTES]; // "none": it owns nothing
    u64 readings;                    // since that policy was chosen
    u64 decisions;                   // since the server's start
    u64 held_back;                   // wishes that came too soon, or would have gone back
    u32 count;                       // decisions that follow
    u32 failures;                    // of reading logs
};
_Static_assert(sizeof(struct sched_state) == 48, "ABI");

#endif
