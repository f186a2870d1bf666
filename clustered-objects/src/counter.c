// SPDX-License-Identifier: MIT
// Two implementations of the counter of S000, figure 2.5: shared, and distributed over the
// CPUs. Either can become the other: their roots are of one type.
#include <co/counter.h>
#include <co/swap.h>

#define CACHE_LINE 128

CO_CHECK_INTERFACE(struct counter_ops);

struct counter_root {
    struct co_root root;
    s64 value;              // distributed: what it had when it became so, beside that of the reps
    struct counter counter; // the shared rep
    struct co_lock lock;    // of the shared value
};

static struct co_class shared_class, distributed_class;

static struct counter_root *counter_root_of(struct co_root *root)
{
    return container_of(root, struct counter_root, root);
}

static void counter_destroy(struct co_root *root)
{
    co_platform_free(counter_root_of(root));
}

static struct counter_root *counter_root_new(void)
{
    struct counter_root *counter = co_platform_alloc(sizeof(*counter));
    if (counter != NULL)
        co_platform_lock_init(&counter->lock, "shared counter", CO_LOCK_OBJECT);
    return counter;
}

// ---- shared: one value, one lock ---------------------------------------------------------------

static struct counter_root *shared_of(struct counter *self)
{
    return container_of(self, struct counter_root, counter);
}

static inline s64 shared_add(struct counter *self, s64 addend)
{
    struct counter_root *counter = shared_of(self);
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

// The value stays where it is: the reps to come add to it.
static struct co_rep *shared_to_distributed(struct co_root *root, void *carried)
{
    (void)root;
    (void)carried;
    return NULL;
}

static const struct counter_ops shared_ops = {CO_LEAF, shared_inc, shared_dec, shared_val};
static const struct co_swap shared_swaps[] = {
    {.to = &distributed_class, .transfer = shared_to_distributed},
};
static struct co_class shared_class = {
    .name = "Counter",
    .implementation = "SharedCounter",
    .size = sizeof(struct counter_root),
    .ops = &shared_ops.base,
    .destroy = counter_destroy,
    .swaps = shared_swaps,
    .swap_count = ARRAY_SIZE(shared_swaps),
};

s64 shared_counter_create(void)
{
    struct counter_root *counter = counter_root_new();
    if (counter == NULL)
        return E_NOMEM;
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

static inline s64 distributed_sum(struct co_root *root)
{
    s64 sum = counter_root_of(root)->value;
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        struct co_rep *rep = __atomic_load_n(&root->reps[cpu], __ATOMIC_ACQUIRE);
        if (rep != NULL)
            sum += __atomic_load_n(&((struct distributed_counter *)rep)->value, __ATOMIC_RELAXED);
    }
    return sum;
}

static CO_METHOD s64 distributed_val(struct counter *self)
{
    CO_HOME(self);
    return distributed_sum(self->co.root);
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

static struct co_rep *distributed_to_shared(struct co_root *root, void *carried)
{
    (void)carried;
    struct counter_root *counter = counter_root_of(root);
    counter->value = distributed_sum(root);
    return &counter->counter.co;
}

static const struct counter_ops distributed_ops = {CO_LEAF, distributed_inc, distributed_dec,
                                                   distributed_val};
static const struct co_swap distributed_swaps[] = {
    {.to = &shared_class, .transfer = distributed_to_shared},
};
static struct co_class distributed_class = {
    .name = "Counter",
    .implementation = "DistributedCounter",
    .size = sizeof(struct counter_root) + sizeof(struct distributed_counter),
    .distributed = true,
    .ops = &distributed_ops.base,
    .handle_miss = distributed_miss,
    .destroy_rep = distributed_destroy_rep,
    .destroy = counter_destroy,
    .swaps = distributed_swaps,
    .swap_count = ARRAY_SIZE(distributed_swaps),
};

s64 distributed_counter_create(void)
{
    struct counter_root *counter = counter_root_new();
    if (counter == NULL)
        return E_NOMEM;
    s64 coid = co_create(&distributed_class, &counter->root);
    if (coid < 0)
        co_platform_free(counter);
    return coid;
}
