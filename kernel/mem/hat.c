// SPDX-License-Identifier: MIT
// HAT: directories and segments of one space. Segments are found without a lock through a small hash table;
// its slots are only added, and keep their place while the space lives.
#include "hat.h"

#include "pids.h"
#include "pm.h"
#include "refs.h"
#include "segment.h"

#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/spinlock.h>
#include <orrery/user.h>
#include <pmu/model.h>

#define BUCKETS 32
#define FLUSH_SINGLE_MAX 8 // pages flushed one by one; more: the whole PID

struct slot {
    struct slot *next;
    u64 number;              // of the segment: address >> SEGMENT_SHIFT
    u64 *entry;              // in the directory above
    struct segment *segment; // NULL: none attached now
};

struct hat_ops {
    struct co_ops base;
    s64 (*map)(struct hat *self, struct segment *segment, u64 address, u64 entry);
    s64 (*unmap)(struct hat *self, u64 address, u64 bytes);
};

struct hat {
    CO_REP(struct hat_ops);
    struct co_root root;
    struct spinlock lock; // directories, slots, attaching
    u64 *pgd;
    u64 tag; // its upper half is set by who owns it, and read by all CPUs
    u32 pid;
    bool retired; // no CPU will run in it any more
    union {
        volatile u8 ran_on[ORRERY_MAX_CPUS]; // each byte written by its CPU
        volatile u64 ran;
    };
    struct pm *pm;
    struct slot *slots[BUCKETS];
    void (*ended)(void *);
    void *argument;
};

_Static_assert(ORRERY_MAX_CPUS == sizeof(u64), "ran");

static struct hat *hat_of(struct co_root *root)
{
    return (struct hat *)((char *)root - offsetof(struct hat, root));
}

// ---- flushing ------------------------------------------------------------------------------------

enum reach { REACH_NONE, REACH_LOCAL, REACH_ALL };

// Which TLBs can have entries of this space. A CPU marks itself before it first runs in the space, with a
// barrier in between; the caller's stores to tables come before this look.
static enum reach reach(struct hat *hat)
{
    __asm__ volatile("" ::: "memory");
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    u64 ran = hat->ran;
    if (ran == 0 || hat->retired)
        return REACH_NONE;
    u8 only[ORRERY_MAX_CPUS] = {0};
    u64 own;
    only[cpu_id()] = 1;
    __builtin_memcpy(&own, only, sizeof(own));
    return ran == own ? REACH_LOCAL : REACH_ALL;
}

void hat_flush_page(struct hat *hat, u64 address)
{
    enum reach where = reach(hat);

    if (where != REACH_NONE)
        mmu_flush_page(hat->pid, address, where == REACH_LOCAL);
}

static void flush_space(struct hat *hat)
{
    enum reach where = reach(hat);

    if (where != REACH_NONE)
        mmu_flush_pid(hat->pid, where == REACH_LOCAL);
}

// Addresses to flush: a few by themselves, else everything at once.
struct gather {
    u64 count;
    u64 addresses[FLUSH_SINGLE_MAX];
};

static void gather_add(struct gather *gather, u64 address)
{
    if (gather->count < FLUSH_SINGLE_MAX)
        gather->addresses[gather->count] = address;
    gather->count++;
}

static void gather_flush(struct hat *hat, const struct gather *gather)
{
    if (gather->count > FLUSH_SINGLE_MAX) {
        flush_space(hat);
        return;
    }
    for (u64 i = 0; i < gather->count; i++)
        hat_flush_page(hat, gather->addresses[i]);
}

// ---- segments ------------------------------------------------------------------------------------

static struct slot **bucket(struct hat *hat, u64 number)
{
    return &hat->slots[(number ^ number >> 9) % BUCKETS];
}

static struct slot *find_slot(struct hat *hat, u64 number)
{
    struct slot *slot = __atomic_load_n(bucket(hat, number), __ATOMIC_ACQUIRE);

    while (slot != NULL && slot->number != number)
        slot = slot->next;
    return slot;
}

static struct segment *attached(struct slot *slot)
{
    return __atomic_load_n(&slot->segment, __ATOMIC_ACQUIRE);
}

struct segment *hat_segment_find(struct hat *hat, u64 address)
{
    struct slot *slot = find_slot(hat, address >> SEGMENT_SHIFT);

    return slot != NULL ? attached(slot) : NULL;
}

// With the lock held: the directory entry of a segment, or NULL and in *missing the entry that has no table yet.
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

