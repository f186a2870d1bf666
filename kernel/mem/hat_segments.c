// SPDX-License-Identifier: MIT
// The segments of a space and the directories above them: found, made, attached, detached,
// given back.
#include "hat_rep.h"

#include "pids.h"
#include "pm.h"

#include <orrery/errors.h>

struct segment *hat_segment_find(struct hat *hat, u64 address)
{
    struct hat_slot *slot = hat_slot_find(hat, address >> SEGMENT_SHIFT);

    return slot != NULL ? hat_attached(slot) : NULL;
}

// Returns the directory entry of a segment. Returns NULL if a table is missing, with its place in
// *missing. The caller holds the lock.
static u64 *walk(struct hat *hat, u64 address, u64 **missing)
{
    u64 *entry = &hat->pgd[pgd_index(address)];

    for (u32 level = 2; level > 0; level--) {
        if (!(*entry & PTE_VALID)) {
            *missing = entry;
            return NULL;
        }
        u64 *table = phys_to_virt(*entry & PTE_ADDRESS);
        entry = &table[table_index(address, level)];
    }
    return entry;
}

// Makes a slot with the directories above it. Tables are allocated with no lock held,
// as that may reclaim.
static s64 add_slot(struct hat *hat, u64 address)
{
    struct hat_slot *slot = kzalloc(sizeof(*slot));
    u64 *table = NULL;
    bool done = false;

    if (slot == NULL)
        return E_NOMEM;
    while (!done) {
        u64 *missing = NULL;
        spin_lock(&hat->lock);
        u64 *entry = walk(hat, address, &missing);
        if (entry == NULL && table != NULL) {
            __atomic_store_n(missing, table_entry(table), __ATOMIC_RELEASE);
            table = NULL;
        } else if (entry != NULL) {
            struct hat_slot **first = hat_bucket(hat, address >> SEGMENT_SHIFT);
            if (hat_slot_find(hat, address >> SEGMENT_SHIFT) == NULL) {
                *slot = (struct hat_slot){
                    .next = *first, .number = address >> SEGMENT_SHIFT, .entry = entry};
                __atomic_store_n(first, slot, __ATOMIC_RELEASE);
                slot = NULL;
            }
            done = true;
        }
        spin_unlock(&hat->lock);
        if (!done && table == NULL && (table = pm_table_alloc(hat->pm)) == NULL)
            break;
    }
    if (table != NULL)
        pm_table_free(hat->pm, table);
    kfree(slot);
    if (!done)
        hat->incomplete = true;
    return done ? 0 : E_NOMEM;
}

// Attaches a segment unless an own one, or with replace unset any one, is there already: whether it
// did.
// What it replaces goes to *before.
static bool hat_attach(struct hat *hat, struct hat_slot *slot, struct segment *segment,
                       bool replace, struct segment **before)
{
    spin_lock(&hat->lock);
    *before = slot->segment;
    bool wanted = *before == NULL || (replace && segment_is_shared(*before));
    if (wanted) {
        __atomic_store_n(slot->entry, table_entry(segment->table), __ATOMIC_RELEASE);
        __atomic_store_n(&slot->segment, segment, __ATOMIC_RELEASE);
    }
    spin_unlock(&hat->lock);
    return wanted;
}

static s64 attach_own(struct hat *hat, struct hat_slot *slot)
{
    u64 *table = pm_table_alloc(hat->pm);
    struct segment *segment = table != NULL ? segment_create(hat, table) : NULL;
    struct segment *before = NULL;
    bool done = segment != NULL && hat_attach(hat, slot, segment, true, &before);

    if (done && before != NULL) {
        hat_flush_space(hat);
        segment_put(before);
    }
    if (!done && segment != NULL)
        segment_destroy(segment);
    if (!done && table != NULL)
        pm_table_free(hat->pm, table);
    return segment != NULL ? 0 : E_NOMEM;
}

static struct hat_slot *get_slot(struct hat *hat, u64 address)
{
    struct hat_slot *slot = hat_slot_find(hat, address >> SEGMENT_SHIFT);

    if (slot == NULL && add_slot(hat, address) == 0)
        slot = hat_slot_find(hat, address >> SEGMENT_SHIFT);
    return slot;
}

