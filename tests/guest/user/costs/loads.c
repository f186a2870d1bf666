// SPDX-License-Identifier: MIT
// Loads that stand for what programs here do: calls of objects, calls of other processes, processes
// that come and go, files, memory; contention for a sleep lock; and loops. What other benchmarks'
// programs do is not written again: they are run.
#include "costs.h"

#include <co/counter.h>
#include <co/manager.h>
#include <orrery/errors.h>
#include <stdio.h>
#include <user/lock.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>

#define CALLS 20000 // of each kind, and of each object
#define LIVES 400   // objects that are made, called and destroyed
#define PROCESSES 10
#define CONTENTIONS 2000

static void run_program(const char *path, const char *argument)
{
    const char *const argv[] = {path, argument, NULL};
    struct process_spawn how = PROCESS_SPAWN;
    s32 status = -1;
    how.path = path;
    how.argv = argv;
    how.rights = PROCESS_SAME_RIGHTS;
    s64 pid = process_spawn(&how);
    if (pid < 0)
        fail("%s: %s", path, orrery_strerror(pid));
    if (process_wait((u32)pid, &status, THREAD_FOREVER) != pid || status != 0)
        fail("%s ended with status %d", path, status);
}

static coid_t new_counter(s64 (*create)(void))
{
    s64 coid = create();
    if (coid < 0)
        fail("counter: %s", orrery_strerror(coid));
    return (coid_t)coid;
}

// Shared and distributed ones, some of a short life: misses, then calls that hit.
static void objects(u64 times)
{
    static coid_t shared, distributed; // they live on, so that what is counted of them is not lost
    if (shared == 0) {
        shared = new_counter(shared_counter_create);
        distributed = new_counter(distributed_counter_create);
    }
    s64 before = CO_CALL(struct counter, distributed, val);
    for (u64 turn = 0; turn < times; turn++) {
        for (u32 i = 0; i < CALLS; i++) {
            CO_CALL(struct counter, shared, inc);
            CO_CALL(struct counter, distributed, inc);
        }
        for (u32 i = 0; i < LIVES; i++) {
            coid_t coid = new_counter(i % 2 ? shared_counter_create : distributed_counter_create);
            CO_CALL(struct counter, coid, inc);
            co_destroy(coid);
        }
    }
    s64 counted = CO_CALL(struct counter, distributed, val) - before;
    if (counted != (s64)(times * CALLS))
        fail("the counter says %ld", counted);
}

static void calls(u64 times)
{
    for (u64 i = 0; i < times; i++)
        run_program("bin/bench-ipc", NULL);
}

static void processes(u64 times)
{
    for (u64 i = 0; i < times * PROCESSES; i++)
        run_program("bin/costs", "child");
}

static void files(u64 times)
{
    for (u64 i = 0; i < times; i++)
        run_program("bin/bench-files", NULL);
}

static void memory(u64 times)
{
    for (u64 i = 0; i < times; i++)
        run_program("bin/bench-memory", NULL);
}

// Two threads and one mutex that always is taken when it is wanted: each turn blocks,
// wakes and switches.
static s64 contend(void *argument)
{
    struct mutex *mutex = argument;
    for (u32 i = 0; i < CONTENTIONS; i++) {
        mutex_lock(mutex);
        thread_yield();
        mutex_unlock(mutex);
    }
    return 0;
}

static void sleep_locks(u64 times)
{
    static struct mutex mutex;
    for (u64 i = 0; i < times; i++) {
        struct thread *threads[2];
        for (u32 j = 0; j < 2; j++) {
            s64 error = thread_create(&threads[j], NULL, contend, &mutex);
            if (error != 0)
                fail("thread: %s", orrery_strerror(error));
        }
        for (u32 j = 0; j < 2; j++)
            thread_join(threads[j], NULL);
    }
}

const struct load loads[] = {
    {"objects", objects, 60},
    {"calls", calls, 2},
    {"processes", processes, 10},
    {"files", files, 10},
    {"memory", memory, 2},
    {"sleep-locks", sleep_locks, 20},
    {"dref-loop", drefs_in_a_loop, 100},
    {"empty-loop", empty_loop, 100},
};
const u32 load_count = ARRAY_SIZE(loads);
