// SPDX-License-Identifier: MIT
// The clustered objects of workloads.
#include <kernel/memory.h>
#include <kernel/softmask.h>
#include <string.h>
#include <workloads/work.h>
#include <workloads/work_object.h>

#define NOT_INLINED __attribute__((noipa))

struct work_object_root {
    struct co_root root; // first
    struct work_object object;
    s64 stamp;
    u64 word; // of reserve
    u32 child_count;
    coid_t children[WORK_OBJECT_CHILDREN];
};

static struct work_object_root *root_of(struct work_object *self)
{
    return (struct work_object_root *)self->co.root;
}

static CO_METHOD s64 work_object_get_num_children(struct co_rep *self)
{
    CO_HOME(self);
    return ((struct work_object_root *)self->root)->child_count;
}

static CO_METHOD s64 work_object_get_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    const struct work_object_root *root = (struct work_object_root *)self->root;
    u32 count = root->child_count < max ? root->child_count : max;
    memcpy(out, root->children, count * sizeof(*out));
    return count;
}

static CO_METHOD s64 work_object_touch(struct work_object *self)
{
    CO_HOME(self);
    return 0;
}

static CO_METHOD s64 work_object_read_stamp(struct work_object *self)
{
    CO_HOME(self);
    return root_of(self)->stamp;
}

static CO_METHOD s64 work_object_spin(struct work_object *self, u64 iterations)
{
    CO_HOME(self);
    work_spin(iterations);
    return 0;
}

static NOT_INLINED s64 work_object_spin_inner(u64 iterations)
{
    work_spin(iterations);
    return 0;
}

// The loop is a function of its own, so all of it runs masked.
static CO_METHOD s64 work_object_spin_masked(struct work_object *self, u64 iterations)
{
    CO_HOME(self);
    u8 before = soft_mask();
    work_object_spin_inner(iterations);
    soft_mask_restore(before);
    return 0;
}

static NOT_INLINED s64 work_object_spin_outer(u64 iterations)
{
    return work_object_spin_inner(iterations);
}

static CO_METHOD s64 work_object_spin_nested(struct work_object *self, u64 iterations)
{
    CO_HOME(self);
    return work_object_spin_outer(iterations);
}

static CO_METHOD s64 work_object_reserve(struct work_object *self, u64 iterations)
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

// Makes a reservation each turn without a store: the test before the store never holds.
static CO_METHOD s64 work_object_look(struct work_object *self, u64 iterations)
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

static CO_METHOD s64 work_object_hint_wrong(struct work_object *self, u64 iterations)
{
    CO_HOME(self);
    __asm__ volatile("mtctr %0\n1: nop\nbdnz- 1b" ::"r"(iterations) : "ctr");
    return 0;
}

static CO_METHOD s64 work_object_hint_right(struct work_object *self, u64 iterations)
{
    CO_HOME(self);
    __asm__ volatile("mtctr %0\n1: nop\nbdnz+ 1b" ::"r"(iterations) : "ctr");
    return 0;
}

static CO_METHOD s64 work_object_add(struct work_object *self, u64 iterations)
{
    CO_HOME(self);
    u64 sum = 1;
    __asm__ volatile("mtctr %1\n1:\n.rept 8\nadd %0,%0,%0\n.endr\nbdnz+ 1b"
                     : "+r"(sum)
                     : "r"(iterations)
                     : "ctr");
    return 0;
}

static CO_METHOD s64 work_object_read_walk(struct work_object *self, const struct work_walk *walk)
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

static CO_METHOD s64 work_object_write_walk(struct work_object *self, const struct work_walk *walk)
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

static void work_object_destroy(struct co_root *root)
{
    ((struct work_object_root *)root)->stamp = 0;
    kfree(root);
}

static const struct work_object_ops ops = {
    .base = {work_object_get_num_children, work_object_get_children},
    .touch = work_object_touch,
    .stamp = work_object_read_stamp,
    .spin = work_object_spin,
    .spin_masked = work_object_spin_masked,
    .spin_nested = work_object_spin_nested,
    .reserve = work_object_reserve,
    .look = work_object_look,
    .hint_wrong = work_object_hint_wrong,
    .hint_right = work_object_hint_right,
    .add = work_object_add,
    .read_walk = work_object_read_walk,
    .write_walk = work_object_write_walk,
};

CO_CHECK_INTERFACE(struct work_object_ops);

struct co_class work_object_class = {
    .name = "DemoObject",
    .implementation = "SharedWorkObject",
    .size = sizeof(struct work_object_root),
    .ops = &ops.base,
    .destroy = work_object_destroy,
};

s64 work_object_stamp(coid_t coid)
{
    return (s64)(coid ^ 0x5a5a5a5a5a5a);
}

s64 work_object_create(const coid_t *children, u32 child_count)
{
    struct work_object_root *root = kzalloc(sizeof(*root));
    if (root == NULL)
        return E_NOMEM;
    root->child_count = child_count;
    if (child_count != 0)
        memcpy(root->children, children, child_count * sizeof(*children));
    s64 coid = co_create_shared(&work_object_class, &root->root, &root->object.co);
    if (coid < 0)
        kfree(root);
    else
        root->stamp = work_object_stamp((coid_t)coid);
    return coid;
}

int work_objects_create(coid_t *coids, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        s64 coid = work_object_create(NULL, 0);
        if (coid < 0) {
            work_objects_destroy(coids, i);
            return (int)coid;
        }
        coids[i] = (coid_t)coid;
    }
    return 0;
}

void work_objects_destroy(const coid_t *coids, u32 count)
{
    for (u32 i = 0; i < count; i++)
        co_destroy(coids[i]);
}
