// SPDX-License-Identifier: MIT
// Objects that are there to be seen.
#include "known.h"

#include <stdlib.h>

struct known;
struct known_ops {
    struct co_ops base;
    s64 (*call)(struct known *self);
};
struct known {
    CO_REP(struct known_ops);
    struct co_root root;
    u64 calls;
};
CO_CHECK_INTERFACE(struct known_ops);

static CO_METHOD s64 call(struct known *self)
{
    CO_HOME(self);
    return (s64)__atomic_add_fetch(&self->calls, 1, __ATOMIC_RELAXED);
}

static void destroy(struct co_root *root)
{
    free(container_of(root, struct known, root));
}

static const struct known_ops ops = {.base = CO_LEAF, .call = call};

static struct co_class kept_class = {
    .name = "Kept",
    .implementation = "KeptObject",
    .size = sizeof(struct known),
    .ops = &ops.base,
    .destroy = destroy,
};
static struct co_class churned_class = {
    .name = "Churned",
    .implementation = "ChurnedObject",
    .size = sizeof(struct known),
    .ops = &ops.base,
    .destroy = destroy,
};

static s64 create(struct co_class *class)
{
    struct known *known = calloc(1, sizeof(*known));

    if (known == NULL)
        return E_NOMEM;
    s64 coid = co_create_shared(class, &known->root, &known->co);
    if (coid < 0)
        free(known);
    return coid;
}

s64 kept_create(void)
{
    return create(&kept_class);
}

s64 churned_create(void)
{
    return create(&churned_class);
}

s64 known_call(coid_t coid)
{
    return CO_CALL(struct known, coid, call);
}
