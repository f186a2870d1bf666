// SPDX-License-Identifier: MIT
// The object scan against what was created: every object once, with its class, references, reps
// and misses; none after they were destroyed. Stale COIDs give E_STALE on all CPUs.
#include "bench.h"

#include <co/counter.h>
#include <co/manager.h>
#include <kernel/memory.h>
#include <kernel/percpu.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <orrery/sys.h>
#include <string.h>
#include <workloads/work_object.h>

#include "benches.h"
#include "counts.h"

#define OBJECTS 100

// A binary tree: object i refers to objects 2i+1 and 2i+2.
struct tree {
    coid_t coids[OBJECTS];
    u32 seen[OBJECTS];
    u64 wrong; // records that differ from what was created
    u64 reps, misses;
};

static u32 children_of(const struct tree *tree, u32 i, coid_t children[2])
{
    u32 count = 0;
    for (u32 child = 2 * i + 1; child <= 2 * i + 2 && child < OBJECTS; child++)
        children[count++] = tree->coids[child];
    return count;
}

static bool create(struct tree *tree)
{
    memset(tree, 0, sizeof(*tree));
    for (u32 i = OBJECTS; i-- > 0;) {
        coid_t children[2];
        s64 coid = work_object_create(children, children_of(tree, i, children));
        if (coid < 0)
            return false;
        tree->coids[i] = (coid_t)coid;
    }
    return true;
}

static void object_check(const struct sys_object *object, void *argument)
{
    struct tree *tree = argument;
    for (u32 i = 0; i < OBJECTS; i++) {
        if (tree->coids[i] != object->coid)
            continue;
        coid_t children[2];
        u32 count = children_of(tree, i, children);
        tree->seen[i]++;
        tree->reps += object->rep_count;
        tree->misses += object->misses;
        tree->wrong += object->class_id != work_object_class.id || object->child_count != count ||
                       memcmp(object->children, children, count * sizeof(coid_t)) != 0;
    }
}

static void scan_tree(struct tree *tree, u32 expected, const char *what)
{
    struct bench_tally tally = {0};
    memset(tree->seen, 0, sizeof(tree->seen));
    tree->wrong = tree->reps = tree->misses = 0;
    s64 scanned = scan_objects(object_check, tree);
    for (u32 i = 0; i < OBJECTS; i++)
        bench_compare(&tally, expected, tree->seen[i]);
    bench_tally_row(&tally, "objects scanned %s", what);
    bench_exact(0, tree->wrong, "  with a wrong class or wrong references");
    bench_range(expected * OBJECTS, UINT64_MAX, (u64)scanned, "  all objects of the scan");
}

// result: calls that did not return what they should: 0, or E_STALE once destroyed (argument !=
// NULL).
static struct tree tree;

static void call(struct bench_worker *worker)
{
    s64 expected = worker->argument == NULL ? 0 : E_STALE;
    for (u32 i = 0; i < OBJECTS; i++)
        worker->result += CO_CALL(struct work_object, tree.coids[i], touch) != expected;
}

static void call_on_all(bool stale, const char *what)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    struct bench_tally tally = {0};
    bench_on_cpus(bench_all_cpus(), call, stale ? &tree : NULL, workers);
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        bench_compare(&tally, 0, workers[cpu].result);
    bench_tally_row(&tally, "%s", what);
}

static u64 class_live(void)
{
    struct sys_class class;
    for (u32 i = 0; sys_class_get(i, &class) == 0; i++)
        if (class.class_id == work_object_class.id)
            return class.live;
    return 0;
}

// The reaper has had every CPU pass a quiescent point and has freed them.
static void wait_reclaimed(u64 wanted)
{
    struct co_stat stat;
    u64 begin = timebase();
    do {
        thread_sleep(microseconds_to_ticks(1000));
        co_stat(&stat);
    } while (stat.reclaimed < wanted && bench_waits(begin));
    bench_range(wanted, UINT64_MAX, stat.reclaimed, "objects reclaimed after quiescence");
}

static void destroy(void)
{
    struct co_stat before;
    struct bench_tally first = {0}, again = {0};
    co_stat(&before);
    u64 live = class_live();
    for (u32 i = 0; i < OBJECTS; i++) {
        bench_compare(&first, 0, (u64)-co_destroy(tree.coids[i]));
        bench_compare(&again, (u64)-E_STALE, (u64)-co_destroy(tree.coids[i]));
    }
    bench_tally_row(&first, "co_destroy, errors");
    bench_tally_row(&again, "co_destroy once more: E_STALE");
    bench_exact(live - OBJECTS, class_live(), "live objects of the class");
    call_on_all(true, "calls on stale COIDs that were not E_STALE");
    wait_reclaimed(before.reclaimed + OBJECTS);
    call_on_all(true, "  and after reclaiming");
}

static void invalid(void)
{
    static const coid_t never[] = {0, 8, R13_LTT + 8, R13_LTT - 16, UINT64_MAX, 1UL << 40};
    struct bench_tally tally = {0};
    for (u32 i = 0; i < ARRAY_SIZE(never); i++)
        bench_compare(&tally, (u64)-E_INVAL, (u64)-co_destroy(never[i]));
    bench_tally_row(&tally, "co_destroy of what can be no COID: E_INVAL");
}

void bench_object(void)
{
    if (!create(&tree)) {
        bench_exact(0, 1, "objects that could not be created");
        return;
    }
    scan_tree(&tree, 1, "once created");
    call_on_all(false, "first calls on all CPUs, errors");
    scan_tree(&tree, 1, "once called");
    bench_exact(OBJECTS, tree.reps, "  reps (shared: one an object)");
    bench_exact((u64)OBJECTS * cpu_count, tree.misses, "  misses (one an object and CPU)");
    destroy();
    scan_tree(&tree, 0, "once destroyed");
    invalid();
}
