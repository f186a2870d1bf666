// SPDX-License-Identifier: MIT
// The Monitor object (S003 §4.1): distributed; a representative is its CPU's ring. It lives as long
// as capabilities refer to it, but does nothing after its termination.
#ifndef KERNEL_MONITORS_MONITOR_H
#define KERNEL_MONITORS_MONITOR_H

#include <co/object.h>
#include <kernel/refs.h>
#include <kernel/spinlock.h>

#include "ring.h"

#define KIND_MONITOR REFS_KIND('M', 'O', 'N', 'I')

struct fcm;
struct monitor_ops;
struct process;

struct monitor_rep {
    CO_REP(struct monitor_ops);
    struct monitor_ring ring;
};

struct monitor {
    struct co_root root;
    struct refs refs;             // capabilities
    struct monitor *next, **link; // in the Monitors object's list
    struct spinlock lock;         // RANK_OBJECT; guards memory
    struct fcm *memory;           // of its rings; NULL: it has ended
    void **pages;                 // the kernel's addresses: the positions, then the rings
    u64 cost, cost_fast;          // ticks for 64 records: by the scheduler, by the fast path
    bool running, ended;          // tracking.c's, under its mutex
    u32 kinds;                    // … kinds that it ever tracked
    struct monitor_rep reps[ORRERY_MAX_CPUS];
};

struct monitor_ops {
    struct co_ops base;
    s64 (*run)(struct monitor_rep *self, bool on);
    s64 (*read)(struct monitor_rep *self, u32 cpu, u64 address, u64 bytes);
    s64 (*stat)(struct monitor_rep *self, u32 cpu, struct sys_monitor_stat *stat);
    s64 (*map)(struct monitor_rep *self);
    s64 (*take)(struct monitor_rep *self, u32 cpu, u64 records);
    s64 (*track)(struct monitor_rep *self, struct process *process, u32 thread, u32 id, u64 kinds);
    s64 (*untrack)(struct monitor_rep *self, u32 pid, u32 thread);
    s64 (*terminate)(struct monitor_rep *self);
};

#define MONITOR_CALL(monitor, ...) CO_CALL(struct monitor_rep, (monitor)->root.coid, __VA_ARGS__)

static inline struct monitor *monitor_of(struct monitor_rep *self)
{
    return (struct monitor *)self->co.root;
}

// Creates a suspended monitor with one reference. bytes: a CPU, a power of two. Returns NULL on an
// error, with *error: E_NOMEM, E_LIMIT. Thread context, no lock held.
struct monitor *monitor_create(u64 bytes, s64 *error);

#endif
