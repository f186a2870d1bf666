// SPDX-License-Identifier: MIT
// Radix trees of pages: see page_map.h.
#include "page_map.h"

#include "pm.h"

#include <kernel/memory.h>

#define LEAF_BITS 5
#define NODE_BITS 6
#define NODE_SLOTS (1u << NODE_BITS)
#define HEIGHT_MASK 7UL
#define NODES_PER_PAGE 8
#define NODES_AT_ONCE 12 // more than one leaf can need

_Static_assert(1 << LEAF_BITS == LEAF_PAGES, "leaf geometry");

struct node {
    void *slots[NODE_SLOTS];
};

_Static_assert(sizeof(struct page_leaf) <= PAGE_SIZE / NODES_PER_PAGE, "what a leaf is paid as");

void page_map_init(struct page_map *map, enum lock_rank rank, struct pm *pm)
{
    *map = (struct page_map){.leaf_rank = (u8)rank, .pm = pm, .begin = UINT64_MAX};
    spin_init(&map->lock, "page map", rank);
}

void page_map_uncharge(struct page_map *map)
{
    for (; map->paid > 0; map->paid--)
        pm_uncharge(map->pm);
}

// Pays ahead for all nodes that one leaf may need, with no lock held, as that may reclaim.
// False: it cannot.
static bool pay(struct page_map *map)
{
    while (map->nodes + NODES_AT_ONCE > map->paid * NODES_PER_PAGE) {
        if (pm_charge(map->pm) != 0)
            return false;
        spin_lock(&map->lock);
        map->paid++;
        spin_unlock(&map->lock);
    }
    return true;
}

static void *node_of(u64 top)
{
    return (void *)(top & ~HEIGHT_MASK);
}

static u32 height_of(u64 top)
{
    return (u32)(top & HEIGHT_MASK);
}

// Position of a page among the slots of a node of this height (1: its slots are leaves).
static u32 slot_index(u64 page, u32 height)
{
    return (u32)(page >> (LEAF_BITS + (height - 1) * NODE_BITS)) & (NODE_SLOTS - 1);
}

static bool covers(u32 height, u64 page)
{
    return page >> (LEAF_BITS + height * NODE_BITS) == 0;
}

struct page_leaf *page_map_find(const struct page_map *map, u64 page)
{
    u64 top = __atomic_load_n(&map->top, __ATOMIC_ACQUIRE);
    void *node = node_of(top);

    if (!covers(height_of(top), page))
        return NULL;
    for (u32 height = height_of(top); height > 0 && node != NULL; height--)
        node = __atomic_load_n(&((struct node *)node)->slots[slot_index(page, height)],
                               __ATOMIC_ACQUIRE);
    return node;
}

static struct page_leaf *leaf_new(struct page_map *map, u64 page)
{
    struct page_leaf *leaf = kzalloc(sizeof(*leaf));

    if (leaf != NULL) {
        map->nodes++;
        spin_init(&leaf->lock, "pages of an object", map->leaf_rank);
        leaf->first = ALIGN_DOWN(page, (u64)LEAF_PAGES);
        if (leaf->first < map->begin)
            __atomic_store_n(&map->begin, leaf->first, __ATOMIC_RELAXED);
        if (leaf->first + LEAF_PAGES > map->end)
            __atomic_store_n(&map->end, leaf->first + LEAF_PAGES, __ATOMIC_RELAXED);
    }
    return leaf;
}

// Puts a new node above the present top. Returns false if out of memory. The caller holds the map's
// lock.
static bool heighten(struct page_map *map)
{
    u32 height = height_of(map->top) + 1;
    struct node *node = kzalloc(sizeof(*node));

    if (node == NULL)
        return false;
    map->nodes++;
    node->slots[0] = node_of(map->top);
    __atomic_store_n(&map->top, (u64)node | height, __ATOMIC_RELEASE);
    return true;
}

