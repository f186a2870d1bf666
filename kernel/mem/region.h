// SPDX-License-Identifier: MIT
// Regions: ranges of a space's addresses over ranges of a memory object's pages, and the fault that
// wants one of them.
#ifndef KERNEL_MEM_REGION_H
#define KERNEL_MEM_REGION_H

#include "page_map.h"

#include <co/object.h>
#include <kernel/address_space.h>
#include <kernel/memory.h>

#define REGION_WIRED 0          // kernel-made pages, always mapped (space_wire)
#define PROTECT_MAX (1UL << 18) // pages of part of a region whose protection is changed at once

struct fault;
struct fcm;
struct file;
struct hat;
struct region;
struct segment;

struct region_ops {
    struct co_ops base;
    s64 (*fault)(struct region *self, struct fault *fault); // enum fault_result
};

// What a fault asks a region and then its FCMs for.
struct fault {
    struct region *region;
    u64 address; // page-aligned
    u64 page;    // number in the region
    u32 access;  // PROT_R, PROT_W or PROT_X
    bool force;  // for the loader: a private page is given even if the process may not write it
    struct fault_wait *wait;
    struct file *pump;       // has a server to tell once no lock is held
    struct segment *segment; // where it will be mapped
};

struct region {
    CO_REP(struct region_ops);
    struct co_root root;
    struct address_space *space;
    struct hat *hat;
    u64 start;
    volatile u64 pages; // shrinks before its pages go
    volatile u32 prot;  // of pages that have none of their own
    u8 kind;            // enum region_kind or REGION_WIRED
    volatile bool closed;
    bool changing;               // an operation on it is under way; space lock
    bool text;                   // began executable: never writable
    bool readable;               // REGION_SHARED: whoever made it may only read the memory
    volatile bool sharable;      // its translations may be shared with other spaces (share.c)
    bool overridden;             // shared: some pages have protections of their own
    struct fcm *fcm;             // private kinds: its own; REGION_SHARED: the memory object
    struct fcm *held;            // a memory object that is in the space's account; or NULL
    u64 first;                   // REGION_SHARED: page of fcm at start
    struct page_map protections; // REGION_SHARED: of single pages (ENTRY_PROT)
    void *wired;
    u32 wired_order;
    struct region *next_user; // of a shared FCM's users
    struct region *previous_user;
};

// Makes an open region that is not in its space yet. Takes over one reference to fcm. Returns NULL
// if out of memory.
struct region *region_create(struct address_space *space, struct hat *hat,
                             const struct sys_region *wanted, struct fcm *fcm);
// Returns the memory object behind it that others may share, or NULL.
struct fcm *region_shared_fcm(const struct region *region);
// Closes the region: it resolves no faults any more.
void region_close(struct region *region);
void region_reopen(struct region *region);
// Closes it for faults, takes its mappings and pages away, and ends the object.
// It is in no list any more.
void region_destroy(struct region *region);

static inline u64 region_end(const struct region *region)
{
    return region->start + region->pages * PAGE_SIZE;
}

// Addresses below it that must stay free too.
static inline u64 region_guard(const struct region *region)
{
    return region->kind == REGION_STACK ? PAGE_SIZE : 0;
}

static inline bool region_is_private(const struct region *region)
{
    return region->kind != REGION_SHARED;
}

// Returns the protection of one page of a REGION_SHARED, with the page's lock held.
u32 region_protection(const struct region *region, u64 page);

// Operations on whole pages [first, first + count) of an open region, counted from its start. Only
// one at a time (changing). 0 or an error, which changed nothing.
s64 region_protect(struct region *region, u64 first, u64 count, u32 prot);
s64 region_commit(struct region *region, u64 first, u64 count, u32 prot);
// Gives all pages of a REGION_SHARED's anonymous object a frame and maps them, so that none of them
// can be refused later. Returns 0; E_INVAL if it is another object, or behind its end; E_NOMEM,
// E_LIMIT.
s64 region_populate(struct region *region, u64 first, u64 count);
void region_decommit(struct region *region, u64 first, u64 count);
void region_shrink(struct region *region, u64 pages);
void region_grow(struct region *region, u64 pages);

#endif
