// SPDX-License-Identifier: MIT
// The DREF hook under load. It is patched in and out while all CPUs call objects without a break:
// 1,000 times on one CPU, and on several less often, because each patch waits for all of them.
// Nothing may go wrong meanwhile, and windows that are bounded by the load count exactly.
#include "bench.h"

#include <kernel/memory.h>
#include <kernel/percpu.h>
#include <kernel/thread.h>
#include <orrery/sys.h>
#include <workloads/work_object.h>

#include "benches.h"
#include "counts.h"

#define OBJECTS 4
#define PATCHES 1000
#define WINDOWS 20
#define WINDOW_CALLS 2000

struct load {
    coid_t coids[OBJECTS];
    u64 calls[ORRERY_MAX_CPUS][OBJECTS];
    u64 failed[ORRERY_MAX_CPUS];
    bool stop;
};

static u32 patch_count(void)
{
    return PATCHES / (cpu_count * cpu_count);
}

static void hook_call_each(struct load *load, u32 cpu)
{
    for (u32 i = 0; i < OBJECTS; i++) {
        s64 stamp = CO_CALL(struct work_object, load->coids[i], stamp);
        load->failed[cpu] += stamp != work_object_stamp(load->coids[i]);
        load->calls[cpu][i]++;
    }
    thread_quiesce();
}

// CPU 0 patches between its own calls, the others call until it has done.
static void patch_under_load(struct bench_worker *worker)
{
    struct load *load = worker->argument;
    if (worker->cpu != 0) {
        while (!__atomic_load_n(&load->stop, __ATOMIC_ACQUIRE))
            hook_call_each(load, worker->cpu);
        return;
    }
    for (u32 i = 0; i < patch_count(); i++) {
        worker->result += sys_dref_enable(true) == 0;
        hook_call_each(load, 0);
        worker->result += sys_dref_enable(false) == 0;
        hook_call_each(load, 0);
    }
    __atomic_store_n(&load->stop, true, __ATOMIC_RELEASE);
}

static void window_calls(struct bench_worker *worker)
{
    struct load *load = worker->argument;
    for (u32 i = 0; i < WINDOW_CALLS; i++)
        hook_call_each(load, worker->cpu);
}

static void patches(struct load *load, struct dref_counts *counts)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    u64 failed = 0, counted = 0, calls = 0;
    bench_on_cpus(bench_all_cpus(), patch_under_load, load, workers);
    bench_exact(2 * patch_count(), workers[0].result, "hook patched in and out, %u CPUs calling",
                cpu_count);
    dref_counts_read(load->coids, OBJECTS, counts);
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        for (u32 i = 0; i < OBJECTS; i++) {
            calls += load->calls[cpu][i];
            counted += counts->invocations[i][cpu];
            failed += counts->invocations[i][cpu] > load->calls[cpu][i];
        }
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        failed += load->failed[cpu];
    bench_exact(0, failed, "  calls gone wrong or counted twice");
    // CPU 0 calls every object once in every enabled window.
    bench_range(patch_count() * OBJECTS, calls, counted, "  counted, of all calls");
}

static void windows(struct load *load, struct dref_counts *before, struct dref_counts *after)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    struct bench_tally tally = {0};
    dref_counts_read(load->coids, OBJECTS, before);
    for (u32 i = 0; i < 2 * WINDOWS; i++) {
        if (i % 2 == 0)
            sys_dref_enable(true);
        bench_on_cpus(bench_all_cpus(), window_calls, load, workers);
        if (i % 2 == 0)
            sys_dref_enable(false);
    }
    dref_counts_read(load->coids, OBJECTS, after);
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        for (u32 i = 0; i < OBJECTS; i++)
            bench_compare(&tally, WINDOWS * WINDOW_CALLS,
                          after->invocations[i][cpu] - before->invocations[i][cpu]);
    bench_tally_row(&tally, "counts in %u windows on, %u off between", WINDOWS, WINDOWS);
}

void bench_hook(void)
{
    struct dref_counts *counts = kmalloc(2 * sizeof(*counts));
    struct load *load = kzalloc(sizeof(*load));
    if (counts == NULL || load == NULL || work_objects_create(load->coids, OBJECTS) != 0) {
        bench_exact(0, 1, "out of memory");
    } else {
        patches(load, &counts[0]);
        windows(load, &counts[0], &counts[1]);
        work_objects_destroy(load->coids, OBJECTS);
    }
    kfree(load);
    kfree(counts);
}