// Returns the leaf that has a page, made if there is none. Returns NULL if out of memory. The
// caller holds the map's lock.
static struct page_leaf *page_map_add(struct page_map *map, u64 page)
{
    while (!covers(height_of(map->top), page)) {
        if (!heighten(map))
            return NULL;
    }
    u32 height = height_of(map->top);
    if (height == 0) {
        if (map->top == 0)
            __atomic_store_n(&map->top, (u64)leaf_new(map, page), __ATOMIC_RELEASE);
        return node_of(map->top);
    }
    struct node *node = node_of(map->top);
    for (;; height--) {
        void **slot = &node->slots[slot_index(page, height)];
        if (*slot == NULL) {
            void *made = height > 1 ? kzalloc(sizeof(*node)) : (void *)leaf_new(map, page);
            map->nodes += height > 1 && made != NULL;
            __atomic_store_n(slot, made, __ATOMIC_RELEASE);
        }
        if (*slot == NULL || height == 1)
            return *slot;
        node = *slot;
    }
}

struct page_leaf *page_map_get(struct page_map *map, u64 page)
{
    struct page_leaf *leaf = page_map_find(map, page);

    if (leaf != NULL || !pay(map))
        return leaf;
    spin_lock(&map->lock);
    leaf = page_map_add(map, page);
    spin_unlock(&map->lock);
    return leaf;
}

// Returns the first leaf of a node's pages >= page, or NULL. base: the node's first page.
static struct page_leaf *next_below(void *node, u32 height, u64 base, u64 page)
{
    if (height == 0)
        return node;
    u64 span = 1UL << (LEAF_BITS + (height - 1) * NODE_BITS);
    u32 first = page <= base ? 0 : (u32)((page - base) / span);
    for (u32 i = first; i < NODE_SLOTS; i++) {
        void *slot = __atomic_load_n(&((struct node *)node)->slots[i], __ATOMIC_ACQUIRE);
        if (slot == NULL)
            continue;
        struct page_leaf *leaf = next_below(slot, height - 1, base + i * span, page);
        if (leaf != NULL)
            return leaf;
    }
    return NULL;
}

struct page_leaf *page_map_next(const struct page_map *map, u64 page)
{
    u64 top = __atomic_load_n(&map->top, __ATOMIC_ACQUIRE);
    u64 begin = __atomic_load_n(&map->begin, __ATOMIC_RELAXED);

    if (page >= __atomic_load_n(&map->end, __ATOMIC_RELAXED))
        return NULL;
    if (page < begin)
        page = begin;
    if (top == 0 || !covers(height_of(top), page))
        return NULL;
    return next_below(node_of(top), height_of(top), 0, page);
}

struct page_leaf *page_map_next_before(const struct page_map *map, u64 page, u64 end)
{
    struct page_leaf *leaf = page < end ? page_map_next(map, page) : NULL;

    return leaf != NULL && leaf->first < end ? leaf : NULL;
}

static bool make_leaves(struct page_map *map, u64 first, u64 end)
{
    for (u64 page = first; page < end; page = ALIGN_DOWN(page, (u64)LEAF_PAGES) + LEAF_PAGES) {
        if (page_map_get(map, page) == NULL)
            return false;
    }
    return true;
}

bool page_map_set_flags(struct page_map *map, struct spinlock *single, u64 first, u64 count,
                        u64 clear, u64 set, bool make)
{
    u64 end = first + count;
    struct page_leaf *leaf;

    if (make && !make_leaves(map, first, end))
        return false;
    for (u64 page = first; (leaf = page_map_next_before(map, page, end)) != NULL;
         page = leaf->first + LEAF_PAGES) {
        struct spinlock *lock = single != NULL ? single : &leaf->lock;
        spin_lock(lock);
        for (u64 at = leaf_begin(leaf, first); at < leaf_end(leaf, end); at++) {
            u64 *entry = page_map_entry(leaf, at);
            *entry = (*entry & ~clear) | set;
        }
        spin_unlock(lock);
    }
    return true;
}

void page_map_fence(struct page_map *map)
{
    spin_lock(&map->lock);
    spin_unlock(&map->lock);
}

// Most slots are empty.
static void destroy_below(void *node, u32 height)
{
    for (u32 i = 0; height > 0 && i < NODE_SLOTS; i++) {
        void *slot = ((struct node *)node)->slots[i];
        if (slot != NULL)
            destroy_below(slot, height - 1);
    }
    kfree(node);
}

void page_map_destroy(struct page_map *map)
{
    if (map->top != 0)
        destroy_below(node_of(map->top), height_of(map->top));
    map->top = map->nodes = map->end = 0;
    map->begin = UINT64_MAX;
}
