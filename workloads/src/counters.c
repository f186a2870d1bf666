// SPDX-License-Identifier: MIT
// Workload counters: every CPU adds to one counter, some calls with interrupts masked. Meanwhile it
// can be swapped, by `kov swap` or, so many times, by the workload itself: the counter must have
// exactly what was added.
#include <co/counter.h>
#include <co/swap.h>
#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <workloads/work.h>
#include <workloads/workload.h>

#define QUIESCE_EVERY 64 // calls
#define MASKED_EVERY 7
#define PAUSE_US 1000

enum { KIND, SECONDS, SWAPS, CPUS };

static const struct workload_param params[] = {
    [KIND] = {"kind", PARAM_CHOICE, "shared", 0, 0, 0, "shared|distributed"},
    [SECONDS] = {"seconds", PARAM_NUMBER, "0", 0, 86400, 0, NULL},
    [SWAPS] = {"swaps", PARAM_NUMBER, "0", 0, 10000000, 0, NULL},
    [CPUS] = {"cpus", PARAM_CPUS, "all", 0, 0, 0, NULL},
};

static coid_t counter;
static u64 added[ORRERY_MAX_CPUS], failed[ORRERY_MAX_CPUS];
static u64 swapped, called_off, busy, swap_errors, longest; // ticks
static bool swaps_over;

static int counters_prepare(struct workload_run *run)
{
    s64 coid =
        run->values[KIND].numbers[0] == 0 ? shared_counter_create() : distributed_counter_create();
    if (coid < 0)
        return (int)coid;
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        added[cpu] = failed[cpu] = 0;
    swapped = called_off = busy = swap_errors = longest = 0;
    swaps_over = false;
    counter = (coid_t)coid;
    run->objects = &counter;
    run->object_count = 1;
    return 0;
}

// ---- swaps of its own --------------------------------------------------------------------------

// Returns false if it did not become what it should, which is tried again.
static bool swap_once(bool distribute)
{
    struct co_swap_report report;
    u64 began = timebase();
    s64 error = co_swap(counter, distribute ? "DistributedCounter" : "SharedCounter",
                        CO_SWAP_MICROSECONDS, &report);
    u64 ticks = timebase() - began;
    if (error == 0) {
        swapped++;
        longest = ticks > longest ? ticks : longest;
        return true;
    }
    if (error == E_TIMEOUT)
        called_off++;
    else if (error == E_BUSY) // who was inside when one was called off still is
        busy++;
    else
        swap_errors++;
    thread_sleep(microseconds_to_ticks(PAUSE_US));
    return false;
}

static void swapper(void *argument)
{
    const struct workload_run *run = argument;
    bool distributed = run->values[KIND].numbers[0] != 0;
    while (swapped < run->values[SWAPS].numbers[0] && swap_errors == 0 && !workload_stopping(run))
        distributed ^= swap_once(!distributed);
    __atomic_store_n(&swaps_over, true, __ATOMIC_RELEASE);
}

static struct thread *start_swapper(struct workload_run *run, u32 cpu)
{
    if (run->values[SWAPS].numbers[0] == 0 || cpu != (u32)__builtin_ctzl(run->cpus))
        return NULL;
    struct thread *thread = thread_create("counters/swap", swapper, run, cpu, PRIORITY_NORMAL);
    if (thread == NULL) {
        swap_errors++;
        __atomic_store_n(&swaps_over, true, __ATOMIC_RELEASE);
    }
    return thread;
}

// ---- additions ---------------------------------------------------------------------------------

static bool is_over(const struct workload_run *run, u64 deadline)
{
    return workload_stopping(run) || timebase() >= deadline ||
           (run->values[SWAPS].numbers[0] != 0 && __atomic_load_n(&swaps_over, __ATOMIC_ACQUIRE));
}

static s64 add_once(u64 number)
{
    if (number % MASKED_EVERY != 0)
        return CO_CALL(struct counter, counter, inc);
    u8 masked = soft_mask();
    s64 result = CO_CALL(struct counter, counter, inc);
    soft_mask_restore(masked);
    return result;
}

static void counters_work(struct workload_run *run, u32 cpu)
{
    u64 deadline = workload_deadline(run->values[SECONDS].numbers[0]);
    struct thread *thread = start_swapper(run, cpu);
    while (!is_over(run, deadline)) {
        for (u32 i = 0; i < QUIESCE_EVERY; i++) {
            if (add_once(i) == 0)
                added[cpu]++;
            else
                failed[cpu]++;
        }
        thread_quiesce();
    }
    if (thread != NULL) {
        run->stop = true;
        thread_join(thread);
    }
}

static void counters_finish(struct workload_run *run)
{
    u64 sum = 0, failures = swap_errors;
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        sum += added[cpu];
        failures += failed[cpu];
    }
    u64 value = (u64)CO_CALL(struct counter, counter, val);
    workload_report_object(run, "added", counter, sum);
    workload_report_object(run, "value", counter, value);
    if (run->values[SWAPS].numbers[0] != 0) {
        workload_report_number(run, "swapped", swapped);
        workload_report_number(run, "called_off", called_off);
        workload_report_number(run, "busy", busy);
        workload_report_number(run, "longest_us", longest * 1000000 / timebase_hz);
    }
    workload_report_failed(run, failures + (value != sum));
}

static const struct workload workload_counters = {
    .name = "counters",
    .help = "kind=shared (or distributed), seconds=0 (..86400, 0: until stopped), swaps=0 (of its "
            "own, ..10^7, then it ends), cpus=all (or 0-1)",
    .params = params,
    .param_count = ARRAY_SIZE(params),
    .cpus_param = CPUS,
    .prepare = counters_prepare,
    .work = counters_work,
    .finish = counters_finish,
    .release = workload_destroy_objects,
};
WORKLOAD(workload_counters);
