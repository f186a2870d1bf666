// SPDX-License-Identifier: MIT
// Open files of /proc.
#include "snapshot.h"

#include <co/manager.h>
#include <stdlib.h>
#include <user/time.h>

static void hold(void *thing)
{
    struct snapshot *snapshot = thing;
    __atomic_add_fetch(&snapshot->references, 1, __ATOMIC_RELAXED);
}

static void put(void *thing)
{
    snapshot_put(thing);
}

struct handle_table snapshots = {.hold = hold, .put = put};

// ---- one ----------------------------------------------------------------------------------------

static const struct co_ops snapshot_ops = CO_LEAF;

static void destroy(struct co_root *root)
{
    struct snapshot *snapshot = (struct snapshot *)root;
    free(snapshot->text.bytes);
    free(snapshot);
}

static struct co_class snapshot_class = {
    .name = "ProcFile",
    .implementation = "ProcFileSnapshot",
    .size = sizeof(struct snapshot),
    .ops = &snapshot_ops,
    .destroy = destroy,
};

static s64 fill(struct snapshot *snapshot)
{
    struct sys_process_info info;
    const struct place *place = &snapshot->place;
    if (place->pid != 0) {
        s64 status = sys_process_info(place->pid, &info);
        if (status != 0)
            return status;
    }
    s64 status = place->file != NULL ? place->file->fill(place->pid, &snapshot->text) : 0;
    return status < 0 ? status : snapshot->text.failed ? E_NOMEM : 0;
}

s64 snapshot_open(const struct place *place, u32 pid, u64 *handle)
{
    struct snapshot *snapshot = calloc(1, sizeof(*snapshot));
    if (snapshot == NULL)
        return E_NOMEM;
    snapshot->place = *place;
    snapshot->references = 1;
    snapshot->time = time_date();
    s64 status = fill(snapshot);
    if (status == 0)
        status = co_create_shared(&snapshot_class, &snapshot->root, &snapshot->rep);
    if (status < 0) {
        destroy(&snapshot->root);
        return status;
    }
    return handle_add(&snapshots, snapshot, pid, handle);
}

struct snapshot *snapshot_get(u64 handle, u32 pid)
{
    return handle_get(&snapshots, handle, pid);
}

void snapshot_put(struct snapshot *snapshot)
{
    if (__atomic_sub_fetch(&snapshot->references, 1, __ATOMIC_ACQ_REL) == 0)
        co_destroy(snapshot->root.coid);
}

// ---- all of them -------------------------------------------------------------------------------

static struct co_root root;
static struct co_rep rep;

static CO_METHOD s64 get_num_children(struct co_rep *self)
{
    CO_HOME(self);
    return snapshots.used;
}

static coid_t object_of(void *thing)
{
    return ((struct snapshot *)thing)->root.coid;
}

static CO_METHOD s64 get_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    return handles_objects(&snapshots, object_of, out, max);
}

static const struct co_ops ops = {.get_num_children = get_num_children,
                                  .get_children = get_children};
static struct co_class class = {
    .name = "ProcFileTable",
    .implementation = "ProcFileTableArray",
    .size = sizeof(snapshots),
    .ops = &ops,
};

s64 snapshots_start(void)
{
    s64 coid = co_create_shared(&class, &root, &rep);
    return coid < 0 ? coid : co_add_service((coid_t)coid);
}
