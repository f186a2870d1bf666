// SPDX-License-Identifier: MIT
// Who waits for whom, as a dump of memory shows it at its time: what the machine itself would tell
// by the events STATE:state_call and STATE:state_user_thread (trace/events/state.def).
#ifndef KOV_MEMORY_WAITS_H
#define KOV_MEMORY_WAITS_H

#include <orrery/process.h>
#include <stdbool.h>
#include <stddef.h>
#include <trace/waits.h>

struct memory_call {
    u64 id, token;
    u32 client, thread, server; // pids, and the dispatcher's thread of the client
};

struct memory_thread {
    u32 pid;
    struct trace_waits_thread thread;
};

struct memory_process {
    u32 pid;
    char name[PROCESS_NAME_MAX]; // as its starter gave it; ends with a NUL
};

struct memory_waits {
    bool known;
    struct memory_process *processes;
    size_t process_count, process_capacity;
    struct memory_call *calls; // without an answer
    struct memory_thread *threads;
    size_t call_count, call_capacity, thread_count, thread_capacity;
};

// Reads physical memory. Returns false if it is not there.
typedef bool (*memory_read)(const void *context, u64 physical, void *into, u64 bytes);

// Reads them from a machine's memory, whose struct trace_dump_places is at an address. What makes
// no sense is left out. linear_base: where the kernel sees physical address 0.
void memory_waits_read(struct memory_waits *waits, u64 places, u64 linear_base, memory_read read,
                       const void *context);
void memory_waits_free(struct memory_waits *waits);

#endif
