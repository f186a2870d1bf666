// SPDX-License-Identifier: MIT
// Creation and destruction of objects.
#include "internal.h"
#include <co/manager.h>
#include <trace/events.h>

static void root_init(struct co_root *root, const struct co_class *class, coid_t coid,
                      struct co_rep *shared)
{
    root->class = class;
    root->coid = coid;
    root->magic = CO_ROOT_MAGIC;
    root->shared = shared;
    root->next_dead = NULL;
    root->swaps = 0;
#pragma GCC unroll 8
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        root->reps[cpu] = NULL;
    if (shared != NULL)
        *shared =
            (struct co_rep){.ops = class->ops, .root = root, .coid = coid, .magic = CO_REP_MAGIC};
}

// Writes the entry first, then the live bit: whoever sees the bit sees the entry. Chunk lock held.
static void entry_init(struct co_chunk *chunk, u32 index, struct co_root *root)
{
    const struct co_class *class = root->class;
    chunk->entries[index] = (struct co_entry){
        .root = root,
        .class_id = (u16) class->id,
        .reps = root->shared != NULL,
        .plain = class->ops->get_num_children == co_no_num_children,
    };
    __atomic_store_n(&chunk->live[index / 64], chunk->live[index / 64] | 1UL << index % 64,
                     __ATOMIC_RELEASE);
}

u32 co_root_bytes(const struct co_root *root)
{
    return root->shared != NULL ? root->class->size : root->class->root_size;
}

u64 co_root_address(const struct co_root *root)
{
    u64 at = (u64)root, shared = (u64)root->shared;
    return shared != 0 && shared < at ? shared : at;
}

void co_object_memory(coid_t coid, u64 *address, u32 *bytes)
{
    struct co_chunk *chunk = co_well_formed(coid) ? co_gtt_find_live(coid) : NULL;
    const struct co_root *root = chunk != NULL ? chunk->entries[co_index(coid)].root : NULL;
    *address = root != NULL ? co_root_address(root) : 0;
    *bytes = root != NULL ? co_root_bytes(root) : 0;
}

static s64 co_object_create(struct co_class *class, struct co_root *root, struct co_rep *shared)
{
    if (class->distributed != (shared == NULL))
        return E_INVAL;
    s64 error = co_class_register(class);
    if (error != 0)
        return error;
    u32 index;
    struct co_chunk *chunk = co_gtt_take(&index, &error);
    if (chunk == NULL)
        return error;
    coid_t coid = co_coid(chunk, index);
    root_init(root, class, coid, shared);
    entry_init(chunk, index, root);
    co_platform_unlock(&chunk->lock);
    co_platform_atomic_add(&class->live, 1);
    co_platform_atomic_add(&co_statistics.created, 1);
    trace_obj_create(coid, class->id, co_root_bytes(root), co_root_address(root));
    return (s64)coid;
}

s64 co_create(struct co_class *class, struct co_root *root)
{
    return co_object_create(class, root, NULL);
}

s64 co_create_shared(struct co_class *class, struct co_root *root, struct co_rep *rep)
{
    return co_object_create(class, root, rep);
}

// Clears the live bit and makes every CPU's entry the Stale Object. Returns NULL if it is not live.
static struct co_root *make_stale(struct co_chunk *chunk, coid_t coid)
{
    u32 index = co_index(coid);
    co_platform_lock(&chunk->lock);
    struct co_root *root = co_live(chunk, index) ? chunk->entries[index].root : NULL;
    if (root != NULL) {
        __atomic_store_n(&chunk->live[index / 64], chunk->live[index / 64] & ~(1UL << index % 64),
                         __ATOMIC_RELEASE);
        for (u32 cpu = co_cpu_from(0); cpu < ORRERY_MAX_CPUS; cpu = co_cpu_from(cpu + 1))
            __atomic_store_n(co_ltt_entry(cpu, coid), (u64)&co_stale_object, __ATOMIC_RELEASE);
    }
    co_platform_unlock(&chunk->lock);
    return root;
}

s64 co_destroy(coid_t coid)
{
    if (!co_well_formed(coid))
        return E_INVAL;
    struct co_chunk *chunk = co_gtt_find_live(coid);
    struct co_root *root = chunk != NULL ? make_stale(chunk, coid) : NULL;
    if (root == NULL)
        return E_STALE;
    co_platform_atomic_add((u64 *)&root->class->live, -1UL);
    co_platform_atomic_add(&co_statistics.destroyed, 1);
    trace_obj_destroy(coid);
    co_reap_root(root);
    return 0;
}

s64 co_no_num_children(struct co_rep *self)
{
    (void)self;
    return 0;
}

s64 co_no_children(struct co_rep *self, coid_t *out, u32 max)
{
    (void)self;
    (void)out;
    (void)max;
    return 0;
}
