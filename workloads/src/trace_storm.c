// SPDX-License-Identifier: MIT
// Workload trace-storm: every CPU emits an exact number of test events as fast as it can, while a
// timer interrupt emits some of its own. Its account is per CPU.
#include <kernel/percpu.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <workloads/test_events.h>
#include <workloads/workload.h>

#define TICK_US 100
#define MIXED 5 // choices of words; index of the sixth, `mixed`
#define QUIESCE_EVERY 4096

enum { EVENTS, WORDS, NEST, CPUS };

static const struct workload_param params[] = {
    [EVENTS] = {"events", PARAM_NUMBER, "1000000", 1, 1000000000, 0, NULL},
    [WORDS] = {"words", PARAM_CHOICE, "mixed", 0, 0, 0, "0|1|2|3|4|mixed"},
    [NEST] = {"nest", PARAM_CHOICE, "1", 0, 0, 0, "0|1"},
    [CPUS] = {"cpus", PARAM_CPUS, "all", 0, 0, 0, NULL},
};

struct emitter {
    struct timer timer; // first: fire receives its address
    u32 cpu;
    bool stop;
    u64 by_thread, by_timer;
};

static struct emitter emitters[ORRERY_MAX_CPUS];

static u64 source_of(const struct emitter *emitter, bool timer)
{
    return emitter->cpu * 2 + timer;
}

static void trace_storm_tick(struct timer *timer)
{
    struct emitter *mine = (struct emitter *)timer;
    u64 sequence = mine->by_timer++;
    test_event_emit((u32)(sequence % MIXED), source_of(mine, true), sequence);
    if (!__atomic_load_n(&mine->stop, __ATOMIC_ACQUIRE))
        timer_start(timer, timebase() + microseconds_to_ticks(TICK_US));
}

static int trace_storm_prepare(struct workload_run *run)
{
    (void)run;
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        emitters[cpu] = (struct emitter){.timer.fire = trace_storm_tick, .cpu = cpu};
    return 0;
}

static void trace_storm_work(struct workload_run *run, u32 cpu)
{
    struct emitter *mine = &emitters[cpu];
    u64 events = run->values[EVENTS].numbers[0], words = run->values[WORDS].numbers[0];
    bool nest = run->values[NEST].numbers[0] != 0;
    if (nest)
        timer_start(&mine->timer, timebase() + microseconds_to_ticks(TICK_US));
    while (mine->by_thread < events && !workload_stopping(run)) {
        u64 sequence = mine->by_thread++;
        test_event_emit((u32)(words == MIXED ? sequence % MIXED : words), source_of(mine, false),
                        sequence);
        if (sequence % QUIESCE_EVERY == 0)
            thread_quiesce();
    }
    __atomic_store_n(&mine->stop, true, __ATOMIC_RELEASE);
    if (nest)
        timer_cancel(&mine->timer);
}

static void trace_storm_finish(struct workload_run *run)
{
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        const struct emitter *emitter = &emitters[cpu];
        workload_report(run, "emitted.%u %llu", cpu,
                        (unsigned long long)(emitter->by_thread + emitter->by_timer));
        workload_report(run, "timer.%u %llu", cpu, (unsigned long long)emitter->by_timer);
    }
}

static const struct workload workload_trace_storm = {
    .name = "trace-storm",
    .help =
        "events=1000000 (a CPU, ..10^9), words=mixed (or 0..4), nest=1 (or 0: no timer between), "
        "cpus=all (or 0-1)",
    .params = params,
    .param_count = ARRAY_SIZE(params),
    .cpus_param = CPUS,
    .prepare = trace_storm_prepare,
    .work = trace_storm_work,
    .finish = trace_storm_finish,
    .release = workload_nothing,
};
WORKLOAD(workload_trace_storm);
