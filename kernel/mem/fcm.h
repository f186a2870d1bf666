// SPDX-License-Identifier: MIT
// File Cache Managers keep the page frames of memory objects, and make them addressable for Regions
// (S000 §2.4.3). Implementations: FCMComputation (computation.c) for anonymous memory, shared or
// distributed; FCMFile (file.c); FCMPhysical (physical.c).
#ifndef KERNEL_MEM_FCM_H
#define KERNEL_MEM_FCM_H

#include "page_map.h"
#include "region.h"

#include <kernel/refs.h>

#define KIND_FCM REFS_KIND('F', 'C', 'M', ' ')

struct fcm_rep;
struct fr;
struct pm;

// A piece of one page to copy between kernel memory and the object.
struct transfer {
    u64 page;
    u64 offset, bytes; // within the page
    void *to;          // one of the two
    const void *from;
    // For text: write only over this word, else E_EXIST, and only if the page is executable, by its
    // own or the region's protection, else E_INVAL. NULL: over anything.
    const u32 *expected;
    u32 region_prot;
};

struct fcm_ops {
    struct co_ops base;
    // For a region that maps this FCM itself: makes a page addressable. enum fault_result.
    s64 (*fault)(struct fcm_rep *self, struct fault *fault);
    // For a region over a private FCM whose source this is: maps a page of ours read-only, or
    // copies it to a frame. The private FCM's lock is held. enum fault_result.
    s64 (*lend)(struct fcm_rep *self, struct fault *fault, u64 page, u32 prot);
    s64 (*copy)(struct fcm_rep *self, struct fault *fault, u64 page, void *to);
    // 0, or E_AGAIN: the page is not there.
    s64 (*transfer)(struct fcm_rep *self, struct transfer *transfer);
    // Gives all frames back: no region uses them any more.
    s64 (*end)(struct fcm_rep *self);
};

// What clients call: a rep of its own a CPU in distributed implementations.
struct fcm_rep {
    CO_REP(struct fcm_ops);
    struct fcm *fcm;
    u64 faults;
};

// Common to all implementations, and first in their structures.
struct fcm {
    struct co_root root;
    struct fcm_rep rep; // shared implementations
    struct refs refs;
    u64 bytes;
    struct pm *pm;    // whose frames they are, one reference
    bool single_lock; // shared implementation: one lock for all pages
    bool private;     // belongs to one region
    bool read_only;
    struct spinlock lock;
    struct page_map pages;
    struct fcm *source; // private: where pages come from that were never written; NULL: zeroes
    u64 source_first;   // its page at our page 0
    u64 source_pages;   // so many; those behind them begin as zeroes
    struct spinlock users_lock;
    bool shares;                 // a source whose pages' translations can be shared
    struct shared_list *sharing; // segments that are (share.c)
    // For implementations that want to know: a region has gone; one reference is left,
    // and it is the server's. NULL: not.
    void (*detached)(struct fcm *fcm);
    void (*alone)(struct fcm *fcm);
    volatile bool let_go; // a reference has gone since alone() was called last
    struct region *users; // regions that may map pages, sources: also those over private FCMs
    struct fr *watcher;   // is told when the object has ended; NULL: nobody. Under users_lock
    u32 lent;             // holders without rights, of a maker with some (holding.c)
    char name[32];
};

// Fills in the common part. Takes over the reference to pm.
void fcm_init(struct fcm *fcm, const char *name, u64 bytes, struct pm *pm, bool private);
// Makes an FCMComputation for one region, over nothing. Returns NULL if out of memory.
struct fcm *fcm_create_private(const char *name, u64 pages, struct pm *pm, bool distributed);
// Does as fcm_create_private, but over a source, whose reference it takes over on success. It has
// source_pages of the source's pages from first on (UINT64_MAX: all), and zeroes behind them.
struct fcm *fcm_create_over(struct fcm *source, u64 first, u64 source_pages, u64 pages,
                            struct pm *pm, bool distributed);
// Returns the source of a page that was never written, or NULL if it begins as zeroes.
static inline struct fcm *fcm_source_of(const struct fcm *fcm, u64 page)
{
    return page < fcm->source_pages ? fcm->source : NULL;
}
// Takes a reference to an object found in a list. Returns false if the object is ending.
bool fcm_try_hold(struct fcm *fcm);
// Has a server told once the object has ended. Takes over fr. Returns false if there is one
// already.
bool fcm_watch(struct fcm *fcm, struct fr *fr);
// Gives the watching server's reference back. Returns true if it was the last: then the object has
// ended, and the server is not told.
bool fcm_leave(struct fcm *fcm);
// Transfers a frame into a page with this entry. Returns 0 or E_EXIST. The caller holds the page's
// lock.
s64 transfer_frame(const struct transfer *transfer, u64 entry);
void fcm_add_user(struct fcm *fcm, struct region *region);
void fcm_remove_user(struct fcm *fcm, struct region *region);
// Waits until every fault on pages of [first, first + count) that began before has finished. Later
// ones see what was stored before the call.
void fcm_drain_faults(struct fcm *fcm, u64 first, u64 count);
u64 fcm_resident(const struct fcm *fcm, u64 first, u64 count);

// Takes away the frames of pages in a range, with these flags of theirs, from a private FCM. Their
// mappings are removed before the frames are free.
void fcm_drop(struct fcm *fcm, struct region *region, u64 first, u64 count, u64 flags);
// Does as fcm_drop for pages that never were committed and are not mapped.
void fcm_drop_uncommitted(struct fcm *fcm, u64 first, u64 count);
// Gives all pages of a range a frame, zeroed if new. Returns 0, E_NOMEM or E_LIMIT. On an error,
// new frames of pages without ENTRY_COMMITTED may stay behind.
s64 fcm_populate(struct fcm *fcm, u64 first, u64 count);
// Changes the flags of each entry of a range that has a leaf (make: of all; false: out of memory).
bool fcm_set_flags(struct fcm *fcm, u64 first, u64 count, u64 clear, u64 set, bool make);

static inline struct spinlock *fcm_lock_of(struct fcm *fcm, struct page_leaf *leaf)
{
    return fcm->single_lock ? &fcm->lock : &leaf->lock;
}

static inline u64 fcm_pages(const struct fcm *fcm)
{
    return (fcm->bytes + PAGE_SIZE - 1) / PAGE_SIZE;
}

// ---- frames -------------------------------------------------------------------------------------
void frame_zero(u64 frame);
void frame_copy(void *to, const void *from);
// Makes the instruction cache forget what it had of the frame.
void frame_make_coherent(u64 frame);
void make_coherent(const void *from, u64 bytes);
extern u64 zero_frame; // read-only, never written

#endif
