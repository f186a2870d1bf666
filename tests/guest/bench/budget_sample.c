// SPDX-License-Identifier: MIT
// Instructions of one sample, interrupt to return, with the object found two frames up: what
// sampling adds to a loop of known length, divided by the samples taken in it.
#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <kernel/timer.h>
#include <orrery/sys.h>
#include <workloads/work.h>
#include <workloads/work_object.h>

#include "bench.h"
#include "sampling.h"
#include "budget.h"

#define PERIOD 10007
#define SAMPLES 60 // fewer than the buffer holds: a sample that is lost would cost less
#define ITERATIONS (PERIOD * SAMPLES / 2)

// Soft-masked: nothing but the performance monitor interrupts it.
static u64 ticks_of_loop(coid_t coid)
{
    u8 before = soft_mask();
    u64 begin = timebase();
    CO_CALL(struct work_object, coid, spin_nested, ITERATIONS);
    u64 ticks = timebase() - begin;
    soft_mask_restore(before);
    return ticks;
}

static struct sys_sampling_stat stat_now(s64 session)
{
    struct sys_sampling_stat stat = {0};
    sys_sampling_stat(session, cpu_id(), 0, &stat);
    return stat;
}

static void a_sample(const char *name, coid_t coid, u32 callers, u64 budget)
{
    u64 without = ticks_of_loop(coid);
    s64 session = sample_cycles(PERIOD, 0, callers, 1u << cpu_id());
    if (session <= 0)
        return;
    struct sys_sampling_stat before = stat_now(session);
    u64 with = ticks_of_loop(coid);
    struct sys_sampling_stat after = stat_now(session);
    u64 samples = after.taken - before.taken;
    sys_sampling_stop(session);
    if (samples != 0 && after.lost == before.lost && with > without)
        budget_print(name, work_ticks_to_ns((with - without) * 100) / samples, budget);
}

void budget_sample(void)
{
    coid_t coid;
    if (work_objects_create(&coid, 1) != 0)
        return;
    CO_CALL(struct work_object, coid, touch);
    a_sample("sample", coid, 0, 200);
    a_sample("sample_8_callers", coid, 8, NO_BUDGET);
    work_objects_destroy(&coid, 1);
}
