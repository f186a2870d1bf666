// SPDX-License-Identifier: MIT
// The table of handles.
#include <handles/handles.h>

#include <orrery/errors.h>
#include <user/process.h>
#include <user/time.h>

#define SLOT_MASK 0xffffUL

// Steps a counter that nobody sees, by the time of each use too, and mixes it (splitmix64).
static u64 random_bits(struct handle_table *table)
{
    table->seed += 0x9e3779b97f4a7c15 + time_now();
    u64 bits = table->seed;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    return bits ^ bits >> 31;
}

static u16 *count_of(struct handle_table *table, u32 pid)
{
    return &table->counts[pid % HANDLES_MAX];
}

// May the process have one more? Its handles are counted only if it may be at its limit. The lock
// is held.
static bool may_have(struct handle_table *table, u32 pid)
{
    if (*count_of(table, pid) >= HANDLES_OF_PROCESS_MAX) {
        u32 own = 0;
        for (u32 i = 0; i < HANDLES_MAX; i++)
            own += table->slots[i].value != 0 && table->slots[i].pid == pid;
        if (own >= HANDLES_OF_PROCESS_MAX)
            return false;
    }
    return table->used < HANDLES_MAX - HANDLES_RESERVED || process_has_right(pid, RIGHT_ALL);
}

static void mark(struct handle_table *table, u64 slot, bool taken)
{
    u64 word = table->taken[slot / 64], bit = 1UL << slot % 64;
    __atomic_store_n(&table->taken[slot / 64], taken ? word | bit : word & ~bit, __ATOMIC_RELAXED);
}

// Returns the first free slot from the next one on, around the end. There must be one. The lock is
// held.
static u32 next_free(const struct handle_table *table)
{
    u32 word = table->next / 64;
    u64 free = ~table->taken[word] & UINT64_MAX << table->next % 64;
    while (free == 0) {
        word = (word + 1) % (HANDLES_MAX / 64);
        free = ~table->taken[word];
    }
    return word * 64 + (u32)__builtin_ctzl(free);
}

// Adds a handle. The caller holds the lock.
static s64 add(struct handle_table *table, void *thing, u32 pid, u64 *value)
{
    if (table->used == HANDLES_MAX || !may_have(table, pid))
        return E_LIMIT;
    table->next = next_free(table);
    u64 bits;
    do {
        bits = random_bits(table) & ~SLOT_MASK;
    } while (bits == 0);
    *value = bits | table->next;
    table->slots[table->next] = (struct handle){.value = *value, .pid = pid, .thing = thing};
    mark(table, table->next, true);
    table->used++;
    (*count_of(table, pid))++;
    return 0;
}

static struct handle *find(struct handle_table *table, u64 value, u32 pid)
{
    u64 slot = value & SLOT_MASK;
    if (value == 0 || slot >= HANDLES_MAX || table->slots[slot].value != value ||
        table->slots[slot].pid != pid)
        return NULL;
    return &table->slots[slot];
}

// Takes a handle out of the table. The lock is held; the caller puts the thing once it is not.
static void *clear(struct handle_table *table, struct handle *handle)
{
    void *thing = handle->thing;
    (*count_of(table, handle->pid))--;
    *handle = (struct handle){0};
    mark(table, (u64)(handle - table->slots), false);
    table->used--;
    return thing;
}

// A sweep finds the handles of a process that ends after it got them. But a request may still be at
// work long after its sender's end: a process that ended before is found here.
static s64 unless_ended(struct handle_table *table, s64 status, const u64 *value, u32 pid)
{
    if (status != 0 || sys_process_rights(pid) >= 0)
        return status;
    handle_close(table, *value, pid);
    return E_PEER;
}

s64 handle_add(struct handle_table *table, void *thing, u32 pid, u64 *value)
{
    mutex_lock(&table->lock);
    s64 status = add(table, thing, pid, value);
    mutex_unlock(&table->lock);
    if (status != 0)
        table->put(thing);
    return unless_ended(table, status, value, pid);
}

void *handle_get(struct handle_table *table, u64 value, u32 pid)
{
    mutex_lock(&table->lock);
    const struct handle *handle = find(table, value, pid);
    void *thing = handle != NULL ? handle->thing : NULL;
    if (thing != NULL)
        table->hold(thing);
    mutex_unlock(&table->lock);
    return thing;
}

s64 handle_close(struct handle_table *table, u64 value, u32 pid)
{
    mutex_lock(&table->lock);
    struct handle *handle = find(table, value, pid);
    void *thing = handle != NULL ? clear(table, handle) : NULL;
    mutex_unlock(&table->lock);
    if (thing == NULL)
        return E_STALE;
    table->put(thing);
    return 0;
}

s64 handle_duplicate(struct handle_table *table, u64 value, u32 pid, u64 *copy)
{
    mutex_lock(&table->lock);
    const struct handle *handle = find(table, value, pid);
    s64 status = handle == NULL ? E_STALE : add(table, handle->thing, handle->pid, copy);
    if (status == 0)
        table->hold(handle->thing);
    mutex_unlock(&table->lock);
    return unless_ended(table, status, copy, pid);
}

s64 handle_give(struct handle_table *table, u64 value, u32 pid, u32 child)
{
    struct sys_process_info info;
    if (child == 0 || sys_process_info(child, &info) != 0 || info.parent != pid)
        return E_PERM;
    mutex_lock(&table->lock);
    struct handle *handle = find(table, value, pid);
    s64 status = handle == NULL ? E_STALE : !may_have(table, child) ? E_LIMIT : 0;
    if (status == 0) {
        (*count_of(table, pid))--;
        (*count_of(table, child))++;
        handle->pid = child;
    }
    mutex_unlock(&table->lock);
    return unless_ended(table, status, &value, child);
}

u32 handles_objects(struct handle_table *table, coid_t (*object_of)(void *thing), coid_t *out,
                    u32 max)
{
    u32 count = 0;
    mutex_lock(&table->lock);
    for (u32 i = 0; i < HANDLES_MAX && count < max; i++) {
        if (table->slots[i].value != 0)
            out[count++] = object_of(table->slots[i].thing);
    }
    mutex_unlock(&table->lock);
    return count;
}

// Closes a slot's handle if its process has ended.
static void sweep_one(struct handle_table *table, u32 slot, bool (*alive)(u32 pid, void *context),
                      void *context)
{
    void *thing = NULL;
    mutex_lock(&table->lock);
    if (table->slots[slot].value != 0 && !alive(table->slots[slot].pid, context))
        thing = clear(table, &table->slots[slot]);
    mutex_unlock(&table->lock);
    if (thing != NULL)
        table->put(thing);
}

// A handle that is added meanwhile belongs to a process that has not ended yet.
void handles_sweep(struct handle_table *table, bool (*alive)(u32 pid, void *context), void *context)
{
    for (u32 i = 0; i < HANDLES_MAX / 64; i++) {
        u64 taken = __atomic_load_n(&table->taken[i], __ATOMIC_RELAXED);
        for (; taken != 0; taken &= taken - 1)
            sweep_one(table, i * 64 + (u32)__builtin_ctzl(taken), alive, context);
    }
    if (table->also != NULL)
        table->also(alive, context);
}

bool handles_any(const struct handle_table *table)
{
    return __atomic_load_n(&table->used, __ATOMIC_RELAXED) != 0;
}
