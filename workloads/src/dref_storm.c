// SPDX-License-Identifier: MIT
// Workload dref-storm: every CPU calls several objects in varying order, each a known number of
// times. The monitor's DREF counts must equal these.
#include <kernel/percpu.h>
#include <kernel/thread.h>
#include <workloads/work.h>
#include <workloads/work_object.h>
#include <workloads/workload.h>

#define OBJECTS_MAX 32
#define QUIESCE_EVERY 1024 // calls

enum { OBJECTS, LOOPS, CPUS };

static const struct workload_param params[] = {
    [OBJECTS] = {"objects", PARAM_NUMBER, "8", 1, OBJECTS_MAX, 0, NULL},
    [LOOPS] = {"loops", PARAM_NUMBER, "100000", 1, 1000000000, 0, NULL},
    [CPUS] = {"cpus", PARAM_CPUS, "all", 0, 0, 0, NULL},
};

static coid_t coids[OBJECTS_MAX];
static u32 objects;
static u64 calls[ORRERY_MAX_CPUS][OBJECTS_MAX];
static u64 failed[ORRERY_MAX_CPUS];

static int dref_storm_prepare(struct workload_run *run)
{
    objects = (u32)run->values[OBJECTS].numbers[0];
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        failed[cpu] = 0;
        for (u32 i = 0; i < objects; i++)
            calls[cpu][i] = 0;
    }
    run->objects = coids;
    run->object_count = objects;
    return work_objects_create(coids, objects);
}

static void dref_storm_work(struct workload_run *run, u32 cpu)
{
    u64 loops = run->values[LOOPS].numbers[0];
    u64 random = 0x2545f4914f6cdd1d + cpu;
    for (u64 i = 0; i < loops && !workload_stopping(run); i++) {
        u64 object = work_random(&random) % objects;
        failed[cpu] += CO_CALL(struct work_object, coids[object], touch) != 0;
        calls[cpu][object]++;
        if (i % QUIESCE_EVERY == 0)
            thread_quiesce();
    }
}

static void dref_storm_finish(struct workload_run *run)
{
    u64 failures = 0;
    for (u32 i = 0; i < objects; i++) {
        u64 sum = 0;
        for (u32 cpu = 0; cpu < cpu_count; cpu++)
            sum += calls[cpu][i];
        workload_report_object(run, "dref", coids[i], sum);
    }
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        failures += failed[cpu];
    workload_report_failed(run, failures);
}

static const struct workload workload_dref_storm = {
    .name = "dref-storm",
    .help = "objects=8 (1..32), loops=100000 (calls a CPU, ..10^9), cpus=all (or 0-1)",
    .params = params,
    .param_count = ARRAY_SIZE(params),
    .cpus_param = CPUS,
    .prepare = dref_storm_prepare,
    .work = dref_storm_work,
    .finish = dref_storm_finish,
    .release = workload_destroy_objects,
};
WORKLOAD(workload_dref_storm);
