// SPDX-License-Identifier: MIT
// Capability tables. Slots lie in chunks that are added as needed and stay where they are until the
// table goes, so that a look-up with interrupts masked needs no lock. For the same reason a slot's
// object and type are one word, stored at once. Bitmaps say which slots are free.
#include "capability_table.h"

#include "endpoint.h"

#include <kernel/address_space.h>
#include <kernel/memory.h>
#include <kernel/panic.h>
#include <kernel/process.h>
#include <string.h>

// What stands for chunks that have not been made yet.
static const struct capability_slot no_slots[CAPABILITY_CHUNK] = {
    [0 ... CAPABILITY_CHUNK - 1] = {.word = CAPABILITY_FREE},
};

struct capability_table *capability_table_create(void)
{
    struct capability_table *table = kzalloc(sizeof(*table));

    if (table == NULL)
        return NULL;
    table->magic = CAPABILITY_TABLE_MAGIC;
    spin_init(&table->lock, "capabilities", RANK_OBJECT);
    for (u32 i = 0; i < CAPABILITY_CHUNKS; i++) {
        table->chunks[i] = (struct capability_slot *)no_slots;
        table->free[i] = UINT64_MAX;
        table->free_chunks |= 1UL << i;
    }
    table->free[0] &= UINT64_MAX << CAP_FIRST_FREE;
    return table;
}

static const struct capability_kind *monitors; // NULL: there are none

void capability_set_monitors(const struct capability_kind *kind)
{
    monitors = kind;
}

static bool is_memory(u32 type)
{
    return type == CAPABILITY_MEMORY || type == CAPABILITY_READABLE;
}

static void hold(const struct capability *capability)
{
    if (capability->type == CAPABILITY_ENDPOINT)
        endpoint_hold(capability->object);
    else if (capability->type == CAPABILITY_PROCESS)
        process_hold(capability->object);
    else if (is_memory(capability->type))
        fcm_hold(capability->object);
    else if (capability->type == CAPABILITY_MONITOR)
        monitors->hold(capability->object);
}

void capability_release(struct capability *capability)
{
    struct capability released = *capability;

    *capability = (struct capability){.type = CAPABILITY_NONE};
    if (released.type == CAPABILITY_ENDPOINT)
        endpoint_put(released.object);
    else if (released.type == CAPABILITY_PROCESS)
        process_put(released.object);
    else if (is_memory(released.type))
        fcm_put(released.object);
    else if (released.type == CAPABILITY_MONITOR)
        monitors->put(released.object);
}

static const u8 type_of_tag[] = {
    [CAPABILITY_TAG_ENDPOINT] = CAPABILITY_ENDPOINT, [CAPABILITY_TAG_PROCESS] = CAPABILITY_PROCESS,
    [CAPABILITY_TAG_MEMORY] = CAPABILITY_MEMORY,     [CAPABILITY_TAG_MONITOR] = CAPABILITY_MONITOR,
    [CAPABILITY_TAG_READABLE] = CAPABILITY_READABLE, [CAPABILITY_FREE] = CAPABILITY_NONE,
};
static const u8 tag_of_type[] = {
    [CAPABILITY_ENDPOINT] = CAPABILITY_TAG_ENDPOINT, [CAPABILITY_PROCESS] = CAPABILITY_TAG_PROCESS,
    [CAPABILITY_MEMORY] = CAPABILITY_TAG_MEMORY,     [CAPABILITY_MONITOR] = CAPABILITY_TAG_MONITOR,
    [CAPABILITY_READABLE] = CAPABILITY_TAG_READABLE,
};

static struct capability unpack(const struct capability_slot *slot)
{
    u64 word = slot->word;

    return (struct capability){
        .type = type_of_tag[word & CAPABILITY_TAG_MASK],
        .flags = (u32)slot->flags,
        .object = (void *)(word & ~CAPABILITY_TAG_MASK),
    };
}

// Fills a slot, which has the reference from now on.
static void set(struct capability_slot *slot, struct capability *capability)
{
    KASSERT(((u64)capability->object & CAPABILITY_TAG_MASK) == 0);
    slot->flags = capability->flags;
    __atomic_store_n(&slot->word, (u64)capability->object | tag_of_type[capability->type],
                     __ATOMIC_RELEASE);
    *capability = (struct capability){.type = CAPABILITY_NONE};
}

