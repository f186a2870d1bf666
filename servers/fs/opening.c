// SPDX-License-Identifier: MIT
// Open files.
#include "opening.h"

#include "filesystem.h"
#include "records.h"
#include "share.h"

#include <co/platform.h>
#include <stdlib.h>

static void hold(void *thing);
static void put(void *thing);

struct handle_table open_files = {.hold = hold, .put = put, .also = records_sweep};

static struct {
    struct co_root root;
    struct co_rep rep;
    u64 openings;
} table;

// ---- openings ----------------------------------------------------------------------------------

static CO_METHOD s64 opening_num_children(struct co_rep *self)
{
    CO_HOME(self);
    const struct opening *opening = (struct opening *)self->root;
    return __atomic_load_n(&opening->node, __ATOMIC_RELAXED) != NULL ||
           __atomic_load_n(&opening->pipe, __ATOMIC_RELAXED) != NULL;
}

static CO_METHOD s64 opening_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    const struct opening *opening = (struct opening *)self->root;
    const struct node *node = __atomic_load_n(&opening->node, __ATOMIC_RELAXED);
    struct pipe *pipe = __atomic_load_n(&opening->pipe, __ATOMIC_RELAXED);
    if (max == 0 || (node == NULL && pipe == NULL)) // a spare opening leads nowhere
        return 0;
    out[0] = node != NULL ? node->root.coid : pipe_coid(pipe);
    return 1;
}

static const struct co_ops opening_ops = {.get_num_children = opening_num_children,
                                          .get_children = opening_children};

static void opening_destroy(struct co_root *root)
{
    free(root);
}

static struct co_class opening_class = {
    .name = "OpenFile",
    .implementation = "OpenFileShared",
    .size = sizeof(struct opening),
    .ops = &opening_ops,
    .destroy = opening_destroy,
};

static void let_go(struct node *node, struct pipe *pipe, enum pipe_end end)
{
    if (node != NULL) {
        __atomic_sub_fetch(&node->openings, 1, __ATOMIC_SEQ_CST);
        node_put(node);
    } else
        pipe_close(pipe, end);
}

// Each CPU keeps one closed opening for its next open. The object stays alive, and leads nowhere
// meanwhile.
static struct opening *spare[ORRERY_MAX_CPUS];

void opening_put(struct opening *opening)
{
    if (__atomic_sub_fetch(&opening->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    struct node *node = opening->node;
    struct pipe *pipe = opening->pipe;
    enum pipe_end end = opening->end;
    __atomic_sub_fetch(&table.openings, 1, __ATOMIC_RELAXED);
    if (opening->share != NULL)
        share_put(opening->share);
    // A scan that finds the opening asks for its node or pipe. These are let go last, and live as
    // long as a scan that has seen them.
    __atomic_store_n(&opening->node, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(&opening->pipe, NULL, __ATOMIC_RELAXED);
    struct opening *none = NULL;
    if (!__atomic_compare_exchange_n(&spare[co_platform_cpu()], &none, opening, false,
                                     __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        co_destroy(opening->root.coid);
    let_go(node, pipe, end);
}

static void hold(void *thing)
{
    struct opening *opening = thing;
    __atomic_add_fetch(&opening->references, 1, __ATOMIC_RELAXED);
}

static void put(void *thing)
{
    opening_put(thing);
}

// Returns the spare opening, or a new one that leads nowhere yet. Returns NULL if there is no
// memory.
static struct opening *take_object(void)
{
    struct opening *opening =
        __atomic_exchange_n(&spare[co_platform_cpu()], NULL, __ATOMIC_ACQUIRE);
    if (opening != NULL)
        return opening;
    opening = calloc(1, sizeof(*opening));
    if (opening != NULL && co_create_shared(&opening_class, &opening->root, &opening->rep) < 0) {
        free(opening);
        opening = NULL;
    }
    return opening;
}

static s64 create(struct node *node, struct pipe *pipe, enum pipe_end end, u32 flags, u32 pid,
                  u64 *handle)
{
    static u64 last_ticket;
    struct opening *opening = take_object();
    if (opening == NULL) {
        let_go(node, pipe, end);
        return E_NOMEM;
    }
    // A spare opening keeps its object and its lock, which is free. All else is set anew.
    opening->end = end;
    opening->flags = flags;
    opening->references = 1;
    opening->position = 0;
    opening->ticket = __atomic_add_fetch(&last_ticket, 1, __ATOMIC_RELAXED);
    opening->passed = false;
    opening->share = NULL;
    __atomic_store_n(&opening->node, node, __ATOMIC_RELEASE); // a scan may find it from here on
    __atomic_store_n(&opening->pipe, pipe, __ATOMIC_RELEASE);
    __atomic_add_fetch(&table.openings, 1, __ATOMIC_RELAXED);
    return handle_add(&open_files, opening, pid, handle);
}

s64 opening_create(struct node *node, u32 flags, u32 pid, u64 *handle)
{
    __atomic_add_fetch(&node->openings, 1, __ATOMIC_SEQ_CST);
    share_revoke(node);
    return create(node, NULL, PIPE_READ, flags, pid, handle);
}

s64 opening_create_pipe(struct pipe *pipe, enum pipe_end end, u32 pid, u64 *handle)
{
    return create(NULL, pipe, end, end == PIPE_READ ? FS_READ : FS_WRITE, pid, handle);
}

struct opening *opening_get(u64 handle, u32 pid)
{
    return handle_get(&open_files, handle, pid);
}

// ---- the table as an object ---------------------------------------------------------------------

static CO_METHOD s64 table_num_children(struct co_rep *self)
{
    CO_HOME(self);
    return open_files.used;
}

static coid_t object_of(void *thing)
{
    return ((struct opening *)thing)->root.coid;
}

static CO_METHOD s64 table_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    return handles_objects(&open_files, object_of, out, max);
}

static const struct co_ops table_ops = {.get_num_children = table_num_children,
                                        .get_children = table_children};

static struct co_class table_class = {
    .name = "OpenFileTable",
    .implementation = "OpenFileTableArray",
    .size = sizeof(table) + sizeof(open_files),
    .ops = &table_ops,
};

s64 openings_create(void)
{
    s64 coid = co_create_shared(&table_class, &table.root, &table.rep);
    return coid < 0 ? coid : 0;
}

coid_t openings_coid(void)
{
    return table.root.coid;
}

u64 openings_count(void)
{
    return __atomic_load_n(&table.openings, __ATOMIC_RELAXED);
}
