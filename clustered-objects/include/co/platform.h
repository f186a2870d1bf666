// SPDX-License-Identifier: MIT
// Functions that the host of clustered objects supplies: the kernel (kernel/objects), user
// processes (userlib/objects) or the unit tests.
#ifndef CO_PLATFORM_H
#define CO_PLATFORM_H

#include <orrery/types.h>

#define CO_PAGE_SIZE 4096

// ---- CPUs --------------------------------------------------------------------------------------
u32 co_platform_cpu(void);       // the calling CPU
u64 co_platform_window(u32 cpu); // base of its window (orrery/r13.h), reachable from all CPUs
// soft-masks interrupts; returns the state for co_platform_unmask
u64 co_platform_mask(void);
void co_platform_unmask(u64 state); // restores it
void co_platform_poke(u32 cpu);     // makes cpu call co_cpu_advance soon
void co_platform_fence(void);       // full memory barrier

// May the caller be made to wait here? Not if interrupts are masked, or in an interrupt.
bool co_platform_can_wait(void);
// Waits about so long. The caller keeps its references, and who waits for its generation waits too.
void co_platform_wait(u64 us);
// Waits about so long, and passes a checkpoint. This CPU's generation advances if it can.
void co_platform_rest(u64 us);
u32 co_platform_thread(void); // the calling thread's number
u64 co_platform_now(void);    // time base, ticks

// ---- memory ------------------------------------------------------------------------------------
void *co_platform_alloc(u64 bytes); // zeroed, 16-byte aligned; NULL when out of memory
void co_platform_free(void *memory);
void *co_platform_page_alloc(void); // one page, contents undefined, for co_platform_map
void co_platform_page_free(void *page);
// Maps page at a page-aligned address inside a window, over any old page. On return all CPUs see
// the new page. If it replaces a page that others may read meanwhile, they see the second half of
// each 16 bytes first. Returns 0 or E_NOMEM.
s64 co_platform_map(u64 address, const void *page, bool writable);
void co_platform_unmap(u64 address); // no effect when not mapped
// True where one page cannot be mapped at two places: then map copies page, which the caller keeps.
// NULL then maps a writable page that keeps the old contents that readers may have seen, or is
// zero.
extern const bool co_platform_map_copies;
// Reads memory that may be missing. Returns 0 or E_FAULT. Any context, PMI included. For identify.c
// only.
s64 co_platform_safe_read(void *to, u64 from, u64 bytes);

// ---- locks -------------------------------------------------------------------------------------
// Spin locks that soft-mask interrupts. The manager never holds two of its own at a time.
enum co_lock_rank {
    CO_LOCK_OBJECT, // an object's own lock, kernel/spinlock.h RANK_OBJECT
    CO_LOCK_TABLE,  // the manager's, RANK_CO: above the objects' and below the memory's
};
struct co_lock {
    u64 words[6];
};
void co_platform_lock_init(struct co_lock *lock, const char *name, enum co_lock_rank rank);
void co_platform_lock(struct co_lock *lock);
void co_platform_unlock(struct co_lock *lock);
u64 co_platform_atomic_add(u64 *word, u64 addend); // relaxed; returns the value before

// ---- names -------------------------------------------------------------------------------------
// Names of the object at the root of the tree, and of its and the ObjectManager's implementations.
extern const char co_platform_root_name[], co_platform_root_implementation[];
extern const char co_platform_manager_implementation[];

// ---- code patching -----------------------------------------------------------------------------
struct co_dref_site {
    u32 *site; // the nop
    u32 *stub; // counts, and branches back behind the site
};
const struct co_dref_site *co_platform_dref_sites(u64 *count);
// Make a batch of patches; one at a time. Thread context, no lock held. After end, every CPU
// executes the new code.
void co_platform_patch_begin(void);
void co_platform_patch_nop(u32 *instruction);
void co_platform_patch_branch(u32 *instruction, const u32 *target);
void co_platform_patch_end(void);

// ---- threads -----------------------------------------------------------------------------------
// Starts cpu's reaper: a thread on it that calls work() until it returns 0, then sleeps until
// co_platform_reaper_wake. Between calls it sleeps the ticks that work returned, without holding a
// reference. It has priority over ordinary threads, so destroyers of objects also pay for it. The
// thread may be made only when it is first woken. Returns the thread's COID, 0 if it is not a
// clustered object, or E_NOMEM.
s64 co_platform_reaper_start(u32 cpu, u64 (*work)(void));
// Returns false if it wakes nobody: before the start, or without memory for the thread. The reaper
// asks again with the next object. Any context but PMI.
bool co_platform_reaper_wake(u32 cpu);
u64 co_platform_microseconds(u64 us); // in time base ticks

#endif