// Returns the slot of a number, which may be one of no_slots. Returns NULL if no capability can
// have the number. The caller holds the lock.
static struct capability_slot *slot_find(struct capability_table *table, cap_t cap)
{
    KASSERT(table->magic == CAPABILITY_TABLE_MAGIC);
    if (cap == 0 || cap >= CAPABILITY_MAX)
        return NULL;
    return &table->chunks[cap / CAPABILITY_CHUNK][cap % CAPABILITY_CHUNK];
}

// Replaces no_slots by a chunk. Returns false if out of memory. The caller holds the lock.
static bool make_chunk(struct capability_slot **chunk)
{
    struct capability_slot *made = kzalloc(sizeof(no_slots));

    if (made == NULL)
        return false;
    memcpy(made, no_slots, sizeof(no_slots));
    __atomic_store_n(chunk, made, __ATOMIC_RELEASE);
    return true;
}

// Returns a slot that can be set, or NULL if out of memory. The caller holds the lock.
static struct capability_slot *find_or_make(struct capability_table *table, cap_t cap)
{
    struct capability_slot **chunk = &table->chunks[cap / CAPABILITY_CHUNK];

    KASSERT(table->magic == CAPABILITY_TABLE_MAGIC);
    if (*chunk == no_slots && !make_chunk(chunk))
        return NULL;
    return &(*chunk)[cap % CAPABILITY_CHUNK];
}

// Marks a slot, one of those that are handed out, as free or not. Lock held.
static void mark(struct capability_table *table, cap_t cap, bool free)
{
    u64 *word = &table->free[cap / CAPABILITY_CHUNK], bit = 1UL << cap % CAPABILITY_CHUNK;
    u64 chunk = 1UL << cap / CAPABILITY_CHUNK;

    *word = free ? *word | bit : *word & ~bit;
    table->free_chunks = *word != 0 ? table->free_chunks | chunk : table->free_chunks & ~chunk;
}

// Puts a capability into the lowest free slot. Lock held.
static s64 slot_add(struct capability_table *table, struct capability *capability)
{
    if (table->free_chunks == 0)
        return E_LIMIT;
    u32 chunk = (u32)__builtin_ctzl(table->free_chunks);
    cap_t cap = chunk * CAPABILITY_CHUNK + (u32)__builtin_ctzl(table->free[chunk]);
    struct capability_slot *slot = find_or_make(table, cap);
    if (slot == NULL)
        return E_NOMEM;
    KASSERT(slot->word == CAPABILITY_FREE);
    set(slot, capability);
    mark(table, cap, false);
    return cap;
}

// ---- memory of others ---------------------------------------------------------------------------

void capability_table_begin(struct capability_table *table, struct address_space *space)
{
    table->space = space;
}

static s64 account_memory(const struct capability_table *table, const struct capability *capability)
{
    return is_memory(capability->type) ? space_hold(table->space, capability->object) : 0;
}

// The capability's reference still is there.
static void settle_memory(const struct capability_table *table, const struct capability *capability)
{
    if (is_memory(capability->type))
        space_let_go(table->space, capability->object);
}

// ---- adding -------------------------------------------------------------------------------------

s64 capability_add(struct capability_table *table, struct capability *capability)
{
    KASSERT(capability->type != CAPABILITY_NONE && capability->object != NULL);
    const struct capability added = *capability;
    s64 result = account_memory(table, &added);
    if (result != 0)
        return result;
    spin_lock(&table->lock);
    result = table->ended ? E_PEER : slot_add(table, capability);
    spin_unlock(&table->lock);
    if (result < 0)
        settle_memory(table, &added);
    return result;
}

// Replaces what is in a slot. *before: what was there, with its reference. Lock held.
static s64 replace(struct capability_table *table, u32 slot_number, struct capability *capability,
                   struct capability *before)
{
    struct capability_slot *slot = table->ended ? NULL : find_or_make(table, slot_number);

    if (slot == NULL)
        return table->ended ? E_PEER : E_NOMEM;
    *before = unpack(slot);
    set(slot, capability);
    return 0;
}

