// SPDX-License-Identifier: MIT
// HAT: the object of one space's translations. Its methods, its life,
// and which CPUs may know what is in it.
#include "hat_rep.h"

#include <kernel/model_unit.h>

#include "pids.h"
#include "pm.h"

#define FLUSH_SINGLE_MAX 8 // pages flushed one by one; more: the whole PID

// ---- flushing -----------------------------------------------------------------------------------

enum reach { REACH_NONE, REACH_LOCAL, REACH_ALL };

// Returns which TLBs can have entries of this space. A CPU marks itself before it first runs in the
// space, with a barrier in between. The caller's stores to tables come before this look.
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

void hat_flush_space(struct hat *hat)
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

static void gather_flush(struct hat *hat, const struct gather *gather)
{
    if (gather->count > FLUSH_SINGLE_MAX) {
        hat_flush_space(hat);
        return;
    }
    for (u64 i = 0; i < gather->count; i++)
        hat_flush_page(hat, gather->addresses[i]);
}

// ---- methods ------------------------------------------------------------------------------------

static void unmap_own(struct segment *segment, u64 address, u64 end, struct gather *gather)
{
    for (; address < end; address += PAGE_SIZE) {
        u64 *slot = segment_slot(segment, address);
        if (*slot != 0) {
            __atomic_store_n(slot, 0, __ATOMIC_RELEASE);
            if (gather->count < FLUSH_SINGLE_MAX)
                gather->addresses[gather->count] = address;
            gather->count++;
        }
    }
}

static void unmap_slot(struct hat *hat, struct hat_slot *slot, u64 address, u64 end,
                       struct gather *gather)
{
    u64 base = slot->number << SEGMENT_SHIFT;
    struct segment *segment = hat_attached(slot);

    if (segment == NULL || base >= end || base + SEGMENT_BYTES <= address)
        return;
    if (segment_is_shared(segment)) {
        hat_slot_detach(hat, slot);
        return;
    }
    u64 first = address > base ? address : base;
    u64 last = end < base + SEGMENT_BYTES ? end : base + SEGMENT_BYTES;
    unmap_own(segment, first, last, gather);
}

static CO_METHOD s64 unmap(struct hat *self, u64 address, u64 bytes)
{
    CO_HOME(self);
    struct gather gather;
    u64 end = address + bytes;

    if (self->retired) // nobody sees the tables any more, and they will go as a whole
        return 0;
    gather.count = 0;
    if (bytes <= SEGMENT_BYTES && (address ^ (end - 1)) >> SEGMENT_SHIFT == 0) {
        struct hat_slot *slot = hat_slot_find(self, address >> SEGMENT_SHIFT);
        if (slot != NULL)
            unmap_slot(self, slot, address, end, &gather);
    } else {
        for (u32 i = 0; i < HAT_BUCKETS; i++) {
            struct hat_slot *slot = __atomic_load_n(&self->slots[i], __ATOMIC_ACQUIRE);
            for (; slot != NULL; slot = slot->next)
                unmap_slot(self, slot, address, end, &gather);
        }
    }
    gather_flush(self, &gather);
    return (s64)gather.count;
}

void hat_unmap(struct hat *hat, u64 address, u64 bytes)
{
    CO_CALL(struct hat, hat->root.coid, unmap, address, bytes);
}

void hat_unmap_page(struct hat *hat, u64 address, u64 page)
{
    struct hat_slot *found = hat_slot_find(hat, address >> SEGMENT_SHIFT);
    struct segment *segment = found != NULL ? hat_attached(found) : NULL;

    if (segment == NULL || segment_is_shared(segment))
        return;
    u64 *slot = segment_slot(segment, address);
    if (*slot != 0 && (*slot & PTE_ADDRESS) == page) {
        __atomic_store_n(slot, 0, __ATOMIC_RELEASE);
        hat_flush_page(hat, address);
    }
}

// ---- scan ---------------------------------------------------------------------------------------

static u32 segments(struct hat *hat, coid_t *out, u32 max)
{
    u32 count = 0;

    for (u32 i = 0; i < HAT_BUCKETS; i++) {
        struct hat_slot *slot = __atomic_load_n(&hat->slots[i], __ATOMIC_ACQUIRE);
        for (; slot != NULL; slot = slot->next) {
            struct segment *segment = hat_attached(slot);
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

static CO_METHOD s64 hat_get_num_children(struct co_rep *self)
{
    CO_HOME(self);
    return segments((struct hat *)self, NULL, 0);
}

static CO_METHOD s64 hat_get_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    return segments((struct hat *)self, out, max);
}

// ---- life ---------------------------------------------------------------------------------------

static void hat_root_destroy(struct co_root *root)
{
    struct hat *hat = container_of(root, struct hat, root);

    for (u32 i = 0; i < HAT_BUCKETS; i++) {
        while (hat->slots[i] != NULL) {
            struct hat_slot *slot = hat->slots[i];
            hat->slots[i] = slot->next;
            kfree(slot);
        }
    }
    hat->ended(hat->argument);
    kfree(hat);
}

static const struct hat_ops ops = {{hat_get_num_children, hat_get_children}, unmap};
static struct co_class class = {
    .name = "HAT",
    .implementation = "RadixHAT",
    .size = sizeof(struct hat),
    .ops = &ops.base,
    .destroy = hat_root_destroy,
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

void hat_retire(struct hat *hat)
{
    hat->retired = true;
}

// The PID's tables go first, and what TLBs know of them,
// so that pages and tables can be used for other things.
void hat_destroy(struct hat *hat)
{
    mmu_set_tables(hat->pid, NULL);
    mmu_pid_give(hat->pid);
    hat_free_segments(hat);
    hat_free_directories(hat);
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
