// SPDX-License-Identifier: MIT
// churn-objects [SECONDS]: threads on all CPUs make objects, call them and end them. Says how many,
// or fails when one was not as it should be.
#include "known.h"

#include <stdio.h>
#include <stdlib.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

#define AT_ONCE 64

static u64 deadline, made[ORRERY_MAX_CPUS];

static s64 churn_once(void)
{
    s64 coids[AT_ONCE];
    s64 failed = 0;

    for (u32 i = 0; i < AT_ONCE; i++)
        coids[i] = churned_create();
    for (u32 i = 0; i < AT_ONCE; i++)
        failed += coids[i] < 0 || known_call((coid_t)coids[i]) != 1;
    for (u32 i = 0; i < AT_ONCE; i++)
        failed += coids[i] > 0 && co_destroy((coid_t)coids[i]) != 0;
    return failed;
}

static s64 churn(void *argument)
{
    u64 *count = argument;
    s64 failed = 0;

    while (time_now() < deadline && failed == 0) {
        failed = churn_once();
        *count += AT_ONCE;
        thread_yield(); // the dead are reaped once their CPU has passed a checkpoint
    }
    return failed;
}

int main(int argc, char **argv)
{
    struct thread *threads[ORRERY_MAX_CPUS];
    u64 seconds = argc > 1 ? strtoul(argv[1], NULL, 10) : 5, sum = 0;
    s64 failed = 0;

    deadline = time_now() + seconds * time_hz();
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = cpu;
        if (thread_create(&threads[cpu], &attributes, churn, &made[cpu]) != 0)
            return 1;
    }
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        s64 result = 1;
        thread_join(threads[cpu], &result);
        failed += result;
        sum += made[cpu];
    }
    printf("churn-objects: %lu objects, %ld failed\n", sum, failed);
    return failed != 0;
}
