// SPDX-License-Identifier: MIT
// Timers: each fires exactly once, in deadline order, never early; a cancelled one does not fire.
// On every CPU at once. How late is the host's affair, unless time is instructions.
#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <workloads/work.h>

#include "bench.h"
#include "benches.h"

#define TIMERS 16
#define STEP_US 500
#define LATE_US (STEP_US - 1) // none waits for the next one, where an instruction is a nanosecond

struct shot {
    struct timer timer; // first: fire receives its address
    u64 deadline;       // timer.deadline is the kernel's
    u64 fired_at;
    u32 fired;
    u32 order; // how many had fired before on this CPU
};

struct cpu_shots {
    struct shot shots[TIMERS];
    struct shot cancelled;
    u32 fired;
    u64 early, disorder;
};

static struct cpu_shots all_shots[ORRERY_MAX_CPUS];

static void fire(struct timer *timer)
{
    struct shot *shot = (struct shot *)timer;
    shot->fired_at = timebase();
    shot->order = all_shots[cpu_id()].fired++;
    shot->fired++;
}

static void arm(struct shot *shot, u64 deadline)
{
    shot->timer.fire = fire;
    shot->deadline = deadline;
    timer_start(&shot->timer, deadline);
}

// Time is instructions only while there are some: an idle CPU is woken when the host gets to it.
static void wait_step(u64 step)
{
    if (work_time_is_exact())
        work_spin(100);
    else
        thread_sleep(step);
}

static void shoot(struct bench_worker *worker)
{
    struct cpu_shots *mine = &all_shots[worker->cpu];
    *mine = (struct cpu_shots){0};
    u64 step = microseconds_to_ticks(STEP_US);
    // Masked, none fires before all are armed, however long the host lets this CPU wait in between.
    u8 masked = soft_mask();
    u64 base = timebase() + 4 * step;
    for (u32 i = 0; i < TIMERS; i++) // armed out of order: 0, 7, 14, 5, …
        arm(&mine->shots[i * 7 % TIMERS], base + i * 7 % TIMERS * step);
    arm(&mine->cancelled, base + TIMERS / 2 * step);
    timer_cancel(&mine->cancelled.timer);
    soft_mask_restore(masked);
    while (timebase() < base + (TIMERS + 4) * step)
        wait_step(step);
    // Later than that only when the host does not run this CPU; the count must still come right.
    while (__atomic_load_n(&mine->fired, __ATOMIC_ACQUIRE) < TIMERS && bench_waits(base))
        wait_step(step);
    for (u32 i = 0; i < TIMERS; i++) {
        mine->early += mine->shots[i].fired_at < mine->shots[i].deadline;
        mine->disorder += mine->shots[i].order != i;
    }
}

static u64 latest(void)
{
    u64 late = 0;
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        for (u32 i = 0; i < TIMERS; i++) {
            const struct shot *shot = &all_shots[cpu].shots[i];
            if (shot->fired_at > shot->deadline && shot->fired_at - shot->deadline > late)
                late = shot->fired_at - shot->deadline;
        }
    return late;
}

void bench_timer(void)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    struct bench_tally once = {0}, cancelled = {0};
    u64 early = 0, disorder = 0;
    bench_exact(0, (u64)-bench_on_cpus(bench_all_cpus(), shoot, NULL, workers), "workers started");
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        for (u32 i = 0; i < TIMERS; i++)
            bench_compare(&once, 1, all_shots[cpu].shots[i].fired);
        bench_compare(&cancelled, 0, all_shots[cpu].cancelled.fired);
        early += all_shots[cpu].early;
        disorder += all_shots[cpu].disorder;
    }
    bench_tally_row(&once, "%u timers on %u CPUs fired once", TIMERS, cpu_count);
    bench_tally_row(&cancelled, "cancelled timers fired");
    bench_exact(0, early, "timers before their deadline");
    bench_exact(0, disorder, "timers out of deadline order");
    if (work_time_is_exact())
        bench_range(0, LATE_US, latest() / microseconds_to_ticks(1), "latest timer, us late");
}
