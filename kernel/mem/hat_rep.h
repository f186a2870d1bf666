// SPDX-License-Identifier: MIT
// What a HAT is made of, for the files that implement it. Its directories are changed with its lock
// held; its slots are only added, keep their place while the space lives, and are
// found without a lock.
#ifndef KERNEL_MEM_HAT_REP_H
#define KERNEL_MEM_HAT_REP_H

#include "hat.h"
#include "segment.h"

#include <kernel/percpu.h>
#include <kernel/spinlock.h>

#define HAT_BUCKETS 32

struct hat_slot {
    struct hat_slot *next;
    u64 number;              // of the segment: address >> SEGMENT_SHIFT
    u64 *entry;              // in the directory above
    struct segment *segment; // NULL: none attached now
};

struct hat_ops {
    struct co_ops base;
    s64 (*unmap)(struct hat *self, u64 address, u64 bytes);
};

struct hat {
    CO_REP(struct hat_ops);
    struct co_root root;
    struct spinlock lock; // directories, slots, attaching
    u64 *pgd;
    u64 tag; // its upper half is set by who owns it, and read by all CPUs
    u32 pid;
    bool retired;    // no CPU will run in it any more
    bool incomplete; // directories may be there without a slot below them: memory ran out
    union {
        volatile u8 ran_on[ORRERY_MAX_CPUS]; // each byte written by its CPU
        volatile u64 ran;
    };
    struct pm *pm;
    struct hat_slot *slots[HAT_BUCKETS];
    void (*ended)(void *);
    void *argument;
};

_Static_assert(ORRERY_MAX_CPUS == sizeof(u64), "ran");

// ---- slots and directories (hat_segments.c) -----------------------------------------------------

static inline struct hat_slot **hat_bucket(struct hat *hat, u64 number)
{
    return &hat->slots[(number ^ number >> 9) % HAT_BUCKETS];
}

static inline struct hat_slot *hat_slot_find(struct hat *hat, u64 number)
{
    struct hat_slot *slot = __atomic_load_n(hat_bucket(hat, number), __ATOMIC_ACQUIRE);

    while (slot != NULL && slot->number != number)
        slot = slot->next;
    return slot;
}

static inline struct segment *hat_attached(struct hat_slot *slot)
{
    return __atomic_load_n(&slot->segment, __ATOMIC_ACQUIRE);
}

// Takes a shared segment out of its slot, flushed, and gives its reference back;
// leaves an own one. Thread context.
void hat_slot_detach(struct hat *hat, struct hat_slot *slot);
// Frees the segments of a space that ends, and gives its tables back to the PM. No CPU can see them
// any more.
void hat_free_segments(struct hat *hat);
void hat_free_directories(struct hat *hat);

// ---- flushing (hat.c) ---------------------------------------------------------------------------

// Flushes the space: from its return on no TLB knows what the tables had before the caller's
// stores. Any context but the PMI.
void hat_flush_space(struct hat *hat);

#endif
