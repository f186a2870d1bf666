// SPDX-License-Identifier: MIT
// Miss handling. The first call of an object on a CPU reaches the Default Object, whose trampolines
// (trampoline.S) get the rep here.
#include "internal.h"
#include <trace/events.h>

// In both callers, so that a miss costs what it costs without the other one.
#define INLINE inline __attribute__((always_inline))

bool co_rep_in_use(const struct co_root *root, const struct co_rep *rep)
{
    if (__atomic_load_n(&root->shared, __ATOMIC_RELAXED) == rep)
        return true;
    for (u32 cpu = co_cpu_from(0); cpu < ORRERY_MAX_CPUS; cpu = co_cpu_from(cpu + 1)) {
        if (__atomic_load_n(&root->reps[cpu], __ATOMIC_ACQUIRE) == rep)
            return true;
    }
    return false;
}

static INLINE s64 ask_class(struct co_root *root, u32 cpu, struct co_rep **rep)
{
    const struct co_class *class = root->class;
    if (class->static_reps == NULL)
        return class->handle_miss(root, cpu, rep);
    *rep = (struct co_rep *)((char *)class->static_reps + (u64)cpu * class->static_rep_size);
    return 0;
}

static INLINE s64 supply(struct co_root *root, u32 cpu, struct co_rep **rep)
{
    const struct co_class *class = root->class;
    if (root->shared != NULL) {
        *rep = root->shared;
        return 0;
    }
    s64 error = ask_class(root, cpu, rep);
    if (error == 0 && !co_rep_in_use(root, *rep))
        **rep = (struct co_rep){
            .ops = class->ops, .root = root, .coid = root->coid, .magic = CO_REP_MAGIC};
    return error;
}

// Enters rep for this CPU, unless the entry is not empty any more because another thread was first
// or the object is gone. Chunk lock held.
static bool install(struct co_chunk *chunk, struct co_root *root, u32 cpu, struct co_rep *rep)
{
    u64 *entry = co_ltt_entry(cpu, root->coid);
    if (*entry != (u64)(entry + 1))
        return false;
    struct co_entry *object = &chunk->entries[co_index(root->coid)];
    if (!co_rep_in_use(root, rep))
        __atomic_store_n(&object->reps, (u8)(object->reps + 1), __ATOMIC_RELAXED);
    __atomic_store_n(&object->misses, object->misses + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&root->reps[cpu], rep, __ATOMIC_RELEASE);
    __atomic_store_n(entry, (u64)rep, __ATOMIC_RELEASE);
    return true;
}

// Discards a rep that came too late, unless it serves other CPUs too.
static INLINE void discard(struct co_root *root, struct co_rep *rep)
{
    co_platform_atomic_add(&co_statistics.misses_lost, 1);
    if (root->class->destroy_rep != NULL)
        root->class->destroy_rep(root, rep);
}

// Enters a rep that was made while the CPU's entry held a mediator, or still did when the call
// began: after a swap that was called off it may be empty. Another's that came first stays. Returns
// the one that stays. Chunk lock held.
static struct co_rep *install_aside(struct co_chunk *chunk, struct co_root *root, u32 cpu,
                                    struct co_rep *rep)
{
    u64 *entry = co_ltt_entry(cpu, root->coid);
    struct co_entry *object = &chunk->entries[co_index(root->coid)];
    if (root->reps[cpu] != NULL)
        return root->reps[cpu];
    if (!co_rep_in_use(root, rep))
        __atomic_store_n(&object->reps, (u8)(object->reps + 1), __ATOMIC_RELAXED);
    __atomic_store_n(&object->misses, object->misses + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&root->reps[cpu], rep, __ATOMIC_RELEASE);
    if (*entry == (u64)(entry + 1))
        __atomic_store_n(entry, (u64)rep, __ATOMIC_RELEASE);
    return rep;
}

s64 co_miss_aside(struct co_root *root, struct co_rep **rep)
{
    u32 cpu = co_platform_cpu();
    *rep = __atomic_load_n(&root->reps[cpu], __ATOMIC_ACQUIRE);
    if (*rep != NULL)
        return 0;
    struct co_rep *made;
    s64 error = supply(root, cpu, &made);
    if (error != 0)
        return error;
    struct co_chunk *chunk = co_gtt_find(root->coid);
    co_platform_lock(&chunk->lock);
    *rep = install_aside(chunk, root, cpu, made);
    bool needed = *rep == made || co_rep_in_use(root, made);
    co_platform_unlock(&chunk->lock);
    if (!needed)
        discard(root, made);
    return 0;
}

s64 co_miss(u64 *default_object)
{
    u32 cpu = co_platform_cpu();
    coid_t coid = (u64)(default_object - 1) - co_platform_window(cpu);
    struct co_chunk *chunk = co_gtt_find_live(coid);
    if (chunk == NULL)
        return E_STALE;
    struct co_root *root = chunk->entries[co_index(coid)].root;
    struct co_rep *rep = NULL;
    s64 error = supply(root, cpu, &rep); // no lock held: it may allocate, and cause further misses
    if (error != 0)
        return error;

    co_platform_lock(&chunk->lock);
    bool installed = install(chunk, root, cpu, rep);
    bool needed = installed || co_rep_in_use(root, rep);
    co_platform_unlock(&chunk->lock);
    if (installed)
        trace_obj_miss(coid, (u64)root);
    if (!needed)
        discard(root, rep);
    // Whatever the entry holds now serves the call: this rep, another thread's, or the Stale
    // Object.
    return (s64)__atomic_load_n(default_object - 1, __ATOMIC_ACQUIRE);
}
