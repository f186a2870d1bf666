// SPDX-License-Identifier: MIT
// What operations cost with 10, 100, 1,000, 10,000 of the things that they work on, as far as
// limits go. Lines "BENCH growth.OPERATION.NUMBER value unit"; a nanosecond of virtual time is an
// instruction under -icount shift=0.
#include <errno.h>
#include <orrery/errors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/thread.h>
#include <user/time.h>

#include "growth.h"

#define BATCHES 9
#define BATCH_TICKS 20000 // about: how long a batch should take
#define ROUNDS_MAX 16

s64 failed_unless(bool done)
{
    return done ? 0 : E_IO;
}

static s64 run_often(const struct operation *operation, u32 count, u32 rounds, u64 *ticks)
{
    u64 begin = time_now();
    s64 error = 0;

    for (u32 i = 0; i < rounds && error == 0; i++)
        error = operation->run(count);
    *ticks = time_now() - begin;
    return error;
}

// The least batch counts: clock ticks and what servers do now and then fall into other batches.
static s64 measure(const struct operation *operation, u32 count)
{
    u64 ticks, least = 0;
    s64 error = run_often(operation, count, 1, &ticks);
    error = error != 0 ? error : run_often(operation, count, 1, &least);
    u32 rounds = least > BATCH_TICKS ? 1 : BATCH_TICKS / (u32)(least + 1) + 1;
    rounds = rounds < ROUNDS_MAX ? rounds : ROUNDS_MAX;

    least = UINT64_MAX;
    for (u32 batch = 0; batch < BATCHES && error == 0; batch++) {
        error = run_often(operation, count, rounds, &ticks);
        least = ticks < least ? ticks : least;
    }
    double ns = (double)least * 1e9 / (double)time_hz() / rounds;
    if (error == 0)
        printf("BENCH growth.%s.%u %.1f ns\n", operation->name, count,
               operation->each ? ns / count : ns);
    else
        printf("bench-growth: %s with %u: %s\n", operation->name, count, orrery_strerror(error));
    return error;
}

static s64 measure_all(const struct things *things, u32 count)
{
    s64 error = things->begin != NULL ? things->begin(count) : 0;

    if (error != 0)
        printf("bench-growth: %u for %s do not begin: %s\n", count, things->operations[0].name,
               orrery_strerror(error));
    for (u32 i = 0; i < OPERATIONS_MAX && things->operations[i].run != NULL && error == 0; i++)
        error = measure(&things->operations[i], count);
    return error;
}

bool measure_growth(const struct things *things)
{
    u32 count = 0;
    s64 error = 0;

    for (u32 wanted = 10; count < things->most && error == 0; wanted *= 10) {
        wanted = wanted < things->most ? wanted : things->most;
        for (; count < wanted && error == 0; count += error == 0)
            error = things->add(count);
        if (error != 0)
            printf("bench-growth: no more than %u for %s: %s\n", count, things->operations[0].name,
                   orrery_strerror(error));
        else
            error = measure_all(things, count);
    }
    things->remove_all(count);
    return error == 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "hold") == 0)
        return hold_files(argv[2], argv[3]);
    if (argc == 2 && strcmp(argv[1], "parent") == 0)
        return leave_children();
    if (argc == 2 && strcmp(argv[1], "sleep") == 0)
        thread_sleep_until(THREAD_FOREVER / 4 + time_now());
    if (argc == 2)
        return 0; // "exit", or its sleep is over
    return growth_in_kernel() && growth_of_files() && growth_of_processes() ? 0 : 1;
}