s64 capability_put_at(struct capability_table *table, u32 slot_number,
                      struct capability *capability)
{
    HELD(capability) struct capability before = {.type = CAPABILITY_NONE};

    KASSERT(capability->type != CAPABILITY_NONE && capability->object != NULL);
    if (slot_number == 0 || slot_number >= CAP_FIRST_FREE)
        return E_INVAL;
    const struct capability added = *capability;
    s64 result = account_memory(table, &added);
    if (result != 0)
        return result;
    spin_lock(&table->lock);
    result = replace(table, slot_number, capability, &before);
    spin_unlock(&table->lock);
    settle_memory(table, result == 0 ? &before : &added);
    return result;
}

// ---- look-up ------------------------------------------------------------------------------------

static struct capability get(struct capability_table *table, cap_t cap, u32 type, s64 *error)
{
    struct capability found = {.type = CAPABILITY_NONE};

    spin_lock(&table->lock);
    const struct capability_slot *slot = slot_find(table, cap);
    if (slot != NULL)
        found = unpack(slot);
    *error = found.type == CAPABILITY_NONE ? E_NOENT : 0;
    if (*error == 0 && type != CAPABILITY_NONE && type != found.type)
        *error = E_INVAL;
    if (*error == 0)
        hold(&found);
    spin_unlock(&table->lock);
    return *error == 0 ? found : (struct capability){.type = CAPABILITY_NONE};
}

struct capability capability_get(struct capability_table *table, cap_t cap, s64 *error)
{
    return get(table, cap, CAPABILITY_NONE, error);
}

struct endpoint *capability_get_endpoint(struct capability_table *table, cap_t cap, s64 *error)
{
    return get(table, cap, CAPABILITY_ENDPOINT, error).object;
}

struct process *capability_get_process(struct capability_table *table, cap_t cap, s64 *error)
{
    return get(table, cap, CAPABILITY_PROCESS, error).object;
}

struct fcm *capability_get_memory(struct capability_table *table, cap_t cap, s64 *error)
{
    return get(table, cap, CAPABILITY_MEMORY, error).object;
}

struct fcm *capability_get_readable(struct capability_table *table, cap_t cap, bool *readable,
                                    s64 *error)
{
    struct capability found = capability_get(table, cap, error);

    *readable = found.type == CAPABILITY_READABLE;
    if (*error == 0 && !is_memory(found.type)) {
        *error = E_INVAL;
        capability_release(&found);
    }
    return found.object;
}

struct monitor *capability_get_monitor(struct capability_table *table, cap_t cap, s64 *error)
{
    return get(table, cap, CAPABILITY_MONITOR, error).object;
}

// ---- ends ---------------------------------------------------------------------------------------

// Takes a capability out of the table. Returns it, or one of type NONE. The caller holds the lock.
static struct capability take_out(struct capability_table *table, cap_t cap)
{
    struct capability_slot *slot = slot_find(table, cap);

    if (slot == NULL || slot->word == CAPABILITY_FREE)
        return (struct capability){.type = CAPABILITY_NONE};
    struct capability removed = unpack(slot);
    slot->word = CAPABILITY_FREE;
    if (cap >= CAP_FIRST_FREE)
        mark(table, cap, true);
    return removed;
}

s64 capability_remove(struct capability_table *table, cap_t cap)
{
    spin_lock(&table->lock);
    HELD(capability) struct capability removed = take_out(table, cap);
    spin_unlock(&table->lock);
    settle_memory(table, &removed);
    return removed.type != CAPABILITY_NONE ? 0 : E_NOENT;
}

void capability_table_end(struct capability_table *table)
{
    spin_lock(&table->lock);
    table->ended = true;
    spin_unlock(&table->lock);
    for (u32 i = 0; i < CAPABILITY_CHUNKS; i++) {
        for (u32 j = 0; j < CAPABILITY_CHUNK && table->chunks[i] != no_slots; j++)
            capability_remove(table, i * CAPABILITY_CHUNK + j);
    }
}

void capability_table_destroy(struct capability_table *table)
{
    capability_table_end(table);
    for (u32 i = 0; i < CAPABILITY_CHUNKS; i++) {
        if (table->chunks[i] != no_slots)
            kfree(table->chunks[i]);
    }
    kfree(table);
}
