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
    u64 word; // of reserve
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

static CO_METHOD s64 test_object_reserve(struct test_object *self, u64 iterations)
{
    CO_HOME(self);
    u64 value;
    __asm__ volatile("mtctr %1\n"
                     "1: ldarx %0,0,%2\n"
                     "stdcx. %0,0,%2\n"
                     "bne- 1b\n"
                     "bdnz 1b"
                     : "=&r"(value)
                     : "r"(iterations), "r"(&root_of(self)->word)
                     : "ctr", "cr0", "memory");
    return 0;
}

// A reservation each turn that nothing is stored by: the test in front of the store never holds.
static CO_METHOD s64 test_object_look(struct test_object *self, u64 iterations)
{
    CO_HOME(self);
    u64 value;
    __asm__ volatile("mtctr %1\n"
                     "1: ldarx %0,0,%2\n"
                     "cmpdi 0,%0,0\n"
                     "bne- 2f\n"
                     "b 3f\n"
                     "2: stdcx. %0,0,%2\n"
                     "3: bdnz+ 1b"
                     : "=&r"(value)
                     : "r"(iterations), "r"(&root_of(self)->word)
                     : "ctr", "cr0", "memory");
    return 0;
}

static CO_METHOD s64 test_object_hint_wrong(struct test_object *self, u64 iterations)
{
    CO_HOME(self);
    __asm__ volatile("mtctr %0\n1: nop\nbdnz- 1b" ::"r"(iterations) : "ctr");
    return 0;
}

static CO_METHOD s64 test_object_hint_right(struct test_object *self, u64 iterations)
{
    CO_HOME(self);
    __asm__ volatile("mtctr %0\n1: nop\nbdnz+ 1b" ::"r"(iterations) : "ctr");
    return 0;
}

static CO_METHOD s64 test_object_add(struct test_object *self, u64 iterations)
{
    CO_HOME(self);
    u64 sum = 1;
    __asm__ volatile("mtctr %1\n1:\n.rept 8\nadd %0,%0,%0\n.endr\nbdnz+ 1b"
                     : "+r"(sum)
                     : "r"(iterations)
                     : "ctr");
    return 0;
}

static CO_METHOD s64 test_object_read_walk(struct test_object *self, const struct test_walk *walk)
{
    CO_HOME(self);
    u64 offset = 0, value;
    __asm__ volatile("mtctr %2\n"
                     "1: ldx %1,%3,%0\n"
                     "add %0,%0,%4\n"
                     "and %0,%0,%5\n"
                     "bdnz+ 1b"
                     : "+r"(offset), "=&r"(value)
                     : "r"(walk->turns), "b"(walk->base), "r"(walk->stride), "r"(walk->mask)
                     : "ctr", "memory");
    return 0;
}

static CO_METHOD s64 test_object_write_walk(struct test_object *self, const struct test_walk *walk)
{
    CO_HOME(self);
    u64 offset = 0;
    __asm__ volatile("mtctr %1\n"
                     "1: stdx %0,%2,%0\n"
                     "add %0,%0,%3\n"
                     "and %0,%0,%4\n"
                     "bdnz+ 1b"
                     : "+r"(offset)
                     : "r"(walk->turns), "b"(walk->base), "r"(walk->stride), "r"(walk->mask)
                     : "ctr", "memory");
    return 0;
}

bool test_object_loop_at(u64 pc)
{
    static const char *const loops[] = {
        "test_object_spin", "test_object_spin_inner", "test_object_reserve",
        "test_object_look", "test_object_hint_wrong", "test_object_hint_right",
        "test_object_add",  "test_object_read_walk",  "test_object_write_walk",
    };
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
    .reserve = test_object_reserve,
    .look = test_object_look,
    .hint_wrong = test_object_hint_wrong,
    .hint_right = test_object_hint_right,
    .add = test_object_add,
    .read_walk = test_object_read_walk,
    .write_walk = test_object_write_walk,
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