static __attribute__((noinline)) s64 make_segment(struct hat *hat, u64 address,
                                                  struct segment **segment)
{
    struct hat_slot *slot = get_slot(hat, address);
    s64 error = slot != NULL ? 0 : E_NOMEM;

    while (error == 0 && (hat_attached(slot) == NULL || segment_is_shared(hat_attached(slot))))
        error = attach_own(hat, slot);
    if (error == 0)
        *segment = hat_attached(slot);
    return error;
}

struct segment *hat_segment_own(struct hat *hat, u64 address)
{
    struct segment *found = hat_segment_find(hat, address);

    return found != NULL && !segment_is_shared(found) ? found : NULL;
}

s64 hat_segment(struct hat *hat, u64 address, struct segment **segment)
{
    *segment = hat_segment_own(hat, address);
    return *segment != NULL ? 0 : make_segment(hat, address, segment);
}

s64 hat_segment_attach(struct hat *hat, u64 address, struct segment *segment)
{
    struct hat_slot *slot = get_slot(hat, address);
    struct segment *before;

    if (slot == NULL)
        return E_NOMEM;
    refs_get(&segment->refs, KIND_SEGMENT);
    if (hat_attach(hat, slot, segment, false, &before))
        return 0;
    segment_put(segment);
    return E_EXIST;
}

void hat_slot_detach(struct hat *hat, struct hat_slot *slot)
{
    spin_lock(&hat->lock);
    struct segment *segment = slot->segment;
    bool shared = segment != NULL && segment_is_shared(segment);
    if (shared) {
        __atomic_store_n(slot->entry, 0, __ATOMIC_RELEASE);
        __atomic_store_n(&slot->segment, NULL, __ATOMIC_RELEASE);
    }
    spin_unlock(&hat->lock);
    if (shared) {
        hat_flush_space(hat);
        segment_put(segment);
    }
}

void hat_free_segments(struct hat *hat)
{
    for (u32 i = 0; i < HAT_BUCKETS; i++) {
        for (struct hat_slot *slot = hat->slots[i]; slot != NULL; slot = slot->next) {
            struct segment *segment = slot->segment;
            __atomic_store_n(&slot->segment, NULL, __ATOMIC_RELEASE);
            if (segment == NULL)
                continue;
            if (segment_is_shared(segment)) {
                segment_put(segment);
            } else {
                pm_table_free(hat->pm, segment->table);
                segment_destroy(segment);
            }
        }
    }
}

// Gives back the table that an entry names, if there is one, and empties the entry.
static void free_table(struct hat *hat, u64 *entry)
{
    u64 *table = phys_to_virt(*entry & PTE_ADDRESS);

    if (!(*entry & PTE_VALID))
        return;
    *entry = 0;
    pm_table_free(hat->pm, table);
}

// Frees the directories of one level above the slots.
static void free_above_slots(struct hat *hat, u32 level)
{
    for (u32 i = 0; i < HAT_BUCKETS; i++) {
        for (const struct hat_slot *slot = hat->slots[i]; slot != NULL; slot = slot->next) {
            u64 address = slot->number << SEGMENT_SHIFT;
            u64 *entry = &hat->pgd[pgd_index(address)];
            if (level == 1)
                entry = (u64 *)phys_to_virt(*entry & PTE_ADDRESS) + table_index(address, 2);
            free_table(hat, entry);
        }
    }
}

static void free_all_directories(struct hat *hat)
{
    for (u32 i = 0; i < USER_PGD_ENTRIES; i++) {
        u64 *upper = phys_to_virt(hat->pgd[i] & PTE_ADDRESS);
        for (u32 j = 0; (hat->pgd[i] & PTE_VALID) && j < TABLE_ENTRIES; j++)
            free_table(hat, &upper[j]);
        free_table(hat, &hat->pgd[i]);
    }
}

// Most entries are empty, so the slots tell which are not.
void hat_free_directories(struct hat *hat)
{
    if (hat->incomplete) {
        free_all_directories(hat);
        return;
    }
    free_above_slots(hat, 1);
    free_above_slots(hat, 2);
}