// Makes a slot with the directories above it. Tables are allocated with no lock held, as that may reclaim.
static s64 add_slot(struct hat *hat, u64 address)
{
    struct slot *slot = kzalloc(sizeof(*slot));
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
            struct slot **first = bucket(hat, address >> SEGMENT_SHIFT);
            if (find_slot(hat, address >> SEGMENT_SHIFT) == NULL) {
                *slot = (struct slot){
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
    return done ? 0 : E_NOMEM;
}

// Attaches a segment unless an own one, or with replace unset any one, is there already: whether it did.
// What it replaces goes to *before.
static bool attach(struct hat *hat, struct slot *slot, struct segment *segment, bool replace,
                   struct segment **before)
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

static s64 attach_own(struct hat *hat, struct slot *slot)
{
    u64 *table = pm_table_alloc(hat->pm);
    struct segment *segment = table != NULL ? segment_create(hat, table) : NULL;
    struct segment *before = NULL;
    bool done = segment != NULL && attach(hat, slot, segment, true, &before);

    if (done && before != NULL) {
        flush_space(hat);
        segment_put(before);
    }
    if (!done && segment != NULL)
        segment_destroy(segment);
    if (!done && table != NULL)
        pm_table_free(hat->pm, table);
    return segment != NULL ? 0 : E_NOMEM;
}

static struct slot *get_slot(struct hat *hat, u64 address)
{
    struct slot *slot = find_slot(hat, address >> SEGMENT_SHIFT);

    if (slot == NULL && add_slot(hat, address) == 0)
        slot = find_slot(hat, address >> SEGMENT_SHIFT);
    return slot;
}

static __attribute__((noinline)) s64 make_segment(struct hat *hat, u64 address,
                                                  struct segment **segment)
{
    struct slot *slot = get_slot(hat, address);
    s64 error = slot != NULL ? 0 : E_NOMEM;

    while (error == 0 && (attached(slot) == NULL || segment_is_shared(attached(slot))))
        error = attach_own(hat, slot);
    if (error == 0)
        *segment = attached(slot);
    return error;
}

s64 hat_segment(struct hat *hat, u64 address, struct segment **segment)
{
    struct segment *found = hat_segment_find(hat, address);

    if (found == NULL || segment_is_shared(found))
        return make_segment(hat, address, segment);
    *segment = found;
    return 0;
}

s64 hat_segment_attach(struct hat *hat, u64 address, struct segment *segment)
{
    struct slot *slot = get_slot(hat, address);
    struct segment *before;

    if (slot == NULL)
        return E_NOMEM;
    refs_get(&segment->refs);
    if (attach(hat, slot, segment, false, &before))
        return 0;
    segment_put(segment);
    return E_EXIST;
}

// ---- methods -------------------------------------------------------------------------------------

CO_METHOD static s64 map(struct hat *self, struct segment *segment, u64 address, u64 entry)
{
    CO_HOME(self);
    (void)self;
    return CO_CALL(struct segment, segment->root.coid, map, address, entry);
}

static void unmap_own(struct segment *segment, u64 address, u64 end, struct gather *gather)
{
    for (; address < end; address += PAGE_SIZE) {
        u64 *slot = segment_slot(segment, address);
        if (*slot != 0) {
            __atomic_store_n(slot, 0, __ATOMIC_RELEASE);
            gather_add(gather, address);
        }
    }
}

static void detach(struct hat *hat, struct slot *slot)
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
        flush_space(hat);
        segment_put(segment);
    }
}

static void unmap_slot(struct hat *hat, struct slot *slot, u64 address, u64 end,
                       struct gather *gather)
{
    u64 base = slot->number << SEGMENT_SHIFT;
    struct segment *segment = attached(slot);

    if (segment == NULL || base >= end || base + SEGMENT_BYTES <= address)
        return;
    if (segment_is_shared(segment)) {
        detach(hat, slot);
        return;
    }
    u64 first = address > base ? address : base;
    u64 last = end < base + SEGMENT_BYTES ? end : base + SEGMENT_BYTES;
    unmap_own(segment, first, last, gather);
}

CO_METHOD static s64 unmap(struct hat *self, u64 address, u64 bytes)
{
    CO_HOME(self);
    struct gather gather = {.count = 0};
    u64 end = address + bytes;

    if (self->retired) // nobody sees the tables any more, and they will go as a whole
        return 0;
    if (bytes <= SEGMENT_BYTES && (address ^ (end - 1)) >> SEGMENT_SHIFT == 0) {
        struct slot *slot = find_slot(self, address >> SEGMENT_SHIFT);
        if (slot != NULL)
            unmap_slot(self, slot, address, end, &gather);
    } else {
        for (u32 i = 0; i < BUCKETS; i++) {
            struct slot *slot = __atomic_load_n(&self->slots[i], __ATOMIC_ACQUIRE);
            for (; slot != NULL; slot = slot->next)
                unmap_slot(self, slot, address, end, &gather);
        }
    }
    gather_flush(self, &gather);
    return (s64)gather.count;
}

void hat_map(struct hat *hat, struct segment *segment, u64 address, u64 page, u32 prot)
{
    CO_CALL(struct hat, hat->root.coid, map, segment, address, segment_entry(page, prot));
}

void hat_unmap(struct hat *hat, u64 address, u64 bytes)
{
    CO_CALL(struct hat, hat->root.coid, unmap, address, bytes);
}

