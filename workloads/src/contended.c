// SPDX-License-Identifier: MIT
// Objects with a spin lock each, which record how long callers waited for them.
#include <kernel/memory.h>
#include <kernel/softmask.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <workloads/contended.h>
#include <workloads/work.h>

#include "lock_turns.h"

#define TRIES 1000
#define LOOK_ITERATIONS 50 // between two looks at the clock

struct contended_root {
    struct co_root root; // first
    struct contended_object object;
    struct spinlock lock;
};

static u64 free_ticks;

// Masks before the lock, so that no interrupt counts as waiting, and all events since the mark
// belong to this acquisition.
static CO_METHOD s64 contended_hold(struct contended_object *self, u64 ticks,
                                    struct contended_account *account)
{
    CO_HOME(self);
    struct spinlock *lock = &((struct contended_root *)self->co.root)->lock;
    u8 before = soft_mask();
    struct lock_turns_mark mark = lock_turns_mark();
    u64 begin = timebase();
    spin_lock(lock);
    u64 end = timebase();
    u64 turns = lock_turns_since(&mark, lock);
    account->acquisitions++;
    account->contended += turns != 0;
    account->turns += turns;
    account->waited += end - begin > free_ticks ? end - begin - free_ticks : 0;
    while (timebase() - end < ticks)
        work_spin(LOOK_ITERATIONS);
    spin_unlock(lock);
    soft_mask_restore(before);
    return 0;
}

u64 contended_calibrate(void)
{
    static struct spinlock lock = SPINLOCK_INIT("calibration", RANK_SERVICE);

    free_ticks = UINT64_MAX;
    for (u32 i = 0; i < TRIES; i++) {
        u8 before = soft_mask();
        u64 begin = timebase();
        spin_lock(&lock);
        u64 ticks = timebase() - begin;
        spin_unlock(&lock);
        soft_mask_restore(before);
        free_ticks = ticks < free_ticks ? ticks : free_ticks;
    }
    return free_ticks;
}

static void contended_destroy(struct co_root *root)
{
    kfree(root);
}

static const struct contended_ops ops = {.base = CO_LEAF, .hold = contended_hold};

CO_CHECK_INTERFACE(struct contended_ops);

static struct co_class contended_class = {
    .name = "ContendedObject",
    .implementation = "SpinLocked",
    .size = sizeof(struct contended_root),
    .ops = &ops.base,
    .destroy = contended_destroy,
};

s64 contended_create(void)
{
    struct contended_root *root = kzalloc(sizeof(*root));

    if (root == NULL)
        return E_NOMEM;
    spin_init(&root->lock, "contended", RANK_OBJECT);
    s64 coid = co_create_shared(&contended_class, &root->root, &root->object.co);
    if (coid < 0)
        kfree(root);
    return coid;
}
