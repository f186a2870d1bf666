// SPDX-License-Identifier: MIT
// Two implementations of the counter of seed 000, figure 2.5: shared, and distributed over the
// CPUs.
#include <co/counter.h>

#define CACHE_LINE 128

CO_CHECK_INTERFACE(struct counter_ops);

// ---- shared: one value, one lock ---------------------------------------------------------------

struct shared_counter {
    struct co_root root;
    struct counter counter;
    struct co_lock lock;
    s64 value;
};

static struct shared_counter *shared_of(struct counter *self)
{
    return container_of(self, struct shared_counter, counter);
}

static inline s64 shared_add(struct counter *self, s64 addend)
{
    struct shared_counter *counter = shared_of(self);
    co_platform_lock(&counter->lock);
    s64 value = counter->value += addend;
    co_platform_unlock(&counter->lock);
    return value;
}

static CO_METHOD s64 shared_inc(struct counter *self)
{
    CO_HOME(self);
    shared_add(self, 1);
    return 0;
}

static CO_METHOD s64 shared_dec(struct counter *self)
{
    CO_HOME(self);
    shared_add(self, -1);
    return 0;
}

static CO_METHOD s64 shared_val(struct counter *self)
{
    CO_HOME(self);
    return shared_add(self, 0);
}

static void shared_destroy(struct co_root *root)
{
    co_platform_free(root);
}

static const struct counter_ops shared_ops = {CO_LEAF, shared_inc, shared_dec, shared_val};
static struct co_class shared_class = {
    .name = "Counter",
    .implementation = "SharedCounter",
    .size = sizeof(struct shared_counter),
    .ops = &shared_ops.base,
    .destroy = shared_destroy,
};

s64 shared_counter_create(void)
{
    struct shared_counter *counter = co_platform_alloc(sizeof(*counter));
    if (counter == NULL)
        return E_NOMEM;
    co_platform_lock_init(&counter->lock, "shared counter", CO_LOCK_OBJECT);
    s64 coid = co_create_shared(&shared_class, &counter->root, &counter->counter.co);
    if (coid < 0)
        co_platform_free(counter);
    return coid;
}

// ---- distributed: a value a CPU, no lock, no shared cache line ----------------------------------

struct distributed_counter {
    struct counter counter;
    s64 value;
    char padding[CACHE_LINE - sizeof(struct counter) - sizeof(s64)];
};

// Masks interrupts, so no thread or handler of this CPU can come between.
static inline s64 distributed_add(struct counter *self, s64 addend)
{
    struct distributed_counter *counter = (struct distributed_counter *)self;
    u64 state = co_platform_mask();
    __atomic_store_n(&counter->value, counter->value + addend, __ATOMIC_RELAXED);
    co_platform_unmask(state);
    return 0;
}

static CO_METHOD s64 distributed_inc(struct counter *self)
{
    CO_HOME(self);
    return distributed_add(self, 1);
}

static CO_METHOD s64 distributed_dec(struct counter *self)
{
    CO_HOME(self);
    return distributed_add(self, -1);
}

static CO_METHOD s64 distributed_val(struct counter *self)
{
    CO_HOME(self);
    s64 sum = 0;
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        struct co_rep *rep = __atomic_load_n(&self->co.root->reps[cpu], __ATOMIC_ACQUIRE);
        if (rep != NULL)
            sum += __atomic_load_n(&((struct distributed_counter *)rep)->value, __ATOMIC_RELAXED);
    }
    return sum;
}

static s64 distributed_miss(struct co_root *root, u32 cpu, struct co_rep **rep)
{
    (void)root;
    (void)cpu;
    struct distributed_counter *counter = co_platform_alloc(sizeof(*counter));
    if (counter == NULL)
        return E_NOMEM;
    *rep = &counter->counter.co;
    return 0;
}

static void distributed_destroy_rep(struct co_root *root, struct co_rep *rep)
{
    (void)root;
    co_platform_free(rep);
}

static void distributed_destroy(struct co_root *root)
{
    co_platform_free(root);
}

static const struct counter_ops distributed_ops = {CO_LEAF, distributed_inc, distributed_dec,
                                                   distributed_val};
static struct co_class distributed_class = {
    .name = "Counter",
    .implementation = "DistributedCounter",
    .size = sizeof(struct co_root) + sizeof(struct distributed_counter),
    .distributed = true,
    .ops = &distributed_ops.base,
    .handle_miss = distributed_miss,
    .destroy_rep = distributed_destroy_rep,
    .destroy = distributed_destroy,
};

s64 distributed_counter_create(void)
{
    struct co_root *root = co_platform_alloc(sizeof(*root));
    if (root == NULL)
        return E_NOMEM;
    s64 coid = co_create(&distributed_class, root);
    if (coid < 0)
        co_platform_free(root);
    return coid;
}
