// SPDX-License-Identifier: MIT
// What a memory object knows of its pages: a radix tree by page number. Its leaves hold 32 entries
// each and a lock of their own, so that work on pages far apart shares nothing. Nodes are only
// added while the object lives, which is why they are found without a lock.
#ifndef KERNEL_MEM_PAGE_MAP_H
#define KERNEL_MEM_PAGE_MAP_H

#include <kernel/spinlock.h>

#define LEAF_PAGES 32

// An entry: the page's physical address, 0 when there is none, and flags.
#define ENTRY_PAGE 0x01fffffffffff000UL
#define ENTRY_PROT 0x007UL       // PROT_* of this page, when
#define ENTRY_PROT_SET 0x008UL   // it differs from the region's
#define ENTRY_COMMITTED 0x010UL  // REGION_COMMIT: the page may be used
#define ENTRY_DIRTY 0x020UL      // file: written to since the server took it
#define ENTRY_REFERENCED 0x040UL // file: used since reclaim last looked
#define ENTRY_COHERENT 0x080UL   // the instruction cache agrees with it
#define ENTRY_WRITTEN 0x100UL    // file: the server was told that it is dirty

struct page_leaf {
    struct spinlock lock;
    u64 first; // number of the first page
    u64 entries[LEAF_PAGES];
};

struct pm;

struct page_map {
    struct spinlock lock; // adding nodes
    u64 top;              // highest node, and in the low bits its height; 0: empty
    u64 begin, end;       // no leaf has a page outside of them
    u8 leaf_rank;
    struct pm *pm; // whose account pays for the nodes
    u64 nodes;     // that exist
    u64 paid;      // pages charged, each for NODES_PER_PAGE nodes
};

// rank: of the locks of leaves and of the map itself, which are never held together. pm: charged
// for the nodes; not held, page_map_uncharge comes before its end.
void page_map_init(struct page_map *map, enum lock_rank rank, struct pm *pm);
// Gives back what was charged: no node will be added any more.
void page_map_uncharge(struct page_map *map);
// Returns the leaf that has a page, or NULL if there is none. page < 2^35. Any context but PMI.
struct page_leaf *page_map_find(const struct page_map *map, u64 page);
// Does as page_map_find, but makes a leaf that is missing. Returns NULL if out of memory. Thread
// context, no lock held.
struct page_leaf *page_map_get(struct page_map *map, u64 page);
// Returns the first leaf with any page >= page, or NULL.
struct page_leaf *page_map_next(const struct page_map *map, u64 page);
// Returns the first leaf with any page in [page, end), or NULL.
struct page_leaf *page_map_next_before(const struct page_map *map, u64 page, u64 end);
// Changes flags of the entries of a range: of those that have a leaf, or with make of all (false:
// out of memory, nothing was changed). single: the lock that stands for all leaves' locks, or NULL.
bool page_map_set_flags(struct page_map *map, struct spinlock *single, u64 first, u64 count,
                        u64 clear, u64 set, bool make);
// Orders leaves: every leaf that was begun before this call is found by those that follow. Whoever
// begins one later sees what this CPU stored before.
void page_map_fence(struct page_map *map);
// Frees the nodes; nobody uses the map any more.
void page_map_destroy(struct page_map *map);

// Return the part of [first, end) that lies in a leaf.
static inline u64 leaf_begin(const struct page_leaf *leaf, u64 first)
{
    return leaf->first > first ? leaf->first : first;
}

static inline u64 leaf_end(const struct page_leaf *leaf, u64 end)
{
    return leaf->first + LEAF_PAGES < end ? leaf->first + LEAF_PAGES : end;
}

static inline u64 *page_map_entry(struct page_leaf *leaf, u64 page)
{
    return &leaf->entries[page % LEAF_PAGES];
}

#endif
