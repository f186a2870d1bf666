// SPDX-License-Identifier: MIT
// Instruction counts of the paths that bench/budgets.json gives budgets. Under -icount shift=0 -smp
// 1 an instruction takes one nanosecond of virtual time, so the time base counts them; loops long
// enough make up for its 2 ns ticks. Nothing fails here: scripts/bench compares with budgets and
// baseline.
#include "budget.h"

#include <kernel/console.h>
#include <kernel/softmask.h>
#include <kernel/timer.h>
#include <orrery/sys.h>
#include <workloads/work.h>

#include "bench.h"
#include "benches.h"

#define RUNS 8

static bool exact;
static u64 lines;

void budget_print(const char *name, u64 hundredths, u64 budget)
{
    u64 tenths = (hundredths + 5) / 10; // the hundredths are those of the time base's ticks
    kprintf("BENCH %s %llu.%llu %s ", name, (unsigned long long)tenths / 10,
            (unsigned long long)tenths % 10, exact ? "instructions" : "ns");
    if (exact && budget != NO_BUDGET)
        kprintf("%llu\n", (unsigned long long)budget);
    else
        kprintf("-\n");
    lines++;
}

void budget_empty_loop(u64 times, void *argument)
{
    (void)argument;
    for (u64 i = 0; i < times; i++)
        BUDGET_TURN(i);
}

static u64 ticks_of(budget_loop loop, u64 times, void *argument, bool masked)
{
    u64 msr = masked ? hard_mask() : 0;
    u64 begin = timebase();
    loop(times, argument);
    u64 ticks = timebase() - begin;
    if (masked)
        hard_mask_restore(msr);
    return ticks;
}

static u64 least_ticks(budget_loop loop, u64 times, void *argument, bool masked)
{
    u64 least = UINT64_MAX;
    for (u32 run = 0; run < RUNS; run++) {
        u64 ticks = ticks_of(loop, times, argument, masked);
        least = ticks < least ? ticks : least;
    }
    return least;
}

static u64 measure(budget_loop loop, budget_loop base, u64 times, void *argument, bool masked)
{
    u64 with = least_ticks(loop, times, argument, masked);
    u64 without = least_ticks(base, times, argument, masked);
    u64 hundredths = with <= without ? 0 : work_ticks_to_ns((with - without) * 100);
    return (hundredths + times / 2) / times;
}

u64 budget_measure(budget_loop loop, budget_loop base, u64 times, void *argument)
{
    return measure(loop, base, times, argument, true);
}

u64 budget_measure_open(budget_loop loop, budget_loop base, u64 times, void *argument)
{
    return measure(loop, base, times, argument, false);
}

void bench_budget(void)
{
    u64 mask = sys_trace_mask();
    exact = work_time_is_exact();
    lines = 0;
    kprintf("BENCH-MODE %s\n", exact ? "exact" : "wall");
    sys_trace_set_mask(0);
    budget_trace();
    budget_objects();
    budget_sample();
    budget_kernel();
    sys_trace_set_mask(mask);
    bench_range(1, UINT64_MAX, lines, "paths measured, in %s", exact ? "instructions" : "ns");
}
