// SPDX-License-Identifier: MIT
// The reapers, one for each CPU. Objects destroyed on a CPU wait in one batch for a grace period,
// while the next batch gathers. Each CPU pays for what it destroys, and none writes to another's
// list.
#include "internal.h"
#include <trace/events.h>

#define POLL_FIRST_US 2000
#define POLL_LAST_US 32000

struct batch {
    struct co_root *roots;
    struct co_chunk *chunks;
};

static struct reaper {
    struct batch gathering; // its CPU's, interrupts masked
    struct batch waiting;   // the reaper's own, like the rest
    struct co_grace grace;
    u64 poll_us;
    bool unheard; // atomic: who gathered first could not wake it
} reapers[ORRERY_MAX_CPUS] __attribute__((aligned(128)));

static bool batch_empty(const struct batch *batch)
{
    return batch->roots == NULL && batch->chunks == NULL;
}

void co_reap_root(struct co_root *root)
{
    u64 state = co_platform_mask();
    u32 cpu = co_platform_cpu();
    struct reaper *reaper = &reapers[cpu];
    struct batch *batch = &reaper->gathering;
    bool wake = batch_empty(batch) || __atomic_load_n(&reaper->unheard, __ATOMIC_RELAXED);
    root->next_dead = batch->roots;
    batch->roots = root;
    co_platform_unmask(state);
    if (wake)
        __atomic_store_n(&reaper->unheard, !co_platform_reaper_wake(cpu), __ATOMIC_RELAXED);
}

// Only reapers call this, so none needs a wake-up.
void co_reap_chunk(struct co_chunk *chunk)
{
    u64 state = co_platform_mask();
    struct batch *batch = &reapers[co_platform_cpu()].gathering;
    chunk->next_dead = batch->chunks;
    batch->chunks = chunk;
    co_platform_unmask(state);
}

static bool take_batch(struct reaper *reaper)
{
    u64 state = co_platform_mask();
    reaper->waiting = reaper->gathering;
    reaper->gathering = (struct batch){0};
    co_platform_unmask(state);
    return !batch_empty(&reaper->waiting);
}

// A rep may serve several CPUs (a cluster); this destroys each once.
static void destroy_reps(struct co_root *root)
{
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS && root->class->destroy_rep != NULL; cpu++) {
        struct co_rep *rep = root->reps[cpu];
        if (rep == NULL || rep == root->shared)
            continue;
        for (u32 other = cpu; other < ORRERY_MAX_CPUS; other++) {
            if (root->reps[other] == rep)
                root->reps[other] = NULL;
        }
        root->class->destroy_rep(root, rep);
    }
}

static void reclaim(struct co_root *root)
{
    coid_t coid = root->coid;
    destroy_reps(root);
    root->magic = 0;
    if (root->class->destroy != NULL)
        root->class->destroy(root);
    co_platform_atomic_add(&co_statistics.reclaimed, 1);
    trace_obj_reclaim(coid);
    co_gtt_gone(coid);
}

static void reclaim_batch(struct batch *batch)
{
    while (batch->roots != NULL) {
        struct co_root *root = batch->roots;
        batch->roots = root->next_dead;
        reclaim(root);
    }
    while (batch->chunks != NULL) {
        struct co_chunk *chunk = batch->chunks;
        batch->chunks = chunk->next_dead;
        co_platform_free(chunk);
    }
}

u64 co_reap(void)
{
    struct reaper *reaper = &reapers[co_platform_cpu()];
    if (batch_empty(&reaper->waiting)) {
        if (!take_batch(reaper))
            return 0;
        co_grace_begin(&reaper->grace);
        reaper->poll_us = POLL_FIRST_US;
    }
    if (co_grace_over(&reaper->grace, true)) {
        reclaim_batch(&reaper->waiting);
        return co_platform_microseconds(POLL_FIRST_US);
    }
    u64 ticks = co_platform_microseconds(reaper->poll_us);
    if (reaper->poll_us < POLL_LAST_US)
        reaper->poll_us *= 2;
    return ticks;
}
