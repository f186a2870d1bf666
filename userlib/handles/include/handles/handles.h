// SPDX-License-Identifier: MIT
// Handles: names by which processes know things that a server keeps for them, like open files. The
// lower 16 bits are a slot, the 48 above differ from use to use. A handle belongs to one process,
// for which alone it names anything, and goes when that has ended. Any thread.
#ifndef HANDLES_HANDLES_H
#define HANDLES_HANDLES_H

#include <orrery/types.h>
#include <user/lock.h>

#define HANDLES_MAX 4096
#define HANDLES_OF_PROCESS_MAX 512
#define HANDLES_RESERVED 1024 // the last ones, for processes that have a right

struct handle {
    u64 value; // 0: free
    u32 pid;
    void *thing;
};

struct handle_table {
    void (*hold)(void *thing); // the server's: one more reference; with the table's lock held
    void (*put)(void *thing);  // one less; without it
    // What else a sweep ends of processes that have ended; or NULL.
    void (*also)(bool (*alive)(u32 pid, void *context), void *context);
    struct mutex lock;
    struct handle slots[HANDLES_MAX];
    u64 taken[HANDLES_MAX / 64]; // a bit a slot, so that a sweep sees only those in use
    u32 used, next;
    // Handles of all processes whose pids are equal modulo the size: not less than each one has.
    u16 counts[HANDLES_MAX];
    u64 seed;
};

// pid, in all of these: the process that asks, as the kernel tells it (ipc/packet.h). E_STALE: it
// has no such handle. E_PEER: the process that would have got one has ended meanwhile.

// Makes a handle for a thing. Takes over a reference to the thing, also on error. E_LIMIT.
s64 handle_add(struct handle_table *table, void *thing, u32 pid, u64 *value);
// Returns what a handle names, held, or NULL (E_STALE).
void *handle_get(struct handle_table *table, u64 value, u32 pid);
s64 handle_close(struct handle_table *table, u64 value, u32 pid);                // E_STALE
s64 handle_duplicate(struct handle_table *table, u64 value, u32 pid, u64 *copy); // E_STALE, E_LIMIT
// Gives a handle to a child of the process. E_PERM: it is not its child; E_STALE, E_LIMIT.
s64 handle_give(struct handle_table *table, u64 value, u32 pid, u32 child);
// Lists the handles' things, which are clustered objects, for a scan: a thing with several handles
// once for each. Returns how many it put out.
u32 handles_objects(struct handle_table *table, coid_t (*object_of)(void *thing), coid_t *out,
                    u32 max);

// Closes handles of processes that have ended, within 40 ms, for ever. Sleeps while none ends. For
// one thread of a process, with RIGHT_SERVER. Returns only an error: that of sys_process_await_end
// or user_on_kick.
s64 handles_sweep_forever(struct handle_table *table);
// Sweeps once. alive(pid) tells who has not ended.
void handles_sweep(struct handle_table *table, bool (*alive)(u32 pid, void *context),
                   void *context);
bool handles_any(const struct handle_table *table); // whether a sweep has anything to do

#endif
