// SPDX-License-Identifier: MIT
// What kernel/ipc calls, as a test sees it: objects that count their references, dispatchers that
// keep what was posted.
#ifndef TESTS_UNIT_IPC_HOST_H
#define TESTS_UNIT_IPC_HOST_H

#include <kernel/ipc.h>
#include <orrery/errors.h>

// Stands for an endpoint, a process or a memory object.
struct host_object {
    s64 references;
    s64 accounted; // memory: how often it is in its holder's account
};

struct process {
    struct host_object object;
    struct ipc_process ipc;
};

struct dispatcher {
    struct process *process;
    u32 cpu;
    struct ipc_dispatcher ipc;
    struct posted_event *posted; // the last one
    u32 posted_count;
    bool gone;
};

extern u64 host_allocations;      // not yet freed
extern bool host_account_is_full; // for memory of others
extern u64 host_allocations_left; // how many succeed before memory is out

#endif
