// SPDX-License-Identifier: MIT
// Trace events of a thread, of timer interrupts, of calls between CPUs and of the performance
// monitor interrupt, nesting at random. Each source's events are all there, in order and whole, and
// time never goes back.
#include <kernel/irq.h>
#include <kernel/percpu.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <string.h>
#include <workloads/test_events.h>
#include <workloads/work.h>

#include "bench.h"
#include "benches.h"
#include "sampling.h"
#include "test_trace.h"

#define EVENTS_MAX 60000
#define EVENT_ROOM 64 // bytes of buffer for each event: more than it has
#define LOOK_EVERY 64 // of the thread's: between two looks at what there is room for
#define SPARE 4 // of so many parts of the room one stays free, for what comes between two looks
#define TICK_US 100
#define CALL_EVERY 200 // events of CPU 0's thread
#define PERIOD 30011   // cycles a sample
#define SAMPLE_MINOR 0 // trace/events/pmu.def: sample

enum source { THREAD, TIMER, CALL, SOURCES };

struct cpu_state {
    struct timer timer; // first: fire receives its address
    bool stop;
    u64 emitted[SOURCES];
    u64 next[SOURCES]; // when reading: sequence expected
    u64 wrong;
    u64 samples;
    u64 others; // of major PMU
};

static struct cpu_state states[ORRERY_MAX_CPUS];

static u64 tag(u32 cpu, u64 source)
{
    return cpu * SOURCES + source;
}

// Words 2…4, so that each event carries its source. Masked interrupts or not: emitting takes none
// of the sources' locks.
static void nesting_emit(enum source source)
{
    struct cpu_state *mine = &states[cpu_id()];
    u64 sequence = mine->emitted[source]++;
    test_event_emit(2 + (u32)(sequence % 3), tag(cpu_id(), source), sequence);
}

static void nesting_tick(struct timer *timer)
{
    nesting_emit(TIMER);
    nesting_emit(TIMER);
    if (!__atomic_load_n(&((struct cpu_state *)timer)->stop, __ATOMIC_ACQUIRE))
        timer_start(timer, timebase() + microseconds_to_ticks(TICK_US));
}

static void called(void *argument)
{
    (void)argument;
    nesting_emit(CALL);
}

// How many more timer ticks and samples there are for one event of the thread depends
// on what else the host does.
static bool has_room(u32 cpu)
{
    struct sys_trace_stat stat = {0};
    sys_trace_stat(cpu, &stat);
    u64 room = stat.subbuffers * stat.subbuffer_bytes / EVENT_ROOM;
    return stat.events < room - room / SPARE;
}

// The monitor's and the timer's interrupts may come late.
static bool has_nested(s64 session, u32 cpu)
{
    struct sys_sampling_stat sampling = {0};
    sys_sampling_stat(session, cpu, 0, &sampling);
    return sampling.taken != 0 &&
           __atomic_load_n(&states[cpu].emitted[TIMER], __ATOMIC_RELAXED) != 0;
}

static void storm(struct bench_worker *worker)
{
    struct cpu_state *mine = &states[worker->cpu];
    s64 session = *(const s64 *)worker->argument;
    u64 begin = timebase();
    mine->timer.fire = nesting_tick;
    timer_start(&mine->timer, timebase() + microseconds_to_ticks(TICK_US));
    for (u32 i = 0; i < EVENTS_MAX && (i % LOOK_EVERY != 0 || has_room(worker->cpu)); i++) {
        nesting_emit(THREAD);
        if (worker->cpu == 0 && i % CALL_EVERY == 0)
            cpus_call(bench_all_cpus(), called, NULL);
    }
    while (!has_nested(session, worker->cpu) && bench_waits(begin))
        work_spin(1000);
    __atomic_store_n(&mine->stop, true, __ATOMIC_RELEASE);
    timer_cancel(&mine->timer);
}

static void check_source(struct cpu_state *mine, const struct seen_event *event)
{
    u32 cpu = (u32)(mine - states);
    u64 source = event->words >= 2 ? (event->data[1] >> 48) - tag(cpu, THREAD) : SOURCES;
    if (source >= SOURCES || event->words != 2 + event->data[0] % 3) {
        mine->wrong++;
        return;
    }
    for (u32 i = 0; i < event->words; i++)
        mine->wrong += event->data[i] != test_event_word(i, tag(cpu, source), mine->next[source]);
    mine->next[source]++;
}

static void nesting_check(const struct seen_event *event, void *argument)
{
    struct cpu_state *mine = argument;
    if (event->major == TRACE_MAJOR_TEST)
        check_source(mine, event);
    else if (event->major == TRACE_MAJOR_PMU && event->minor == SAMPLE_MINOR)
        mine->samples++;
    else
        mine->others++;
}

static void read_all(s64 session)
{
    struct bench_tally own = {0}, samples = {0}, logged = {0};
    u64 wrong = 0, nested = 0;
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        struct cpu_state *mine = &states[cpu];
        struct sys_trace_stat stat = {0};
        struct sys_sampling_stat sampling = {0};
        struct trace_reading reading = {0};
        s64 error = test_trace_read(cpu, nesting_check, mine, &reading);
        error += sys_trace_stat(cpu, &stat) + sys_sampling_stat(session, cpu, 0, &sampling);
        for (u32 source = 0; source < SOURCES; source++)
            bench_compare(&own, mine->emitted[source], mine->next[source]);
        bench_compare(&samples, sampling.taken, mine->samples);
        bench_compare(&logged, stat.events, reading.events);
        wrong += mine->wrong + reading.backwards + reading.malformed + stat.discarded + (u64)-error;
        nested += mine->emitted[TIMER] + mine->emitted[CALL];
    }
    bench_tally_row(&own, "events of threads, timers and calls, %u CPUs", cpu_count);
    bench_range(cpu_count, UINT64_MAX, nested, "  of them in timers and calls");
    bench_tally_row(&samples, "  sample events, of samples taken");
    bench_range(cpu_count, UINT64_MAX, samples.counted, "  in the monitor's interrupt");
    bench_tally_row(&logged, "  all events, of those counted as logged");
    bench_exact(0, wrong, "  wrong words, order or time, or discarded");
}

void bench_nesting(void)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    struct test_trace trace;
    memset(states, 0, sizeof(states));
    test_trace_begin(&trace, SYS_TRACE_DISCARD, TRACE_MASK_TEST | TRACE_MASK_PMU);
    s64 session = sample_cycles(PERIOD, 10, 0, 0);
    if (session > 0) {
        bench_on_cpus(bench_all_cpus(), storm, &session, workers);
        sys_sampling_stop(session);
    }
    test_trace_end();
    bench_exact(1, session > 0, "sampling could be started");
    if (session > 0)
        read_all(session);
    test_trace_restore(&trace);
}
