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
#define TIMES 5

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

struct sampled_loop {
    u64 ticks, samples;
};

// Returns the loop's ticks and samples; no samples: it was not measured.
static struct sampled_loop sample_loop(coid_t coid, u32 callers)
{
    s64 session = sample_cycles(PERIOD, 0, callers, 1u << cpu_id());
    if (session <= 0)
        return (struct sampled_loop){0};
    struct sys_sampling_stat before = stat_now(session);
    u64 ticks = ticks_of_loop(coid);
    struct sys_sampling_stat after = stat_now(session);
    sys_sampling_stop(session);
    return (struct sampled_loop){
        .ticks = ticks, .samples = after.lost == before.lost ? after.taken - before.taken : 0};
}

// One loop in about 17 has a tick of the timer in it, which is pended: several hundred instructions
// that are no sample's. The shortest of several loops has none.
static void a_sample(const char *name, coid_t coid, u32 callers, u64 budget)
{
    u64 without = UINT64_MAX;
    struct sampled_loop with = {.ticks = UINT64_MAX};

    for (u32 i = 0; i < TIMES; i++) {
        u64 ticks = ticks_of_loop(coid);
        if (ticks < without)
            without = ticks;
        struct sampled_loop loop = sample_loop(coid, callers);
        if (loop.samples == 0)
            return;
        if (loop.ticks < with.ticks)
            with = loop;
    }
    if (with.ticks > without)
        budget_print(name, work_ticks_to_ns((with.ticks - without) * 100) / with.samples, budget);
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