void hat_unmap_page(struct hat *hat, u64 address, u64 page)
{
    struct segment *segment = hat_segment_find(hat, address);

    if (segment == NULL || segment_is_shared(segment))
        return;
    u64 *slot = segment_slot(segment, address);
    if (*slot != 0 && (*slot & PTE_ADDRESS) == page) {
        __atomic_store_n(slot, 0, __ATOMIC_RELEASE);
        hat_flush_page(hat, address);
    }
}

// ---- scan ----------------------------------------------------------------------------------------

static u32 segments(struct hat *hat, coid_t *out, u32 max)
{
    u32 count = 0;

    for (u32 i = 0; i < BUCKETS; i++) {
        struct slot *slot = __atomic_load_n(&hat->slots[i], __ATOMIC_ACQUIRE);
        for (; slot != NULL; slot = slot->next) {
            struct segment *segment = attached(slot);
            if (segment == NULL)
                continue;
            if (out != NULL && count == max)
                return count;
            if (out != NULL)
                out[count] = segment->root.coid;
            count++;
        }
    }
    return count;
}

static s64 get_num_children(struct co_rep *self)
{
    return segments((struct hat *)self, NULL, 0);
}

static s64 get_children(struct co_rep *self, coid_t *out, u32 max)
{
    return segments((struct hat *)self, out, max);
}

// ---- life ----------------------------------------------------------------------------------------

static void destroy(struct co_root *root)
{
    struct hat *hat = hat_of(root);

    for (u32 i = 0; i < BUCKETS; i++) {
        while (hat->slots[i] != NULL) {
            struct slot *slot = hat->slots[i];
            hat->slots[i] = slot->next;
            kfree(slot);
        }
    }
    hat->ended(hat->argument);
    kfree(hat);
}

static const struct hat_ops ops = {{get_num_children, get_children}, map, unmap};
static struct co_class class = {
    .name = "HAT",
    .implementation = "RadixHAT",
    .size = sizeof(struct hat),
    .ops = &ops.base,
    .destroy = destroy,
};

struct hat *hat_create(struct pm *pm, void (*ended)(void *), void *argument)
{
    struct hat *hat = kzalloc(sizeof(*hat));
    u64 *pgd = pgd_take();
    s64 pid = mmu_pid_take();

    if (hat != NULL && pgd != NULL && pid >= 0) {
        spin_init(&hat->lock, "HAT", RANK_HAT);
        hat->pgd = pgd;
        hat->pid = (u32)pid;
        hat->tag = (u32)pid;
        hat->pm = pm;
        hat->ended = ended;
        hat->argument = argument;
        if (co_create_shared(&class, &hat->root, &hat->co) > 0) {
            pm_hold(pm);
            mmu_set_tables(hat->pid, pgd);
            return hat;
        }
    }
    if (pid >= 0)
        mmu_pid_give((u32)pid);
    if (pgd != NULL)
        pgd_give(pgd);
    kfree(hat);
    return NULL;
}

static void free_segments(struct hat *hat)
{
    for (u32 i = 0; i < BUCKETS; i++) {
        for (struct slot *slot = hat->slots[i]; slot != NULL; slot = slot->next) {
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

static void free_directories(struct hat *hat)
{
    for (u32 i = 0; i < USER_PGD_ENTRIES; i++) {
        if (!(hat->pgd[i] & PTE_VALID))
            continue;
        u64 *upper = phys_to_virt(hat->pgd[i] & PTE_ADDRESS);
        for (u32 j = 0; j < TABLE_ENTRIES; j++) {
            if (upper[j] & PTE_VALID)
                pm_table_free(hat->pm, phys_to_virt(upper[j] & PTE_ADDRESS));
        }
        pm_table_free(hat->pm, upper);
    }
}

void hat_retire(struct hat *hat)
{
    hat->retired = true;
}

// The PID's tables go first, and what TLBs know of them, so that pages and tables can be used for other things.
void hat_destroy(struct hat *hat)
{
    mmu_set_tables(hat->pid, NULL);
    mmu_pid_give(hat->pid);
    free_segments(hat);
    free_directories(hat);
    pgd_give(hat->pgd);
    pm_put(hat->pm);
    co_destroy(hat->root.coid);
}

coid_t hat_coid(const struct hat *hat)
{
    return hat->root.coid;
}

u64 hat_tag(const struct hat *hat)
{
    return __atomic_load_n(&hat->tag, __ATOMIC_RELAXED);
}

void hat_set_owner(struct hat *hat, u64 owner)
{
    __atomic_store_n(&hat->tag, (owner & ~MODEL_TAG_SPACE) | hat->pid, __ATOMIC_RELAXED);
}

void hat_switch(struct hat *hat)
{
    // A process that leaves its space for good still works on its own behalf.
    u64 tag = hat != NULL ? hat_tag(hat) : (model_tag() & ~MODEL_TAG_SPACE) | MMU_PID_NO_USER;

    if (hat != NULL && !hat->ran_on[cpu_id()]) {
        hat->ran_on[cpu_id()] = 1;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    }
    if (mmu_current_pid() != (u32)tag)
        mmu_set_pid((u32)tag);
    model_set_tag(tag);
}
