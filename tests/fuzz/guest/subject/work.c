// SPDX-License-Identifier: MIT
// Honest work.
#include "subject.h"

#include <co/manager.h>
#include <co/object.h>
#include <orrery/pmu.h>
#include <stdlib.h>
#include <trace/events.h>
#include <user/lock.h>
#include <user/pmu.h>
#include <user/scheduler.h>
#include <user/thread.h>

#define OBJECTS 40

struct subject;
struct subject_ops {
    struct co_ops base;
    s64 (*call)(struct subject *self);
};
struct subject {
    CO_REP(struct subject_ops);
    u64 calls;
};

static struct {
    struct co_root root;
    struct subject rep;
} subjects[OBJECTS];
static coid_t coids[OBJECTS];
static struct mutex lock;

static CO_METHOD s64 subject_call(struct subject *self)
{
    CO_HOME(self);
    return (s64)++self->calls;
}

static const struct subject_ops ops = {CO_LEAF, subject_call};
static struct co_class class = {
    .name = "Subject",
    .implementation = "SubjectShared",
    .size = sizeof(subjects[0]),
    .ops = &ops.base,
};

static s64 make_objects(void)
{
    for (u32 i = 0; i < OBJECTS; i++) {
        s64 coid = co_create_shared(&class, &subjects[i].root, &subjects[i].rep.co);
        if (coid < 0)
            return coid;
        coids[i] = (coid_t)coid;
    }
    return 0;
}

static s64 work(void *argument)
{
    u64 counts[SYS_PMU_ITEMS], turn = (u64)argument;

    for (;; turn++) {
        CO_CALL(struct subject, coids[turn % OBJECTS], call);
        mutex_lock(&lock);
        trace_test2(turn, (u64)argument);
        mutex_unlock(&lock);
        if (turn % 64 == 0)
            pmu_read(counts);
        if (turn % 256 == 0)
            thread_sleep_us(50);
        free(malloc(turn % 500));
    }
    return 0;
}

s64 work_start(void)
{
    s64 error = make_objects();

    for (u32 i = 0; error == 0 && i < 2 * user_cpu_count(); i++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = i % user_cpu_count();
        error = thread_create(NULL, &attributes, work, (void *)(u64)i);
    }
    return error;
}
