// SPDX-License-Identifier: MIT
// Capabilities: what a process may name. Each process has a table. Entries refer to endpoints,
// processes, memory objects and monitors, and hold a reference each.
#ifndef KERNEL_CAPABILITY_H
#define KERNEL_CAPABILITY_H

#include <kernel/refs.h>
#include <orrery/ipc.h>

enum capability_type {
    CAPABILITY_NONE,
    CAPABILITY_ENDPOINT,
    CAPABILITY_PROCESS,
    CAPABILITY_MEMORY,
    CAPABILITY_READABLE, // memory, for reading alone
    CAPABILITY_MONITOR
};

struct capability {
    u32 type; // enum capability_type
    u32 flags;
    void *object; // struct endpoint *, struct process *, struct fcm *, struct monitor *
};

struct address_space;
struct capability_table;
struct endpoint;
struct fcm;
struct monitor;
struct process;

struct capability_table *capability_table_create(void); // NULL: out of memory
// Names the space whose account has the memory of others that the table holds. Before its first
// use.
void capability_table_begin(struct capability_table *table, struct address_space *space);
void capability_table_destroy(struct capability_table *table);
// Adds a capability. Its reference becomes the table's, and *capability nothing. Returns a slot >=
// CAP_FIRST_FREE. On an error nothing has changed: E_NOMEM, E_LIMIT (4,096 a process, or
// more of others' memory than it may hold), E_PEER (the table's process ends).
s64 capability_add(struct capability_table *table, struct capability *capability);
// Does the same with a slot < CAP_FIRST_FREE, and replaces what is there. Returns 0. E_INVAL: no
// such slot; E_NOMEM, E_LIMIT, E_PEER.
s64 capability_put_at(struct capability_table *table, u32 slot, struct capability *capability);
s64 capability_remove(struct capability_table *table, cap_t cap); // E_NOENT
// Closes the table: gives all references back, and accepts no more.
void capability_table_end(struct capability_table *table);

// ---- what a capability names --------------------------------------------------------------------
// Each returns a reference of the caller's own to an object of this type, or NULL with *error and
// no reference. E_NOENT: nothing is there. E_INVAL: it has another type.
struct endpoint *capability_get_endpoint(struct capability_table *table, cap_t cap, s64 *error);
struct process *capability_get_process(struct capability_table *table, cap_t cap, s64 *error);
struct fcm *capability_get_memory(struct capability_table *table, cap_t cap, s64 *error);
// Also takes memory for reading alone, and sets *readable to whether it is that.
struct fcm *capability_get_readable(struct capability_table *table, cap_t cap, bool *readable,
                                    s64 *error);
struct monitor *capability_get_monitor(struct capability_table *table, cap_t cap, s64 *error);
// Does so for any type. Returns type CAPABILITY_NONE and an error if nothing is there.
struct capability capability_get(struct capability_table *table, cap_t cap, s64 *error);
// Gives the reference back, if there is one, and makes *capability nothing.
void capability_release(struct capability *capability);
static inline void capability_put_held(struct capability *capability)
{
    capability_release(capability);
}

// ---- endpoints ----------------------------------------------------------------------------------

void endpoint_hold(struct endpoint *endpoint); // only with a reference
void endpoint_put(struct endpoint *endpoint);
static inline void endpoint_put_held(struct endpoint **endpoint)
{
    if (*endpoint != NULL)
        endpoint_put(*endpoint);
}
// Returns whether this live process serves it; false once it has destroyed it.
bool endpoint_is_of(const struct endpoint *endpoint, const struct process *process);

// ---- monitors -----------------------------------------------------------------------------------

// How references to objects of a type are counted that this folder does not know.
struct capability_kind {
    void (*hold)(void *object); // only with a reference
    void (*put)(void *object);
};
// Says how those to monitors are, before there is one. Set-up.
void capability_set_monitors(const struct capability_kind *kind);

void monitor_hold(struct monitor *monitor); // only with a reference
void monitor_put(struct monitor *monitor);
static inline void monitor_put_held(struct monitor **monitor)
{
    if (*monitor != NULL)
        monitor_put(*monitor);
}

// ---- kernel/ipc towards processes ---------------------------------------------------------------

// Ends all calls that the process serves or makes, and its endpoints: callers get E_PEER, replies
// to it are dropped. Its dispatchers have stopped. Thread context, no lock held.
void ipc_process_ends(struct process *process);
// Sends a message from the kernel (pid 0) to an endpoint's process. E_AGAIN, E_PEER, E_NOMEM.
s64 ipc_send_from_kernel(struct endpoint *endpoint, u64 badge, const u64 words[MESSAGE_WORDS]);

#endif
