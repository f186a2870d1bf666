// SPDX-License-Identifier: MIT
// Workload demo: three objects do work in a given ratio, in short turns on every CPU, mostly some
// calls deep, part of it soft-masked. The ratio is exact in loop iterations.
#include <kernel/percpu.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <workloads/work.h>
#include <workloads/work_object.h>
#include <workloads/workload.h>

#define OBJECTS 3
#define TURN_US 3000  // of work 1; long against the time between two samples
#define TURN_CALLS 16 // calls in a turn of work 1

enum { WORK, SECONDS, CPUS };

static const struct workload_param params[] = {
    [WORK] = {"work", PARAM_LIST, "1-2-4", 1, 100, OBJECTS, NULL},
    [SECONDS] = {"seconds", PARAM_NUMBER, "0", 0, 86400, 0, NULL},
    [CPUS] = {"cpus", PARAM_CPUS, "all", 0, 0, 0, NULL},
};

struct done {
    u64 rounds;
    u64 iterations[OBJECTS];
    u64 masked[OBJECTS]; // of these, soft-masked
};

static coid_t coids[OBJECTS];
static u64 call_iterations;
static u64 deadline;
static struct done done[ORRERY_MAX_CPUS];

static int demo_prepare(struct workload_run *run)
{
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        done[cpu] = (struct done){0};
    call_iterations = work_spin_iterations(TURN_US * 1000UL / TURN_CALLS);
    deadline = workload_deadline(run->values[SECONDS].numbers[0]);
    run->objects = coids;
    run->object_count = OBJECTS;
    return work_objects_create(coids, OBJECTS);
}

static void call(struct done *mine, u32 object, u32 number)
{
    switch (number % 8) {
    case 3:
        CO_CALL(struct work_object, coids[object], spin, call_iterations);
        break;
    case 7:
        CO_CALL(struct work_object, coids[object], spin_masked, call_iterations);
        mine->masked[object] += call_iterations;
        break;
    default:
        CO_CALL(struct work_object, coids[object], spin_nested, call_iterations);
        break;
    }
    mine->iterations[object] += call_iterations;
}

static void demo_work(struct workload_run *run, u32 cpu)
{
    struct done *mine = &done[cpu];
    while (!workload_stopping(run) && timebase() < deadline) {
        for (u32 object = 0; object < OBJECTS; object++) {
            u64 calls = run->values[WORK].numbers[object] * TURN_CALLS;
            for (u32 i = 0; i < calls; i++)
                call(mine, object, i);
            thread_quiesce();
        }
        mine->rounds++;
    }
}

static void demo_finish(struct workload_run *run)
{
    u64 rounds = 0;
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        rounds += done[cpu].rounds;
    workload_report_number(run, "rounds", rounds);
    for (u32 object = 0; object < OBJECTS; object++) {
        u64 iterations = 0, masked = 0;
        for (u32 cpu = 0; cpu < cpu_count; cpu++) {
            iterations += done[cpu].iterations[object];
            masked += done[cpu].masked[object];
        }
        workload_report_object(run, "work", coids[object], run->values[WORK].numbers[object]);
        workload_report_object(run, "iterations", coids[object], iterations);
        workload_report_object(run, "masked", coids[object], masked);
    }
}

static const struct workload workload_demo = {
    .name = "demo",
    .help = "work=1-2-4 (three objects' work, 1..100), seconds=0 (..86400, 0: until stopped), "
            "cpus=all (or 0-1)",
    .params = params,
    .param_count = ARRAY_SIZE(params),
    .cpus_param = CPUS,
    .prepare = demo_prepare,
    .work = demo_work,
    .finish = demo_finish,
    .release = workload_destroy_objects,
};
WORKLOAD(workload_demo);
