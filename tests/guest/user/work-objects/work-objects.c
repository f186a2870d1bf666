// SPDX-License-Identifier: MIT
// Work to be sampled: work-objects [SECONDS [CPU]]. Two objects, "Light" and "Heavy", whose methods
// do work at 1:3, each partly in functions that they call; in between the kernel has work on the
// process's behalf. Says at its end how often each was called.
#include <co/object.h>
#include <co/platform.h>
#include <orrery/process.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <user/thread.h>
#include <user/time.h>

// Of the inner loop in a unit of work: a few samples long, so that where samples are lost, and so a
// unit is cut off, does not change the shares.
#define TURNS 5000
#define SYSTEM_CALLS 16 // a round

struct work;

struct work_ops {
    struct co_ops base;
    s64 (*run)(struct work *self, u64 units);
};

struct work {
    CO_REP(struct work_ops);
    struct co_root root;
    u64 calls;
};

CO_CHECK_INTERFACE(struct work_ops);

__attribute__((noipa)) static void turn(u64 turns)
{
    for (u64 i = 0; i < turns; i++)
        __asm__ volatile("addi 0,0,1\n\taddi 0,0,1\n\taddi 0,0,1\n\taddi 0,0,1" ::: "r0");
}

// Half of it here, half in a function.
static CO_METHOD s64 run(struct work *self, u64 units)
{
    CO_HOME(self);
    for (u64 i = 0; i < units; i++) {
        for (u64 j = 0; j < TURNS / 2; j++)
            __asm__ volatile("addi 0,0,1\n\taddi 0,0,1\n\taddi 0,0,1\n\taddi 0,0,1" ::: "r0");
        turn(TURNS / 2);
    }
    self->calls++;
    return 0;
}

static const struct work_ops ops = {CO_LEAF, run};
static struct co_class light_class = {
    .name = "Work", .implementation = "Light", .size = sizeof(struct work), .ops = &ops.base};
static struct co_class heavy_class = {
    .name = "Work", .implementation = "Heavy", .size = sizeof(struct work), .ops = &ops.base};
static struct work light, heavy;

int main(int argc, char **argv)
{
    u64 seconds = argc > 1 ? strtoul(argv[1], NULL, 10) : 5;
    if (argc > 2 && thread_move(thread_current(), (u32)strtoul(argv[2], NULL, 10)) != 0)
        return 1;
    s64 a = co_create_shared(&light_class, &light.root, &light.co);
    s64 b = co_create_shared(&heavy_class, &heavy.root, &heavy.co);
    if (a < 0 || b < 0)
        return 1;
    u64 end = time_now() + seconds * time_hz();
    while (time_now() < end) {
        CO_CALL(struct work, (coid_t)a, run, 1);
        CO_CALL(struct work, (coid_t)b, run, 3);
        for (u32 i = 0; i < SYSTEM_CALLS; i++) {
            struct sys_info info;
            sys_info(&info);
        }
    }
    printf("work-objects: light %lu heavy %lu calls\n", light.calls, heavy.calls);
    return 0;
}
