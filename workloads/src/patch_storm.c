// SPDX-License-Identifier: MIT
// Workload patch-storm: CPU 0 patches the DREF hook and the trace points in and out, while all CPUs
// call objects and pass trace points. Every call must return its object's answer.
#include <kernel/percpu.h>
#include <kernel/thread.h>
#include <orrery/sys.h>
#include <workloads/test_events.h>
#include <workloads/work_object.h>
#include <workloads/workload.h>

#define OBJECTS 4

enum { ROUNDS, CPUS };

static const struct workload_param params[] = {
    [ROUNDS] = {"rounds", PARAM_NUMBER, "1000", 1, 1000000, 0, NULL},
    [CPUS] = {"cpus", PARAM_CPUS, "all", 0, 0, 0, NULL},
};

static coid_t coids[OBJECTS];
static u64 calls[ORRERY_MAX_CPUS], failed[ORRERY_MAX_CPUS];
static u64 patched;
static bool over;

static int patch_storm_prepare(struct workload_run *run)
{
    patched = 0;
    over = false;
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        calls[cpu] = failed[cpu] = 0;
    run->objects = coids;
    run->object_count = OBJECTS;
    return work_objects_create(coids, OBJECTS);
}

static void call_and_emit(u32 cpu)
{
    for (u32 i = 0; i < OBJECTS; i++) {
        s64 stamp = CO_CALL(struct work_object, coids[i], stamp);
        failed[cpu] += stamp != work_object_stamp(coids[i]);
        test_event_emit(i, cpu, calls[cpu]++);
    }
    thread_quiesce();
}

static void patch(struct workload_run *run, u32 cpu)
{
    u64 mask = sys_trace_mask();
    for (u64 i = 0; i < run->values[ROUNDS].numbers[0] && !workload_stopping(run); i++) {
        s64 error = sys_dref_enable(true);
        error += sys_trace_set_mask(mask | TRACE_MASK_TEST);
        call_and_emit(cpu);
        error += sys_dref_enable(false);
        error += sys_trace_set_mask(mask & ~TRACE_MASK_TEST);
        call_and_emit(cpu);
        failed[cpu] += error != 0;
        patched++;
    }
    sys_trace_set_mask(mask);
    __atomic_store_n(&over, true, __ATOMIC_RELEASE);
}

static void patch_storm_work(struct workload_run *run, u32 cpu)
{
    if ((run->cpus & ((1UL << cpu) - 1)) == 0) { // the first of them
        patch(run, cpu);
        return;
    }
    while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE))
        call_and_emit(cpu);
}

static void patch_storm_finish(struct workload_run *run)
{
    u64 all_calls = 0, all_failed = 0;
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        all_calls += calls[cpu];
        all_failed += failed[cpu];
    }
    workload_report_number(run, "rounds", patched);
    workload_report_number(run, "calls", all_calls);
    workload_report_failed(run, all_failed);
}

static const struct workload workload_patch_storm = {
    .name = "patch-storm",
    .help = "rounds=1000 (hook and trace points in and out, ..10^6), cpus=all (or 0-1)",
    .params = params,
    .param_count = ARRAY_SIZE(params),
    .cpus_param = CPUS,
    .prepare = patch_storm_prepare,
    .work = patch_storm_work,
    .finish = patch_storm_finish,
    .release = workload_destroy_objects,
};
WORKLOAD(workload_patch_storm);
