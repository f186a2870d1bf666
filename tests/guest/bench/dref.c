// SPDX-License-Identifier: MIT
// DREF counts (S000 §4.4.2), for several numbers of objects, loop sizes and orders. All CPUs call
// at once, each object a number of times of its own. The monitor's counts must be exactly these.
#include <kernel/memory.h>
#include <kernel/percpu.h>
#include <orrery/sys.h>
#include <workloads/work.h>
#include <workloads/work_object.h>

#include "bench.h"
#include "benches.h"
#include "counts.h"

#define OBJECTS_MAX 8

enum order { FORWARD, BACKWARD, SHUFFLED };
static const char *const order_names[] = {"forward", "backward", "shuffled"};

struct plan {
    coid_t coids[OBJECTS_MAX];
    u32 objects;
    u64 loops;
    enum order order;
};

// Calls of object by cpu: different for every pair, so that a count in the wrong place shows.
static u64 planned(const struct plan *plan, u32 object, u32 cpu)
{
    return plan->loops * (object + 1) + cpu;
}

static u32 nth(const struct plan *plan, u32 i, u64 *random)
{
    if (plan->order == BACKWARD)
        return plan->objects - 1 - i % plan->objects;
    return plan->order == FORWARD ? i % plan->objects : (u32)(work_random(random) % plan->objects);
}

// result: calls that did not return 0.
static void call_all(struct bench_worker *worker)
{
    const struct plan *plan = worker->argument;
    u64 left[OBJECTS_MAX], total = 0, random = 88172645463325252 + worker->cpu;
    for (u32 i = 0; i < plan->objects; i++)
        total += left[i] = planned(plan, i, worker->cpu);
    for (u32 i = 0; total != 0; i++) {
        u32 object = nth(plan, i, &random);
        if (left[object] == 0)
            continue;
        worker->result += CO_CALL(struct work_object, plan->coids[object], touch) != 0;
        left[object]--;
        total--;
    }
}

static void compare(const struct plan *plan, const struct dref_counts *before,
                    const struct dref_counts *after)
{
    struct bench_tally tally = {0};
    for (u32 i = 0; i < plan->objects; i++)
        for (u32 cpu = 0; cpu < cpu_count; cpu++)
            bench_compare(&tally, planned(plan, i, cpu),
                          after->invocations[i][cpu] - before->invocations[i][cpu]);
    bench_tally_row(&tally, "%u objects, %llu calls, %s, %u CPUs", plan->objects,
                    (unsigned long long)plan->loops, order_names[plan->order], cpu_count);
}

static void count(struct plan *plan, struct dref_counts *before, struct dref_counts *after)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    struct bench_tally errors = {0};
    if (work_objects_create(plan->coids, plan->objects) != 0) {
        bench_exact(0, 1, "objects that could not be created");
        return;
    }
    s64 error = sys_dref_enable(true);
    error += dref_counts_read(plan->coids, plan->objects, before);
    bench_on_cpus(bench_all_cpus(), call_all, plan, workers);
    error += sys_dref_enable(false);
    // With the hook out these must not count.
    for (u32 i = 0; i < plan->objects; i++)
        error += CO_CALL(struct work_object, plan->coids[i], touch);
    error += dref_counts_read(plan->coids, plan->objects, after);
    compare(plan, before, after);
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        bench_compare(&errors, 0, workers[cpu].result);
    bench_compare(&errors, 0, (u64)-error);
    if (errors.mismatches != 0)
        bench_tally_row(&errors, "  calls that failed");
    work_objects_destroy(plan->coids, plan->objects);
}

void bench_dref(void)
{
    static const u32 objects[] = {1, 3, OBJECTS_MAX};
    static const u64 loops[] = {1, 100, 10000};
    struct dref_counts *counts = kmalloc(2 * sizeof(*counts));
    if (counts == NULL) {
        bench_exact(0, 1, "out of memory");
        return;
    }
    for (u32 i = 0; i < ARRAY_SIZE(objects); i++)
        for (u32 j = 0; j < ARRAY_SIZE(loops); j++)
            for (u32 order = FORWARD; order <= SHUFFLED; order++) {
                struct plan plan = {.objects = objects[i], .loops = loops[j], .order = order};
                if (objects[i] > 1 || order == FORWARD)
                    count(&plan, &counts[0], &counts[1]);
            }
    kfree(counts);
}
