// SPDX-License-Identifier: MIT
// Spin locks: all but the short way (spin.S). These two have the kernel's only larx/stcx loops. A
// CPU that waits spins on larx, so that the PMU sees contention as larx without a matching stcx
// (docs/locks.md). Trace lock_contended tells once of each acquisition that had to wait.
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <kernel/spinlock.h>
#include <kernel/timer.h>
#include <kernel/unwind.h>
#include <trace/events.h>

#include "lock_events.h"
#include "spin.h"

#ifdef SANITIZE
u64 spin_taken_at[ORRERY_MAX_CPUS][SPIN_RANKS];
_Static_assert(RANK_DEPOT < SPIN_RANKS, "each rank has its place");
#endif

// One attempt: load with reservation, test, conditional store. Acquire order by isync.
static bool try_lock(u32 *word, u32 owner)
{
    u32 before;

    __asm__ volatile("1: lwarx %0,0,%1\n"
                     "   cmpwi %0,0\n"
                     "   bne- 2f\n"
                     "   stwcx. %2,0,%1\n"
                     "   bne- 1b\n"
                     "   isync\n"
                     "2:"
                     : "=&r"(before)
                     : "r"(word), "r"(owner)
                     : "cr0", "memory");
    return before == 0;
}

u64 atomic_add(u64 *word, u64 addend)
{
    u64 before, after;

    __asm__ volatile("1: ldarx %0,0,%2\n"
                     "   add %1,%0,%3\n"
                     "   stdcx. %1,0,%2\n"
                     "   bne- 1b"
                     : "=&r"(before), "=&r"(after)
                     : "r"(word), "r"(addend)
                     : "cr0", "memory");
    return before;
}

bool atomic_claim(u32 *word, u32 value)
{
    return try_lock(word, value);
}

void spin_init(struct spinlock *lock, const char *name, enum lock_rank rank)
{
    *lock = (struct spinlock)SPINLOCK_INIT(name, rank);
}

bool spin_held(const struct spinlock *lock)
{
    return lock->word == cpu_id() + 1;
}

// Waits for the lock and takes it. A turn is a pause, larx, test and branch: four instructions,
// which the metrics of contention take it for (docs/design/contracts.md). CTR counts turns down
// from 0 at no instruction's cost. Returns how many there were; each was one larx, the last one
// took the lock.
static u64 spin(u32 *word, u32 owner)
{
    u64 turns = 0;
    u32 before;

    __asm__ volatile("   mtctr %1\n"
                     "1: or 31,31,31\n" // lets the emulator run another CPU
                     "   lwarx %0,0,%2\n"
                     "   cmpwi %0,0\n"
                     "   bdnzf eq,1b\n"
                     "   stwcx. %3,0,%2\n"
                     "   bne- 1b\n"
                     "   isync\n"
                     "   mfctr %1"
                     : "=&r"(before), "+r"(turns)
                     : "r"(word), "r"(owner)
                     : "ctr", "cr0", "memory");
    return -turns;
}

static void spin_wait(struct spinlock *lock)
{
    trace_lock_wait((u64)lock, 0, 0);
    u64 start = timebase();
    percpu()->awaited_lock = lock;
    u64 turns = spin(&lock->word, cpu_id() + 1);
    percpu()->awaited_lock = NULL;

    u64 callers[3] = {0};
    if (trace_enabled(TRACE_MAJOR_LOCK))
        stack_walk_here(callers, ARRAY_SIZE(callers));
    trace_lock_contended((u64)lock, turns, timebase() - start, callers[0], callers[1], callers[2]);
}

void spin_wrong_order(const struct spinlock *lock)
{
    const struct spinlock *held = percpu()->innermost_lock;

    if (spin_held(lock))
        panic("deadlock: taking %s, which CPU %u has already", lock->name, cpu_id());
    panic("lock order: taking %s (rank %u) while holding %s (rank %u)", lock->name, lock->rank,
          held->name, held->rank);
}

void spin_wrong_unlock(const struct spinlock *lock)
{
    panic("unlocking %s, which CPU %u does not hold or not last", lock->name, cpu_id());
}

// Out of line, because its caller's callers are told. Logging takes no lock, so it comes here no
// second time. The innermost caller is the function that takes the lock, which everybody knows.
void lock_tell_taken(const void *lock, bool sleeping)
{
    u64 callers[1 + 3] = {0};

    stack_walk_here(callers, ARRAY_SIZE(callers));
    trace_lock_take((u64)lock, sleeping, callers[1], callers[2], callers[3]);
}

void spin_lock_traced(struct spinlock *lock)
{
    lock_tell_taken(lock, false);
    __asm__ volatile(""); // a call, not a jump
}

void spin_lock_slow(struct spinlock *lock, u8 masked, struct spinlock *outer)
{
    spin_wait(lock);
    lock->masked = masked;
    lock->outer = outer;
    percpu()->innermost_lock = lock;
#ifdef SANITIZE
    spin_taken_at[cpu_id()][lock->rank] = (u64)__builtin_return_address(0);
#endif
    TRACE_POINT(TRACE_MAJOR_LOCKHOLD, told);
    return;
told:
    lock_tell_taken(lock, false);
    __asm__ volatile("");
}

void spin_unlock_traced(struct spinlock *lock)
{
    u8 masked = lock->masked;

    trace_lock_release((u64)lock, 0);
    percpu()->innermost_lock = lock->outer;
    __asm__ volatile("lwsync" ::: "memory");
    *(volatile u32 *)&lock->word = 0;
    soft_mask_restore(masked);
}
