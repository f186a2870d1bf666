// SPDX-License-Identifier: MIT
// What the server sched tells of its decisions (docs/scheduler.md): to the questions INSPECT_SCHED
// (orrery/inspect.h), and so to the DCI server. Each decision has the numbers that led to it.
#ifndef ORRERY_SCHED_H
#define ORRERY_SCHED_H

#include <orrery/process.h>

#define SCHED_POLICY_BYTES 16 // of a name, with its NUL
#define SCHED_CPUS 8          // ORRERY_MAX_CPUS
#define SCHED_READINGS 5      // of run queues, that a decision is made of
#define SCHED_CANDIDATES 4    // of a decision
#define SCHED_PAIRS 3         // of a decision
#define SCHED_TOP_PAIRS 8     // of a state
#define SCHED_DECISIONS 160   // the last ones, which are kept
#define SCHED_READING_MS 20   // between two
#define SCHED_BLOCK 6         // readings for which calls are counted
#define SCHED_REST_MS 600     // without any, after a block that led to nothing
#define SCHED_PROGRAM "sched" // the name of its process, which has RIGHT_PLACE

// A process that could be placed.
struct sched_candidate {
    u32 pid;
    u32 permille; // of a CPU, during the readings
};

// How near a process is to a CPU.
#define SCHED_UNKNOWN UINT16_MAX
#define SCHED_MS_MAX (UINT16_MAX - 1) // or more
struct sched_affinity {
    u32 calls;    // a second, that it made or served there
    u16 permille; // of the CPU, that it ran there; SCHED_UNKNOWN: it has several dispatchers
    u16 age_ms;   // since it was last seen there; SCHED_UNKNOWN: not since the policy was chosen
};

#define SCHED_CLIENT_MOVES 1u   // the client may be placed on another CPU
#define SCHED_SERVER_SPREADS 2u // the server may get a dispatcher on another CPU, or lose it
// A process that calls another one. client 0: nobody calls the server from client_cpu, where it has
// been spread.
struct sched_pair {
    u32 client, server;
    u32 calls, across;   // a second; how many of them were served on another CPU
    u8 client_cpu;       // from which most of these, or else of all, were made
    u8 server_cpu;       // where most were served; with client 0: where it stays
    u8 server_cpus;      // mask: where it takes calls
    u8 flags;            // SCHED_CLIENT_MOVES, SCHED_SERVER_SPREADS
    u16 idle_ms;         // with client 0: since it served a call from there
    u16 client_permille; // of a CPU, that the client ran
};

enum sched_action {
    SCHED_MOVE,   // the process goes from one CPU to the other
    SCHED_SPREAD, // the server, which is at `from`, takes calls at `to`, too
    SCHED_GATHER, // it takes none at `from` any more, and does at `to`
};

struct sched_decision {
    u64 time;   // time base
    u64 number; // from 1
    u32 pid, from, to;
    s32 result; // of sys_place
    u8 cpus;    // of the machine
    u8 candidate_count, pair_count;
    u8 action; // enum sched_action
    // The pairs are of so long, and end so long before; SCHED_UNKNOWN: no pairs were known.
    u16 pairs_ms, pairs_age_ms;
    struct sched_affinity there[2]; // of the process: to `from`, to `to`
    // The pair that it is about, then those that come next by calls across.
    struct sched_pair pairs[SCHED_PAIRS];
    // Threads that ran or waited, by reading, the oldest first, and CPU.
    u8 lengths[SCHED_READINGS][SCHED_CPUS];
    // Those on the CPU `from` that have run most, in falling order.
    struct sched_candidate candidates[SCHED_CANDIDATES];
    char policy[SCHED_POLICY_BYTES];
    char name[PROCESS_NAME_MAX]; // of the process
};
_Static_assert(sizeof(struct sched_decision) == 248, "ABI");

// The answer to INSPECT_SCHED begins with this; the decisions follow, the oldest first.
struct sched_state {
    char policy[SCHED_POLICY_BYTES]; // "none": it owns nothing
    u64 readings;                    // since that policy was chosen
    u64 decisions;                   // since the server's start
    u64 held_back;                   // wishes that came too soon, or would have gone back
    u32 count;                       // decisions that follow
    u32 failures;                    // of reading logs
    u64 cut;                         // readings in which calls had been overwritten unread
    u32 others;                 // processes that share a domain: nothing is known of their calls
    u16 pairs_ms, pairs_age_ms; // as of a decision
    u32 pair_count;             // of the last block of readings; the first ones follow
    u32 reserved;
    struct sched_pair pairs[SCHED_TOP_PAIRS];
};
_Static_assert(sizeof(struct sched_state) == 264, "ABI");

#endif
