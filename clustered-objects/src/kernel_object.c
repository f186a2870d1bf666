// SPDX-License-Identifier: MIT
// The Kernel object: root of the object tree, its children are the services.
#include "internal.h"

#define SERVICES_MAX 64

struct kernel_object;

struct kernel_object_ops {
    struct co_ops base;
    s64 (*add)(struct kernel_object *self, coid_t service);
};

struct kernel_object {
    CO_REP(struct kernel_object_ops);
    struct co_lock lock;
    u64 count;
    coid_t services[SERVICES_MAX];
};

CO_CHECK_INTERFACE(struct kernel_object_ops);

static struct co_root root;
static struct kernel_object kernel;
static coid_t kernel_coid;

static u64 service_count(const struct kernel_object *self)
{
    return __atomic_load_n(&self->count, __ATOMIC_ACQUIRE);
}

CO_METHOD static s64 get_num_children(struct co_rep *self)
{
    CO_HOME(self);
    return (s64)service_count((struct kernel_object *)self);
}

CO_METHOD static s64 get_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    const struct kernel_object *object = (struct kernel_object *)self;
    u64 count = service_count(object);
    if (count > max)
        count = max;
    for (u64 i = 0; i < count; i++)
        out[i] = object->services[i];
    return (s64)count;
}

CO_METHOD static s64 add(struct kernel_object *self, coid_t service)
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

static const struct kernel_object_ops ops = {{get_num_children, get_children}, add};
static struct co_class class = {
    .name = "Kernel",
    .implementation = "KernelObject",
    .size = sizeof(root) + sizeof(kernel),
    .ops = &ops.base,
};

s64 co_kernel_object_create(void)
{
    co_platform_lock_init(&kernel.lock, "kernel object", CO_LOCK_OBJECT);
    s64 coid = co_create_shared(&class, &root, &kernel.co);
    if (coid < 0)
        return coid;
    kernel_coid = (coid_t)coid;
    return 0;
}

coid_t co_kernel_object(void)
{
    return kernel_coid;
}

s64 co_add_service(coid_t coid)
{
    return CO_CALL(struct kernel_object, kernel_coid, add, coid);
}
