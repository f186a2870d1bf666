// SPDX-License-Identifier: MIT
// Spin locks: the only larx/stcx loops of the kernel (docs/locks.md). A taken lock soft-masks this
// CPU until its release. Owners and rank order are checked: a CPU may take a lock only of a higher
// rank than any it holds. Contended acquisition emits trace lock_contended. While LOCKHOLD is
// logged each acquisition and release is an event, too.
#ifndef KERNEL_SPINLOCK_H
#define KERNEL_SPINLOCK_H

#include <orrery/types.h>

// Ranks, low taken first.
enum lock_rank {
    RANK_SERVICE = 1, // service objects: managers, DCI-facing state
    RANK_OBJECT,      // a clustered object's own lock
    RANK_SPACE,       // kernel/mem: the list of an address space's regions
    RANK_PRIVATE,     // pages that only one region has
    RANK_FCM,         // pages shared by regions
    RANK_FCM_USERS,   // lists of who maps and who waits for pages
    RANK_PM,          // page accounts
    RANK_HAT,         // translation tables of a space
    RANK_CO,          // translation tables, object lifetime
    RANK_THREAD,      // run queues
    RANK_TIMER,
    RANK_PATCH,
    RANK_MMU,
    RANK_KMALLOC,
    RANK_PAGES,
    RANK_FAILING, // tests of memory that fails
    RANK_CONSOLE,
    RANK_DEPOT, // call chains of the sanitizer
};

struct spinlock {
    u32 word;  // 0 free, else owner CPU + 1
    u8 rank;   // enum lock_rank
    u8 masked; // soft-mask state to restore, valid while held
    u16 reserved;
    const char *name;
    struct spinlock *outer; // the lock this CPU took before this one
};

#define SPINLOCK_INIT(lock_name, lock_rank)                                                        \
    {                                                                                              \
        .name = (lock_name), .rank = (lock_rank)                                                   \
    }

// Where a CPU has taken the lock of each rank, of which it holds one at most. In images with
// sanitizers alone.
#define SPIN_RANKS 32 // as in spin.S
#ifdef SANITIZE
extern u64 spin_taken_at[ORRERY_MAX_CPUS][SPIN_RANKS];
#endif

void spin_init(struct spinlock *lock, const char *name, enum lock_rank rank);
// Thread or interrupt context, never from the PMI handler. Panics on self-deadlock and on rank
// inversion.
void spin_lock(struct spinlock *lock);
// Only by its holder, in reverse order of taking.
void spin_unlock(struct spinlock *lock);
bool spin_held(const struct spinlock *lock); // by this CPU

// Adds atomically (relaxed), for statistics that several CPUs write. Returns the value before.
u64 atomic_add(u64 *word, u64 addend);

// Stores value if *word is 0. Returns true if it did. For the panic path, which can take no lock.
bool atomic_claim(u32 *word, u32 value);

#endif
