// SPDX-License-Identifier: MIT
// The WorkloadManager object shows a scan whose the workloads' objects are.
#include "manager.h"

#include <co/manager.h>
#include <co/object.h>
#include <kernel/spinlock.h>

#define RUNS_MAX 8

static struct spinlock lock = SPINLOCK_INIT("workload manager", RANK_SERVICE);
static const struct workload_run *runs[RUNS_MAX]; // those with objects; NULL: free
static struct co_root root;
static struct co_rep manager;
static bool created;

static CO_METHOD s64 workload_manager_get_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    u32 count = 0;
    spin_lock(&lock);
    for (u32 i = 0; i < RUNS_MAX; i++)
        for (u32 j = 0; runs[i] != NULL && j < runs[i]->object_count && count < max; j++)
            out[count++] = runs[i]->objects[j];
    spin_unlock(&lock);
    return count;
}

static CO_METHOD s64 workload_manager_get_num_children(struct co_rep *self)
{
    CO_HOME(self);
    u32 count = 0;
    spin_lock(&lock);
    for (u32 i = 0; i < RUNS_MAX; i++)
        count += runs[i] != NULL ? runs[i]->object_count : 0;
    spin_unlock(&lock);
    return count;
}

static const struct co_ops ops = {
    .get_num_children = workload_manager_get_num_children,
    .get_children = workload_manager_get_children,
};

static struct co_class workload_manager_class = {
    .name = "WorkloadManager",
    .implementation = "NamedWorkloads",
    .size = sizeof(root) + sizeof(manager),
    .ops = &ops,
};

s64 workload_manager_create(void)
{
    if (__atomic_exchange_n(&created, true, __ATOMIC_ACQ_REL))
        return 0;
    s64 coid = co_create_shared(&workload_manager_class, &root, &manager);
    s64 error = coid < 0 ? coid : co_add_service((coid_t)coid);
    if (error != 0)
        __atomic_store_n(&created, false, __ATOMIC_RELEASE);
    return error;
}

static void replace(const struct workload_run *old, const struct workload_run *new)
{
    spin_lock(&lock);
    for (u32 i = 0; i < RUNS_MAX; i++)
        if (runs[i] == old) {
            runs[i] = new;
            break;
        }
    spin_unlock(&lock);
}

void workload_manager_add(const struct workload_run *run)
{
    replace(NULL, run);
}

void workload_manager_remove(const struct workload_run *run)
{
    replace(run, NULL);
}
