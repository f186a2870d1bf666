// SPDX-License-Identifier: MIT
// SegmentHATs: the last level of translation, one table of 2 MB. A space's own, or shared by all
// spaces that map the same pages of a memory object at the same place, read-only: program text is
// translated once for all.
#include "segment.h"

#include <orrery/memory.h>
#include <string.h>

_Static_assert(PROT_R == 1 && PROT_W == 2 && PROT_X == 4, "segment_entry");

static inline void store_entry(u64 *slot, u64 entry)
{
    __atomic_store_n(slot, entry, __ATOMIC_RELEASE);
}

// An entry that was invalid is in no TLB, so nothing is flushed for it,
// and no ptesync waits for the store:
// should a CPU walk the tables before it sees the entry, it faults once more and finds it.
static CO_METHOD s64 segment_map_own(struct segment *self, u64 address, u64 entry)
{
    CO_HOME(self);
    u64 *slot = segment_slot(self, address);
    u64 before = *slot;

    store_entry(slot, entry);
    if (before != 0 && before != entry)
        hat_flush_page(self->hat, address);
    return 0;
}

static CO_METHOD s64 map_shared(struct segment *self, u64 address, u64 entry)
{
    CO_HOME(self);
    u64 *slot = segment_slot(self, address);
    u64 before = *slot;

    store_entry(slot, entry);
    if (before != 0 && before != entry)
        mmu_flush_all();
    return 0;
}

static void segment_root_destroy(struct co_root *root)
{
    struct segment *segment = container_of(root, struct segment, root);

    if (segment->hat == NULL)
        pages_free(segment->table, 0);
    kfree(segment);
}

static const struct segment_ops own_ops = {CO_LEAF, segment_map_own};
static struct co_class own_class = {
    .name = "SegmentHAT",
    .implementation = "SegmentHATPrivate",
    .size = sizeof(struct segment),
    .ops = &own_ops.base,
    .destroy = segment_root_destroy,
};
static const struct segment_ops shared_ops = {CO_LEAF, map_shared};
static struct co_class shared_class = {
    .name = "SegmentHAT",
    .implementation = "SegmentHATShared",
    .size = sizeof(struct segment) + sizeof(struct segment_key),
    .ops = &shared_ops.base,
    .destroy = segment_root_destroy,
};

static struct segment *segment_make(struct co_class *class, u64 bytes, struct hat *hat, u64 *table)
{
    struct segment *segment = kzalloc(bytes);

    if (segment == NULL)
        return NULL;
    segment->hat = hat;
    refs_init(&segment->refs, KIND_SEGMENT);
    segment->table = table;
    if (co_create_shared(class, &segment->root, &segment->co) < 0) {
        kfree(segment);
        return NULL;
    }
    return segment;
}

struct segment *segment_create(struct hat *hat, u64 *table)
{
    return segment_make(&own_class, sizeof(struct segment), hat, table);
}

void segment_destroy(struct segment *segment)
{
    co_destroy(segment->root.coid);
}

// ---- shared -------------------------------------------------------------------------------------

struct shared_segment {
    struct segment segment;
    struct segment_key key;
};

struct segment *segment_create_shared(const struct segment_key *key)
{
    u64 *table = pages_alloc_for_caller(0);

    if (table == NULL)
        return NULL;
    struct segment *segment =
        segment_make(&shared_class, sizeof(struct shared_segment), NULL, table);
    if (segment == NULL)
        pages_free(table, 0);
    else
        ((struct shared_segment *)segment)->key = *key;
    return segment;
}

coid_t segment_coid(const struct segment *segment)
{
    return segment->root.coid;
}

const struct segment_key *segment_key(const struct segment *segment)
{
    return &((const struct shared_segment *)segment)->key;
}

// The table of a shared one goes only after quiescence: a fault that found the
// segment may still store to it.
void segment_put(struct segment *segment)
{
    if (refs_put(&segment->refs, KIND_SEGMENT) == 0)
        co_destroy(segment->root.coid);
}

void segment_share_unmap(struct segment *segment, u64 address, u64 page)
{
    u64 *slot = segment_slot(segment, address);

    if ((*slot & PTE_ADDRESS) == page) {
        *slot = 0;
        mmu_flush_all();
    }
}
