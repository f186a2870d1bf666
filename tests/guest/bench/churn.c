// SPDX-License-Identifier: MIT
// Objects destroyed and made anew while all CPUs call them. Every call gives the object's own
// answer or E_STALE, never another object's or that of freed memory. In the end all are reclaimed.
#include "bench.h"

#include <co/manager.h>
#include <kernel/percpu.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <orrery/sys.h>
#include <workloads/work_object.h>

#include "benches.h"
#include "counts.h"

#define SLOTS 16
#define GENERATIONS 2000

struct churn {
    coid_t slots[SLOTS];
    u64 generations;
    bool stop;
};

struct outcome {
    u64 answered, stale, wrong;
};

static struct outcome outcomes[ORRERY_MAX_CPUS];

static void call_until_stopped(struct churn *churn, struct outcome *outcome)
{
    for (u32 i = 0; !__atomic_load_n(&churn->stop, __ATOMIC_ACQUIRE); i++) {
        coid_t coid = __atomic_load_n(&churn->slots[i % SLOTS], __ATOMIC_ACQUIRE);
        s64 stamp = CO_CALL(struct work_object, coid, stamp);
        if (stamp == work_object_stamp(coid))
            __atomic_store_n(&outcome->answered, outcome->answered + 1, __ATOMIC_RELAXED);
        else if (stamp == E_STALE)
            outcome->stale++;
        else
            outcome->wrong++;
        thread_quiesce();
    }
}

static void ignore(const struct sys_object *object, void *argument)
{
    (void)object;
    (void)argument;
}

// Whether every CPU that calls has had a right answer.
static bool all_answered(void)
{
    u32 cpus = 0;
    for (u32 cpu = 1; cpu < cpu_count; cpu++)
        cpus += __atomic_load_n(&outcomes[cpu].answered, __ATOMIC_RELAXED) != 0;
    return cpus == cpu_count - 1;
}

// CPU 0 replaces objects and scans now and then, until all others have got on.
// result: steps that failed.
static void replace(struct bench_worker *worker)
{
    struct churn *churn = worker->argument;
    if (worker->cpu != 0) {
        call_until_stopped(churn, &outcomes[worker->cpu]);
        return;
    }
    u64 begin = timebase();
    for (u32 i = 0; i < GENERATIONS || (!all_answered() && bench_waits(begin)); i++) {
        churn->generations++;
        coid_t old = churn->slots[i % SLOTS];
        s64 coid = work_object_create(NULL, 0);
        if (coid < 0) {
            worker->result++;
            break;
        }
        __atomic_store_n(&churn->slots[i % SLOTS], (coid_t)coid, __ATOMIC_RELEASE);
        // Half of them are still called by others at this moment.
        worker->result += CO_CALL(struct work_object, old, stamp) != work_object_stamp(old);
        worker->result += co_destroy(old) != 0;
        if (i % 100 == 0)
            worker->result += scan_objects(ignore, NULL) < SLOTS;
        thread_quiesce();
    }
    __atomic_store_n(&churn->stop, true, __ATOMIC_RELEASE);
}

static void wait_reclaimed(u64 wanted)
{
    struct co_stat stat;
    u64 begin = timebase();
    do {
        thread_sleep(microseconds_to_ticks(1000));
        co_stat(&stat);
    } while (stat.reclaimed < wanted && bench_waits(begin));
    bench_range(wanted, UINT64_MAX, stat.reclaimed, "  reclaimed");
}

void bench_churn(void)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    struct churn churn = {0};
    struct co_stat before;
    struct outcome sum = {0};
    co_stat(&before);
    if (work_objects_create(churn.slots, SLOTS) != 0) {
        bench_exact(0, 1, "objects that could not be created");
        return;
    }
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        outcomes[cpu] = (struct outcome){0};
    bench_on_cpus(bench_all_cpus(), replace, &churn, workers);
    work_objects_destroy(churn.slots, SLOTS);
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        sum.answered += outcomes[cpu].answered;
        sum.stale += outcomes[cpu].stale;
        sum.wrong += outcomes[cpu].wrong;
    }
    bench_exact(0, workers[0].result, "%lu objects replaced under load, failures",
                churn.generations);
    bench_exact(0, sum.wrong, "  wrong answers on other CPUs");
    if (cpu_count > 1)
        bench_range(cpu_count - 1, UINT64_MAX, sum.answered, "  right answers (and %llu E_STALE)",
                    (unsigned long long)sum.stale);
    wait_reclaimed(before.reclaimed + churn.generations + SLOTS);
}
