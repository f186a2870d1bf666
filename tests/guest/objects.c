// SPDX-License-Identifier: MIT
// The clustered objects of benchmarks and workloads.
#include "objects.h"

#include <guest/bench.h>
#include <kernel/memory.h>
#include <kernel/softmask.h>
#include <kernel/symbols.h>
#include <string.h>

#define NOT_INLINED __attribute__((noipa))

struct test_object_root {
    struct co_root root; // first
    struct test_object object;
    s64 stamp;
    u32 child_count;
    coid_t children[TEST_OBJECT_CHILDREN];
};

static struct test_object_root *root_of(struct test_object *self)
{
    return (struct test_object_root *)self->co.root;
}

static CO_METHOD s64 test_object_get_num_children(struct co_rep *self)
{
    CO_HOME(self);
    return ((struct test_object_root *)self->root)->child_count;
}

static CO_METHOD s64 test_object_get_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    const struct test_object_root *root = (struct test_object_root *)self->root;
    u32 count = root->child_count < max ? root->child_count : max;
    memcpy(out, root->children, count * sizeof(*out));
    return count;
}

static CO_METHOD s64 test_object_touch(struct test_object *self)
{
    CO_HOME(self);
    return 0;
}

static CO_METHOD s64 test_object_read_stamp(struct test_object *self)
{
    CO_HOME(self);
    return root_of(self)->stamp;
}

static CO_METHOD s64 test_object_spin(struct test_object *self, u64 iterations)
{
    CO_HOME(self);
    bench_spin(iterations);
    return 0;
}

static NOT_INLINED s64 test_object_spin_inner(u64 iterations)
{
    bench_spin(iterations);
    return 0;
}

// The loop is a function of its own, so that all of it runs masked.
static CO_METHOD s64 test_object_spin_masked(struct test_object *self, u64 iterations)
{
    CO_HOME(self);
    u8 before = soft_mask();
    test_object_spin_inner(iterations);
    soft_mask_restore(before);
    return 0;
}

static NOT_INLINED s64 test_object_spin_outer(u64 iterations)
{
    return test_object_spin_inner(iterations);
}

static CO_METHOD s64 test_object_spin_nested(struct test_object *self, u64 iterations)
{
    CO_HOME(self);
    return test_object_spin_outer(iterations);
}

bool test_object_loop_at(u64 pc)
{
    static const char *const loops[] = {"test_object_spin", "test_object_spin_inner"};
    const char *name = symbol_find(pc, NULL);
    for (u32 i = 0; name != NULL && i < ARRAY_SIZE(loops); i++)
        if (strcmp(name, loops[i]) == 0)
            return true;
    return false;
}

static void destroy(struct co_root *root)
{
    ((struct test_object_root *)root)->stamp = 0;
    kfree(root);
}

static const struct test_object_ops ops = {
    .base = {test_object_get_num_children, test_object_get_children},
    .touch = test_object_touch,
    .stamp = test_object_read_stamp,
    .spin = test_object_spin,
    .spin_masked = test_object_spin_masked,
    .spin_nested = test_object_spin_nested,
};

CO_CHECK_INTERFACE(struct test_object_ops);

struct co_class test_object_class = {
    .name = "BenchObject",
    .implementation = "SharedTestObject",
    .size = sizeof(struct test_object_root),
    .ops = &ops.base,
    .destroy = destroy,
};

struct co_class demo_object_class = {
    .name = "DemoObject",
    .implementation = "SharedTestObject",
    .size = sizeof(struct test_object_root),
    .ops = &ops.base,
    .destroy = destroy,
};

s64 test_object_stamp(coid_t coid)
{
    return (s64)(coid ^ 0x5a5a5a5a5a5a);
}

s64 test_object_create(struct co_class *class, const coid_t *children, u32 child_count)
{
    struct test_object_root *root = kzalloc(sizeof(*root));
    if (root == NULL)
        return E_NOMEM;
    root->child_count = child_count;
    if (child_count != 0)
        memcpy(root->children, children, child_count * sizeof(*children));
    s64 coid = co_create_shared(class, &root->root, &root->object.co);
    if (coid < 0)
        kfree(root);
    else
        root->stamp = test_object_stamp((coid_t)coid);
    return coid;
}

int test_objects_create(struct co_class *class, coid_t *coids, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        s64 coid = test_object_create(class, NULL, 0);
        if (coid < 0) {
            test_objects_destroy(coids, i);
            return (int)coid;
        }
        coids[i] = (coid_t)coid;
    }
    return 0;
}

void test_objects_destroy(const coid_t *coids, u32 count)
{
    for (u32 i = 0; i < count; i++)
        co_destroy(coids[i]);
}
