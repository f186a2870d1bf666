// SPDX-License-Identifier: MIT
// The Process class in two implementations: ProcessShared, one representative for all CPUs, for
// processes that run on one or two; ProcessReplicated, one a CPU, so that what a CPU does for a
// process touches no line that another CPU writes.
#include "process.h"

#include <kernel/memory.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <kernel/startup.h>

CO_CHECK_INTERFACE(struct process_ops);

s64 system_call(struct process_rep *self); // exception/user_entry.S

static struct process *process_of(const struct process_rep *rep)
{
    return (struct process *)rep->co.root;
}

static CO_METHOD s64 process_get_num_children(struct co_rep *self)
{
    CO_HOME(self);
    return process_coids((struct process *)self->root, NULL, 0);
}

static CO_METHOD s64 process_get_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    return process_coids((struct process *)self->root, out, max);
}

static CO_METHOD s64 process_attach(struct process_rep *self, struct dispatcher *dispatcher)
{
    CO_HOME(self);
    KASSERT(dispatcher_process(dispatcher) == process_of(self));
    return 0;
}

// ---- shared -------------------------------------------------------------------------------------

static CO_METHOD s64 shared_exception(struct process_rep *self, struct frame *frame)
{
    CO_HOME(self);
    hard_unmask();
    atomic_add(&self->exceptions, 1);
    process_exception(process_of(self), frame);
    hard_mask();
    return 0;
}

static CO_METHOD s64 shared_exceptions(struct process_rep *self)
{
    CO_HOME(self);
    return (s64)self->exceptions;
}

static void process_destroy(struct co_root *root)
{
    process_free((struct process *)root);
}

static const struct process_ops shared_ops = {{process_get_num_children, process_get_children},
                                              system_call,
                                              shared_exception,
                                              process_attach,
                                              shared_exceptions};
static struct co_class shared_class = {
    .name = "Process",
    .implementation = "ProcessShared",
    .size = sizeof(struct process),
    .ops = &shared_ops.base,
    .destroy = process_destroy,
};

// ---- replicated ---------------------------------------------------------------------------------

static CO_METHOD s64 replicated_exception(struct process_rep *self, struct frame *frame)
{
    CO_HOME(self);
    hard_unmask();
    self->exceptions++;
    process_exception(process_of(self), frame);
    hard_mask();
    return 0;
}

static CO_METHOD s64 replicated_exceptions(struct process_rep *self)
{
    CO_HOME(self);
    u64 sum = 0;

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        const struct process_rep *rep = (struct process_rep *)self->co.root->reps[cpu];
        if (rep != NULL)
            sum += rep->exceptions;
    }
    return (s64)sum;
}

static s64 process_handle_miss(struct co_root *root, u32 cpu, struct co_rep **rep)
{
    struct process_rep *made = kzalloc(sizeof(*made));

    (void)root;
    (void)cpu;
    if (made == NULL)
        return E_NOMEM;
    *rep = &made->co;
    return 0;
}

static void process_destroy_rep(struct co_root *root, struct co_rep *rep)
{
    (void)root;
    kfree(rep);
}

static const struct process_ops replicated_ops = {{process_get_num_children, process_get_children},
                                                  system_call,
                                                  replicated_exception,
                                                  process_attach,
                                                  replicated_exceptions};
static struct co_class replicated_class = {
    .name = "Process",
    .implementation = "ProcessReplicated",
    .size = sizeof(struct process) + sizeof(struct process_rep),
    .root_size = sizeof(struct process),
    .distributed = true,
    .ops = &replicated_ops.base,
    .handle_miss = process_handle_miss,
    .destroy_rep = process_destroy_rep,
    .destroy = process_destroy,
};

s64 process_object_create(struct process *process, bool replicated)
{
    s64 coid = replicated ? co_create(&replicated_class, &process->root)
                          : co_create_shared(&shared_class, &process->root, &process->rep.co);

    return coid < 0 ? coid : 0;
}
