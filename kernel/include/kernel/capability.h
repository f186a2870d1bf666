// SPDX-License-Identifier: MIT
// Capabilities: what a process may name. A table a process; entries refer to endpoints, processes and
// memory objects, and hold a reference each.
#ifndef KERNEL_CAPABILITY_H
#define KERNEL_CAPABILITY_H

#include <orrery/ipc.h>

enum capability_type {
    CAPABILITY_NONE,
    CAPABILITY_ENDPOINT,
    CAPABILITY_PROCESS,
    CAPABILITY_MEMORY
};

struct capability {
    u32 type; // enum capability_type
    u32 flags;
    void *object; // struct endpoint *, struct process *, struct fcm *
};

struct capability_table;
struct process;

struct capability_table *capability_table_create(void);        // NULL: out of memory
void capability_table_clear(struct capability_table *table);   // gives all references back
void capability_table_destroy(struct capability_table *table); // gives all references back
// Takes over the caller's reference. A slot >= CAP_FIRST_FREE, E_NOMEM or E_LIMIT (4,096 a process).
s64 capability_add(struct capability_table *table, const struct capability *capability);
s64 capability_put_at(struct capability_table *table, u32 slot,
                      const struct capability *capability);
// A copy with a reference of its own, to be given back by capability_release. E_NOENT, or E_INVAL when it is of
// another type (CAPABILITY_NONE: any).
s64 capability_get(struct capability_table *table, cap_t cap, u32 type, struct capability *out);
s64 capability_remove(struct capability_table *table, cap_t cap);
void capability_hold(const struct capability *capability);
void capability_release(const struct capability *capability);

// ---- kernel/ipc towards processes ----------------------------------------------------------------

// All calls that the process serves or makes, and its endpoints, end: callers get E_PEER, replies to it
// are dropped. Its dispatchers have stopped. Thread context, no lock held.
void ipc_process_ends(struct process *process);
// A message from the kernel (pid 0) to an endpoint's process. E_AGAIN, E_PEER, E_NOMEM.
s64 ipc_send_from_kernel(const struct capability *endpoint, u64 badge,
                         const u64 words[MESSAGE_WORDS]);

#endif
