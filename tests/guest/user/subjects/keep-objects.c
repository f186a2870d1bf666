// SPDX-License-Identifier: MIT
// keep-objects COUNT [CALLS]: makes so many objects, calls each so often from every CPU, says so,
// and keeps them until it is killed.
#include "known.h"

#include <stdio.h>
#include <stdlib.h>
#include <user/scheduler.h>
#include <user/thread.h>

static coid_t *coids;
static u64 count, calls;

static s64 call_all(void *argument)
{
    (void)argument;
    for (u64 i = 0; i < count; i++)
        for (u64 j = 0; j < calls; j++)
            if (known_call(coids[i]) < 0)
                return 1;
    return 0;
}

static s64 call_on_all_cpus(void)
{
    struct thread *threads[ORRERY_MAX_CPUS];
    s64 failed = 0;

    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = cpu;
        if (thread_create(&threads[cpu], &attributes, call_all, NULL) != 0)
            return 1;
    }
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        s64 result = 1;
        thread_join(threads[cpu], &result);
        failed += result;
    }
    return failed;
}

int main(int argc, char **argv)
{
    count = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;
    calls = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    coids = calloc(count, sizeof(*coids));
    for (u64 i = 0; i < count; i++) {
        s64 coid = coids == NULL ? E_NOMEM : kept_create();
        if (coid < 0)
            return 1;
        coids[i] = (coid_t)coid;
    }
    if (calls > 0 && call_on_all_cpus() != 0)
        return 1;
    printf("keep-objects: %lu objects\n", count);
    fflush(stdout);
    for (;;)
        thread_sleep_us(1000000);
}
