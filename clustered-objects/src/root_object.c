// SPDX-License-Identifier: MIT
// The root of the object tree (Kernel, Process): its children are the services.
#include "internal.h"

#define SERVICES_MAX 64

struct root_object;

struct root_object_ops {
    struct co_ops base;
    s64 (*add)(struct root_object *self, coid_t service);
};

struct root_object {
    CO_REP(struct root_object_ops);
    struct co_lock lock;
    u64 count;
    coid_t services[SERVICES_MAX];
};

CO_CHECK_INTERFACE(struct root_object_ops);

static struct co_root root;
static struct root_object object;
static coid_t root_coid;

static u64 service_count(const struct root_object *self)
{
    return __atomic_load_n(&self->count, __ATOMIC_ACQUIRE);
}

static CO_METHOD s64 root_object_get_num_children(struct co_rep *self)
{
    CO_HOME(self);
    return (s64)service_count((struct root_object *)self);
}

static CO_METHOD s64 root_object_get_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    const struct root_object *object = (struct root_object *)self;
    u64 count = service_count(object);
    if (count > max)
        count = max;
    for (u64 i = 0; i < count; i++)
        out[i] = object->services[i];
    return (s64)count;
}

static CO_METHOD s64 root_object_add(struct root_object *self, coid_t service)
{
    CO_HOME(self);
    co_platform_lock(&self->lock);
    s64 error = self->count < SERVICES_MAX ? 0 : E_LIMIT;
    if (error == 0) {
        self->services[self->count] = service;
        __atomic_store_n(&self->count, self->count + 1, __ATOMIC_RELEASE);
    }
    co_platform_unlock(&self->lock);
    return error;
}

static const struct root_object_ops ops = {{root_object_get_num_children, root_object_get_children},
                                           root_object_add};
static struct co_class class = {
    .name = co_platform_root_name,
    .implementation = co_platform_root_implementation,
    .size = sizeof(root) + sizeof(object),
    .ops = &ops.base,
};

s64 co_root_object_create(void)
{
    co_platform_lock_init(&object.lock, "root object", CO_LOCK_OBJECT);
    s64 coid = co_create_shared(&class, &root, &object.co);
    if (coid < 0)
        return coid;
    root_coid = (coid_t)coid;
    return 0;
}

s64 co_add_service(coid_t coid)
{
    return CO_CALL(struct root_object, root_coid, add, coid);
}
