// SPDX-License-Identifier: MIT
// A session of counting on its CPUs: room for the sums, the unit made ready, begin and end on each.
#include "counting_session.h"

#include <kernel/irq.h>
#include <kernel/memory.h>
#include <kernel/model_unit.h>
#include <kernel/percpu.h>

#include "counting_switches.h"
#include "counting_trace.h"
#include "task_points.h"

#define TICK_MICROSECONDS 1000 // slices end at the first of these ticks after they are long enough

struct counting_rep counting_reps[ORRERY_MAX_CPUS];

// ---- what runs on each CPU ---------------------------------------------------------------------

void counting_rep_set_timer(struct counting_rep *here)
{
    timer_start(&here->timer, timebase() + microseconds_to_ticks(TICK_MICROSECONDS));
}

static void prepare_here(void *argument)
{
    struct counting_root *root = argument;
    counting_cpu_prepare(&counting_reps[cpu_id()].cpu, &root->plan);
}

static void begin_here(void *argument)
{
    struct counting_root *root = argument;
    struct counting_rep *here = &counting_reps[cpu_id()];
    u64 seed = (u64)root->session * ORRERY_MAX_CPUS + cpu_id();
    if (counting_cpu_begin(&here->cpu, &root->plan, here->multiplex, seed) == 0 &&
        here->tasks != NULL) {
        struct pmu_task running;
        pmu_task_current(&running);
        counting_cpu_follow(&here->cpu, here->tasks, &running);
    }
    // One group counts all the time.
    if (root->plan.allocation.groups > 1)
        counting_rep_set_timer(here);
}

static void counting_end_here(void *argument)
{
    struct counting_rep *here = &counting_reps[cpu_id()];
    (void)argument;
    timer_cancel(&here->timer);
    counting_cpu_end(&here->cpu);
}

// ---- all of them -------------------------------------------------------------------------------

// Does the scheduler tell of switches?
static bool follows(const struct counting_root *root)
{
    return root->plan.flags != 0;
}

static void free_sums(void)
{
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        task_table_free(counting_reps[cpu].tasks);
        counting_reps[cpu].tasks = NULL;
        kfree(counting_reps[cpu].multiplex);
        counting_reps[cpu].multiplex = NULL;
    }
}

static s64 allocate_sums(const struct counting_root *root)
{
    u32 items = root->plan.request.items, flags = root->plan.flags;
    bool tasks = (flags & (SYS_PMU_BY_PROCESS | SYS_PMU_BY_THREAD)) != 0;

    free_sums();
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        if ((root->cpus >> cpu & 1) == 0)
            continue;
        counting_reps[cpu].multiplex = kzalloc(PMU_MULTIPLEX_BYTES(items));
        if (tasks)
            counting_reps[cpu].tasks = task_table_create(items, (flags & SYS_PMU_BY_THREAD) != 0);
        if (counting_reps[cpu].multiplex == NULL || (tasks && counting_reps[cpu].tasks == NULL)) {
            free_sums();
            return E_NOMEM;
        }
    }
    return 0;
}

static s64 first_error(const struct counting_root *root)
{
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        if ((root->cpus >> cpu & 1) != 0 && counting_reps[cpu].cpu.error != 0)
            return counting_reps[cpu].cpu.error;
    }
    return 0;
}

void counting_session_end(struct counting_root *root)
{
    counting_trace_end();
    cpus_call(root->cpus, counting_end_here, NULL);
    if (follows(root))
        counting_points_set(false);
    model_release();
    root->running = false;
    __atomic_store_n(&root->owner, 0, __ATOMIC_RELAXED);
}

// One CPU has the unit made ready before all begin.
s64 counting_session_begin(struct counting_root *root)
{
    s64 error = allocate_sums(root);
    if (error != 0) {
        model_release();
        root->owner = 0;
        return error;
    }
    cpus_call(root->cpus & -root->cpus, prepare_here, root);
    if (follows(root))
        counting_points_set(true);
    cpus_call(root->cpus, begin_here, root);
    root->running = true;
    error = first_error(root);
    if (error != 0)
        counting_session_end(root);
    return error;
}
